// Takes accesses of one place in all rounds out of loops.

#include "held.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"

using namespace llvm;

namespace {

// Operations that an address is followed through.
constexpr unsigned MostOperations = 8;

// Whether a value is the same in all rounds: made outside, or in the loop of such values alone.
bool isSame(const Value *V, const Loop &L, unsigned Depth = MostOperations) {
  if (L.isLoopInvariant(V))
    return true;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == 0 || isa<PHINode>(I) || I->mayReadOrWriteMemory())
    return false;
  return all_of(I->operands(), [&](const Use &Operand) { return isSame(Operand, L, Depth - 1); });
}

// Whether it accesses one place in all rounds, and has no call that work-items make together.
bool holdsPlace(const Loop &L) {
  bool Holds = false;
  for (const BasicBlock *Block : L.blocks()) {
    for (const Instruction &I : *Block) {
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->isConvergent())
        return false;
      const Value *Place = getLoadStorePointerOperand(&I);
      Holds |= Place && !I.isVolatile() && !I.isAtomic() && isSame(Place, L);
    }
  }
  return Holds;
}

} // namespace

PreservedAnalyses oxcl::HoistHeld::run(Loop &L, LoopAnalysisManager &Analyses, LoopStandardAnalysisResults &Results,
                                       LPMUpdater &Updater) {
  if (!holdsPlace(L))
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved = LoopRotatePass().run(L, Analyses, Results, Updater);
  Preserved.intersect(LICMPass(LICMOptions()).run(L, Analyses, Results, Updater));
  return Preserved;
}
