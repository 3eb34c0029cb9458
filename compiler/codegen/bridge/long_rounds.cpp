// Marks loops whose rounds are long chains of operations.

#include "long_rounds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

// A shorter chain is over before the room for what waits is full: at four cycles for each of its operations and two begun in each cycle,
// some eighty wait here.
constexpr unsigned shortestChain = 10;
// More operations than this keep the ports busy by themselves, and two rounds of them would not leave registers enough.
constexpr unsigned mostOperations = 48;

bool isOperation(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  return type && type->getElementType()->isFloatingPointTy() &&
         (isa<BinaryOperator>(instruction) || isa<UnaryOperator>(instruction) || isa<IntrinsicInst>(instruction));
}

// The rounds of a loop of one block are worth being paired.
bool isLong(const BasicBlock &block) {
  DenseMap<const Value *, unsigned> depths;
  unsigned operations = 0;
  unsigned longest = 0;
  for (const Instruction &instruction : block) {
    if (isa<PHINode>(instruction))
      continue;
    if (instruction.mayWriteToMemory() || (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction)))
      return false;
    unsigned depth = 0;
    for (const Value *operand : instruction.operands())
      depth = std::max(depth, depths.lookup(operand));
    if (isOperation(instruction)) {
      ++depth;
      ++operations;
    }
    depths[&instruction] = depth;
    longest = std::max(longest, depth);
  }
  return longest >= shortestChain && operations <= mostOperations;
}

} // namespace

PreservedAnalyses oxcl::PairLongRounds::run(Function &function, FunctionAnalysisManager &functions) {
  for (Loop *loop : functions.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && loop->getNumBlocks() == 1 && hasUnrollTransformation(loop) == TM_Unspecified &&
        isLong(*loop->getHeader()))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.count", 2);
  return PreservedAnalyses::all();
}
