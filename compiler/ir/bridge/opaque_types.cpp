// Replaces the front-end target's opaque event type by the pointer that it is stored as: the code generators of real
// targets cannot select code for values of the opaque type.
//
// On entry: any module. On exit: no function, instruction or constant operand of the module has the type
// `target("spirv.Event")` or holds it in an array or structure; everything else is as it was.

#include "llvm-c/Core.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <vector>

using namespace llvm;

namespace {

class EventLowering {
public:
  explicit EventLowering(Module &M) : M(M) {}

  void run() {
    std::vector<Function *> Functions;
    for (Function &F : M)
      Functions.push_back(&F);
    for (Function *F : Functions)
      if (lowered(F->getFunctionType()) != F->getFunctionType())
        replace(*F);
    for (Function &F : M)
      for (Instruction &I : instructions(F))
        change(I);
  }

private:
  // The type that stands for `T`; `T` itself where no event is in it.
  Type *lowered(Type *T) {
    if (auto *X = dyn_cast<TargetExtType>(T))
      return X->getName() == "spirv.Event" ? PointerType::get(M.getContext(), 0) : T;
    if (auto *A = dyn_cast<ArrayType>(T)) {
      Type *E = lowered(A->getElementType());
      return E == A->getElementType() ? T : ArrayType::get(E, A->getNumElements());
    }
    if (auto *F = dyn_cast<FunctionType>(T)) {
      std::vector<Type *> Params;
      bool Changed = false;
      for (Type *P : F->params()) {
        Params.push_back(lowered(P));
        Changed |= Params.back() != P;
      }
      Type *R = lowered(F->getReturnType());
      return Changed || R != F->getReturnType() ? FunctionType::get(R, Params, F->isVarArg()) : T;
    }
    return T;
  }

  void replace(Function &Old) {
    auto *Ty = cast<FunctionType>(lowered(Old.getFunctionType()));
    Function *New = Function::Create(Ty, Old.getLinkage(), Old.getAddressSpace(), "", &M);
    New->takeName(&Old);
    New->copyAttributesFrom(&Old);
    New->splice(New->begin(), &Old);
    for (auto [From, To] : zip(Old.args(), New->args())) {
      From.mutateType(To.getType());
      From.replaceAllUsesWith(&To);
      To.takeName(&From);
    }
    Old.replaceAllUsesWith(New);
    Old.eraseFromParent();
  }

  void change(Instruction &I) {
    I.mutateType(lowered(I.getType()));
    if (auto *A = dyn_cast<AllocaInst>(&I))
      A->setAllocatedType(lowered(A->getAllocatedType()));
    if (auto *G = dyn_cast<GetElementPtrInst>(&I)) {
      G->setSourceElementType(lowered(G->getSourceElementType()));
      G->setResultElementType(lowered(G->getResultElementType()));
    }
    if (auto *C = dyn_cast<CallBase>(&I))
      C->mutateFunctionType(cast<FunctionType>(lowered(C->getFunctionType())));
    for (Use &U : I.operands())
      if (auto *C = dyn_cast<Constant>(U.get())) {
        Type *T = lowered(C->getType());
        if (T != C->getType())
          U.set(isa<PoisonValue>(C) ? PoisonValue::get(T) : isa<UndefValue>(C) ? UndefValue::get(T) : Constant::getNullValue(T));
      }
  }

  Module &M;
};

} // namespace

extern "C" void oxcl_ir_lower_events(LLVMModuleRef Module) { EventLowering(*unwrap(Module)).run(); }
