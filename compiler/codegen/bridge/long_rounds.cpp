// Marks loops whose rounds are long chains of operations.

#include "long_rounds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
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
// The same in registers that operations fill, where there are half as many registers.
constexpr unsigned mostOfFew = 24;
constexpr unsigned few = 16;

// What a processor's vectors can hold.
struct Registers {
  explicit Registers(const TargetTransformInfo &target)
      : areFew(target.getNumberOfRegisters(target.getRegisterClassForType(/*Vector=*/true)) <= few),
        bits(unsigned(target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue())) {}

  // How much an operation counts.
  unsigned weigh(const Instruction &operation) const {
    return areFew && bits ? unsigned(divideCeil(operation.getType()->getPrimitiveSizeInBits().getFixedValue(), bits)) : 1;
  }

  unsigned most() const { return areFew ? mostOfFew : mostOperations; }

  bool areFew;
  unsigned bits;
};

bool isOperation(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  return type && type->getElementType()->isFloatingPointTy() &&
         (isa<BinaryOperator>(instruction) || isa<UnaryOperator>(instruction) || isa<IntrinsicInst>(instruction));
}

// What a loop of one block does in a round.
struct Round {
  // How much its operations count.
  unsigned operations = 0;
  // The operations of the longest chain.
  unsigned longest = 0;
  // It stores, or calls a function.
  bool acts = false;
};

Round roundOf(const BasicBlock &block, const Registers &registers) {
  DenseMap<const Value *, unsigned> depths;
  Round round;
  for (const Instruction &instruction : block) {
    if (isa<PHINode>(instruction))
      continue;
    round.acts |= instruction.mayWriteToMemory() || (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction));
    unsigned depth = 0;
    for (const Value *operand : instruction.operands())
      depth = std::max(depth, depths.lookup(operand));
    if (isOperation(instruction)) {
      ++depth;
      round.operations += registers.weigh(instruction);
    }
    depths[&instruction] = depth;
    round.longest = std::max(round.longest, depth);
  }
  return round;
}

} // namespace

PreservedAnalyses oxcl::PairLongRounds::run(Function &function, FunctionAnalysisManager &functions) {
  Registers registers(functions.getResult<TargetIRAnalysis>(function));
  for (Loop *loop : functions.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || loop->getNumBlocks() != 1 || hasUnrollTransformation(loop) != TM_Unspecified)
      continue;
    Round round = roundOf(*loop->getHeader(), registers);
    bool isFull = round.operations > registers.most();
    if (!isFull && !round.acts && round.longest >= shortestChain)
      addStringMetadataToLoop(loop, "llvm.loop.unroll.count", 2);
    else if (isFull && registers.areFew)
      addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
  }
  return PreservedAnalyses::all();
}
