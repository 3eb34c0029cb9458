// Loops that walk through arrays on the stack.
#pragma once

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class LPMUpdater;
} // namespace llvm

namespace oxcl {

// Says of a loop of a small constant count that it must be unrolled, where it indexes an array on the stack by its rounds: the array
// becomes values then, one for each element. What the source says of a loop stays.
struct MarkWalks : llvm::PassInfoMixin<MarkWalks> {
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &, llvm::LoopStandardAnalysisResults &Results,
                              llvm::LPMUpdater &);
};

} // namespace oxcl
