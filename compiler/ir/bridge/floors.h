// Comparisons of sums that have a floor.
//
// In: a function in SSA form. Out: the same, where `x < c` is false if x is a sum of a constant that is not below c and of what is
// never below zero: `x * x + y * y + 0.01f` is not below 0.01f, nor ordered with it if a part of it is NaN. Rounding keeps the order. Choices by
// such comparisons are made too, and comparisons of what they choose. So mathematics that takes care of small values takes none of such sums.

#pragma once

#include "llvm/IR/PassManager.h"

namespace oxcl {

struct FoldFloors : llvm::PassInfoMixin<FoldFloors> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses);
};

} // namespace oxcl
