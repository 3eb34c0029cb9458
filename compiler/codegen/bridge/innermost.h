// Passes over innermost loops that leave the blocks as they are.

#ifndef OXCL_INNERMOST_H
#define OXCL_INNERMOST_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassManager.h"

namespace oxcl {

// Calls `change` for every innermost loop; it says whether it changed any instruction. What is still known then.
template <typename Change>
llvm::PreservedAnalyses changeInnermost(llvm::LoopInfo &loops, Change change) {
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost())
      changed |= change(*loop);
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserve<llvm::LoopAnalysis>();
  preserved.preserve<llvm::DominatorTreeAnalysis>();
  return preserved;
}

} // namespace oxcl

#endif
