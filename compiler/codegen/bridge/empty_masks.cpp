// Takes away selects between a mask and none, by the mask.

#include "empty_masks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

// The mask that the select is in any case; none if it is something else.
static Value *always(SelectInst &select) {
  Value *tested;
  CmpPredicate predicate;
  if (!match(select.getCondition(), m_ICmp(predicate, m_Value(tested), m_Zero())) ||
      !ICmpInst::isEquality(predicate))
    return nullptr;
  bool whereEmpty = predicate == ICmpInst::ICMP_EQ;
  Value *empty = whereEmpty ? select.getTrueValue() : select.getFalseValue();
  Value *mask = whereEmpty ? select.getFalseValue() : select.getTrueValue();
  if (!match(empty, m_Zero()) || !match(tested, m_BitCast(m_Specific(mask))))
    return nullptr;
  return mask->getType()->isIntOrIntVectorTy(1) ? mask : nullptr;
}

void oxcl::foldEmptyMasks(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block))
        if (auto *select = dyn_cast<SelectInst>(&instruction))
          if (Value *mask = always(*select)) {
            select->replaceAllUsesWith(mask);
            select->eraseFromParent();
          }
}
