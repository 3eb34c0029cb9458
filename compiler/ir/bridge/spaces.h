// What address spaces say about aliasing, while they are still told apart.
#pragma once

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/PassManager.h"

namespace oxcl {

// Private, global, constant and local memory of the front-end target lie apart; a generic pointer may lead to any but constant memory.
struct SpacesAAResult : llvm::AAResultBase {
  SpacesAAResult() = default;

  bool invalidate(llvm::Function &, const llvm::PreservedAnalyses &, llvm::FunctionAnalysisManager::Invalidator &) { return false; }

  llvm::AliasResult alias(const llvm::MemoryLocation &One, const llvm::MemoryLocation &Other, llvm::AAQueryInfo &,
                          const llvm::Instruction *) {
    // OpenCL C 3.0, section 6.7. LLVM's numbers of the spaces in which kernels are compiled.
    constexpr unsigned LastOfThem = 3;
    unsigned A = One.Ptr->getType()->getPointerAddressSpace(), B = Other.Ptr->getType()->getPointerAddressSpace();
    bool Apart = A != B && A <= LastOfThem && B <= LastOfThem;
    return Apart ? llvm::AliasResult::NoAlias : llvm::AliasResult::MayAlias;
  }
};

struct SpacesAA : llvm::AnalysisInfoMixin<SpacesAA> {
  using Result = SpacesAAResult;
  Result run(llvm::Function &, llvm::FunctionAnalysisManager &) { return Result(); }
  static llvm::AnalysisKey Key;
};

} // namespace oxcl
