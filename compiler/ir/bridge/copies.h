// Copies and fills of private arrays, one element after the other.
//
// In: a function in SSA form. Out: the same, where a `memset`, `memcpy` or `memmove` of a variable on the stack that is otherwise read and
// written in parts of one size only is made of loads and stores of that size: lanes can do these together, and may keep the array's
// elements beside those of other lanes. What is long becomes a loop. Not where the length is not known, or no multiple of that size.

#pragma once

#include "llvm/IR/PassManager.h"

namespace oxcl {

struct CopiesByElement : llvm::PassInfoMixin<CopiesByElement> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses);
};

} // namespace oxcl
