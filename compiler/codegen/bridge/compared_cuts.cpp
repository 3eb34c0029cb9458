// Takes claims from cuts of vectors that are compared.

#include "compared_cuts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

void oxcl::dropClaimsOfComparedCuts(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *cut = dyn_cast<TruncInst>(&instruction);
            cut && cut->getType()->isVectorTy() && any_of(cut->users(), IsaPred<ICmpInst>)) {
          cut->setHasNoSignedWrap(false);
          cut->setHasNoUnsignedWrap(false);
        }
}
