// Accesses of one place in all rounds of a loop.
#pragma once

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class LPMUpdater;
} // namespace llvm

namespace oxcl {

// Takes such accesses out of a loop: what is only read is read before it, what is summed up in memory is kept in a value and written
// behind it, where nothing else may read or write the place meanwhile. The loop is rotated for that, so that its first round is
// known to run. Where lanes are many such an access may be a gather and a scatter in each round, which LLVM moves no more. Loops
// with calls that work-items make together stay as they are: a value that lives across a barrier costs more than it saves.
struct HoistHeld : llvm::PassInfoMixin<HoistHeld> {
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &Analyses, llvm::LoopStandardAnalysisResults &Results,
                              llvm::LPMUpdater &Updater);
};

} // namespace oxcl
