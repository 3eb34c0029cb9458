// Moves divisions out of loops before these are vectorised.

#include "divisions.h"

#include "innermost.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

static bool isSigned(const Instruction &division) {
  return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

// The same division at the builder's place, of any numbers: where it would trap the divisor is 1.
static Value *guarded(IRBuilder<> &builder, const BinaryOperator &division) {
  Type *type = division.getType();
  Value *dividend = builder.CreateFreeze(division.getOperand(0));
  Value *divisor = builder.CreateFreeze(division.getOperand(1));
  Value *traps = builder.CreateICmpEQ(divisor, Constant::getNullValue(type));
  if (isSigned(division)) {
    Constant *lowest = ConstantInt::get(type, APInt::getSignedMinValue(type->getScalarSizeInBits()));
    Value *isLowest = builder.CreateICmpEQ(dividend, lowest);
    Value *isMinusOne = builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type));
    traps = builder.CreateOr(traps, builder.CreateAnd(isLowest, isMinusOne));
  }
  Value *safe = builder.CreateSelect(traps, ConstantInt::get(type, 1), divisor);
  return builder.CreateBinOp(division.getOpcode(), dividend, safe, division.getName());
}

static bool hoist(Loop &loop, DominatorTree &dominators, LoopInfo &loops) {
  BasicBlock *latch = loop.getLoopLatch();
  SmallVector<BinaryOperator *, 4> divisions;
  for (BasicBlock *block : loop.blocks())
    if (!latch || !dominators.dominates(block, latch))
      for (Instruction &instruction : *block)
        if (instruction.isIntDivRem())
          divisions.push_back(cast<BinaryOperator>(&instruction));
  BasicBlock *before = loop.getLoopPreheader();
  bool changed = false;
  // A division may be the operand of one in a block that comes later, or earlier in the list.
  for (bool again = !divisions.empty(); again;) {
    again = false;
    for (BinaryOperator *&division : divisions) {
      if (!division)
        continue;
      if (!before) {
        before = InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false);
        if (!before)
          return changed;
        changed = true;
      }
      auto leaves = [&](Value *operand) { return loop.makeLoopInvariant(operand, changed, before->getTerminator()); };
      if (!leaves(division->getOperand(0)) || !leaves(division->getOperand(1)))
        continue;
      IRBuilder<> builder(before->getTerminator());
      division->replaceAllUsesWith(guarded(builder, *division));
      division->eraseFromParent();
      division = nullptr;
      again = changed = true;
    }
  }
  return changed;
}

PreservedAnalyses oxcl::HoistDivisions::run(Function &function, FunctionAnalysisManager &functions) {
  auto &loops = functions.getResult<LoopAnalysis>(function);
  auto &dominators = functions.getResult<DominatorTreeAnalysis>(function);
  return oxcl::changeInnermost(loops, [&](Loop &loop) { return hoist(loop, dominators, loops); });
}
