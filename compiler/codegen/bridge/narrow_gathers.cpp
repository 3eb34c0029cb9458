// Freezes what gathers of bytes and shorts give.

#include "narrow_gathers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

void oxcl::keepNarrowGathersApart(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block)) {
        auto *gather = dyn_cast<IntrinsicInst>(&instruction);
        if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather ||
            gather->getType()->getScalarSizeInBits() >= 32)
          continue;
        IRBuilder<> builder(gather->getNextNode());
        Value *apart = builder.CreateFreeze(gather);
        gather->replaceUsesWithIf(apart, [&](const Use &use) { return use.getUser() != apart; });
      }
}
