// Marks loops that are trees of lanes.

#include "tree_rounds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

// A tree of the largest work-group has fewer rounds.
constexpr unsigned mostRounds = 16;
// Of all rounds together, before what is constant in each of them goes away.
constexpr size_t mostInstructions = 2000;

// Whether a store's mask compares lanes with a number of the round.
bool isBoundByRound(const Instruction &instruction, const Loop &loop) {
  auto *store = dyn_cast<IntrinsicInst>(&instruction);
  if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
    return false;
  auto *comparison = dyn_cast<ICmpInst>(store->getArgOperand(2));
  if (!comparison)
    return false;
  for (const Value *side : comparison->operands())
    if (const Value *bound = getSplatValue(side); bound && !loop.isLoopInvariant(bound))
      return true;
  return false;
}

} // namespace

PreservedAnalyses oxcl::UnrollTrees::run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &results, LPMUpdater &) {
  unsigned rounds = results.SE.getSmallConstantTripCount(&loop);
  if (rounds < 2 || rounds > mostRounds || hasUnrollTransformation(&loop) != TM_Unspecified)
    return PreservedAnalyses::all();
  size_t instructions = 0;
  bool isTree = false;
  for (const BasicBlock *block : loop.blocks()) {
    instructions += block->size();
    for (const Instruction &instruction : *block)
      isTree |= isBoundByRound(instruction, loop);
  }
  if (isTree && instructions * rounds <= mostInstructions)
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
  return PreservedAnalyses::all();
}
