// Marks loops that walk through arrays on the stack.

#include "walks.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

// More elements than this are no registers.
constexpr unsigned MostRounds = 32;
// So many instructions may come of a loop, with those that it already has in unrolled loops of its own.
constexpr unsigned MostInstructions = 768;
// Bytes of an array whose elements are worth being values.
constexpr uint64_t MostBytes = 512;

// Whether an address is in a small array on the stack, at a place that changes with the rounds of the loop.
bool walks(Value *Address, const Loop &L, ScalarEvolution &Evolution) {
  auto *Array = dyn_cast<AllocaInst>(getUnderlyingObject(Address, 0));
  if (!Array || L.contains(Array))
    return false;
  std::optional<TypeSize> Size = Array->getAllocationSize(Array->getDataLayout());
  return Size && !Size->isScalable() && Size->getFixedValue() <= MostBytes &&
         !Evolution.isLoopInvariant(Evolution.getSCEV(Address), &L);
}

} // namespace

PreservedAnalyses oxcl::MarkWalks::run(Loop &L, LoopAnalysisManager &, LoopStandardAnalysisResults &Results, LPMUpdater &) {
  ScalarEvolution &Evolution = Results.SE;
  unsigned Rounds = Evolution.getSmallConstantTripCount(&L);
  if (Rounds == 0 || Rounds > MostRounds || hasUnrollTransformation(&L) != TM_Unspecified)
    return PreservedAnalyses::all();
  unsigned Instructions = 0;
  bool Walks = false;
  for (BasicBlock *Block : L.blocks()) {
    Instructions += Block->size();
    for (Instruction &I : *Block)
      if (Value *Address = getLoadStorePointerOperand(&I))
        Walks |= walks(Address, L, Evolution);
  }
  if (Walks && Instructions * Rounds <= MostInstructions)
    addStringMetadataToLoop(&L, "llvm.loop.unroll.full", 1);
  return PreservedAnalyses::all();
}
