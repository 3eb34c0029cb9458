// Rounds of trees, written out.

#pragma once

#include "llvm/Transforms/Scalar/LoopPassManager.h"

namespace oxcl {

// Says of a loop that it must be unrolled in full, if it has few rounds, as many as is known, and stores under masks that compare lanes with
// a bound of the round: `for (s = 128; s > 0; s /= 2) { if (l < s) t[l] += t[l + s]; barrier(...); }`. Where the bound is a constant, so
// is the mask, and the loop over the lanes that work has as many rounds as it needs. LLVM by itself unrolls the loop inside first, for the largest
// bound, and finds the one around too long then. In: a loop of a work-group function before LLVM's full unrolling. Out: a mark on it. What the
// source says of a loop stays.
struct UnrollTrees : llvm::PassInfoMixin<UnrollTrees> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses, llvm::LoopStandardAnalysisResults &results,
                              llvm::LPMUpdater &updater);
};

} // namespace oxcl
