// Takes conditions that are the same for all lanes out of masks.

#include "uniform_parts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// A mask that is `other` where the condition holds, and empty elsewhere.
struct Parts {
  Value *other = nullptr;
  Value *condition = nullptr;
  // Whether the other mask may be poison where the condition does not hold.
  bool conditionFirst = false;
};

// A condition that all lanes of a value are.
Value *spread(Value *mask) {
  Value *condition = isa<Constant>(mask) ? nullptr : getSplatValue(mask);
  return condition && condition->getType()->isIntegerTy(1) ? condition : nullptr;
}

Parts partsOf(Value *mask) {
  Value *left, *right;
  if (match(mask, m_Select(m_Value(left), m_Value(right), m_Zero())) || match(mask, m_And(m_Value(left), m_Value(right)))) {
    if (Value *condition = spread(right))
      return {left, condition, /*conditionFirst=*/false};
    if (Value *condition = spread(left))
      return {right, condition, /*conditionFirst=*/true};
  }
  return {};
}

// Whether a comparison asks for a lane of a mask, or for none; the mask.
Value *maskAskedFor(ICmpInst &asks) {
  Value *mask;
  bool isAsked = asks.isEquality() && match(asks.getOperand(1), m_Zero()) && match(asks.getOperand(0), m_BitCast(m_Value(mask)));
  return isAsked && mask->getType()->isVectorTy() && mask->getType()->isIntOrIntVectorTy(1) ? mask : nullptr;
}

// Whether a loop around the comparison goes on with the mask.
bool isCarried(const ICmpInst &asks, const Value &mask, const DominatorTree &dominators) {
  return any_of(mask.users(), [&](const User *user) {
    auto *phi = dyn_cast<PHINode>(user);
    return phi && dominators.dominates(phi->getParent(), asks.getParent());
  });
}

// Where a branch by the comparison is taken if any lane is left, the mask is `other`.
void useOther(ICmpInst &asks, Value *mask, Value *other, DominatorTree &dominators) {
  for (User *user : asks.users()) {
    auto *branch = dyn_cast<BranchInst>(user);
    if (!branch || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    bool isNone = asks.getPredicate() == ICmpInst::ICMP_EQ;
    BasicBlockEdge left(branch->getParent(), branch->getSuccessor(isNone ? 1 : 0));
    mask->replaceUsesWithIf(other, [&](Use &use) { return dominators.dominates(left, use); });
  }
}

void run(Function &function) {
  SmallVector<std::pair<ICmpInst *, Parts>, 8> found;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *asks = dyn_cast<ICmpInst>(&instruction))
        if (Value *mask = maskAskedFor(*asks))
          if (Parts parts = partsOf(mask); parts.other)
            found.emplace_back(asks, parts);
  if (found.empty())
    return;
  DominatorTree dominators(function);
  for (auto &[asks, parts] : found) {
    Value *mask = maskAskedFor(*asks);
    if (!isCarried(*asks, *mask, dominators))
      continue;
    useOther(*asks, mask, parts.other, dominators);
    IRBuilder<> builder(asks);
    Value *bits = builder.CreateBitCast(parts.other, asks->getOperand(0)->getType());
    Value *compared = builder.CreateICmp(asks->getPredicate(), bits, asks->getOperand(1));
    bool isNone = asks->getPredicate() == ICmpInst::ICMP_EQ;
    Value *first = compared, *second = isNone ? builder.CreateNot(parts.condition) : parts.condition;
    if (parts.conditionFirst)
      std::swap(first, second);
    // The second counts only where the first does not decide: elsewhere it may be poison.
    Value *both = isNone ? builder.CreateLogicalOr(first, second) : builder.CreateLogicalAnd(first, second);
    auto *bitsBefore = dyn_cast<Instruction>(asks->getOperand(0));
    asks->replaceAllUsesWith(both);
    asks->eraseFromParent();
    if (bitsBefore && bitsBefore->use_empty())
      bitsBefore->eraseFromParent();
    if (auto *instruction = dyn_cast<Instruction>(mask); instruction && instruction->use_empty())
      instruction->eraseFromParent();
  }
}

} // namespace

void oxcl::testUniformPartsAlone(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      run(function);
}
