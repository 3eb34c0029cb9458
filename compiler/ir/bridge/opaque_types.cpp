// Replaces the front-end target's opaque types by what they are in memory: the code generators of real targets cannot select
// code for values of opaque types. An event is a pointer; an image is a pointer to its description, in constant memory; a
// sampler is its bits, in an integer as wide as a pointer.
//
// On entry: any module, the built-in functions that it calls linked. On exit: no function, instruction or constant operand of the
// module has one of these types or holds it in an array; parameters that were images or samplers have an attribute that says
// so; calls by which the library asks for a description or for bits are gone, and so are those that the front end makes samplers
// of literals with; what is loaded from descriptions is marked as never changing. Everything else is as it was.

#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

using namespace llvm;

namespace {

// Constant memory.
constexpr unsigned CONSTANT = 2;

// How the names of the functions begin that give what an opaque value is, and what the front end calls for a literal.
constexpr const char *ASK_IMAGE = "_Z10oxcl_image";
constexpr const char *ASK_SAMPLER = "_Z12oxcl_sampler";
constexpr const char *MAKE_SAMPLER = "__translate_sampler_initializer";

// How the names of the library's functions begin that a program cannot call.
constexpr const char *LIBRARY = "oxcl_";

// Attributes of parameters that were images, with what may be done with these (0: read, 1: write, 2: both), and samplers.
constexpr const char *IS_IMAGE = "oxcl-image";
constexpr const char *IS_SAMPLER = "oxcl-sampler";

class OpaqueLowering {
public:
  explicit OpaqueLowering(Module &M) : M(M) {}

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
    for (Function *F : named(ASK_IMAGE))
      answer(*F, [](CallBase &Call) { return Call.getArgOperand(0); });
    for (Function *F : named(ASK_SAMPLER))
      answer(*F, [](CallBase &Call) { return Call.getArgOperand(0); });
    for (Function *F : named(MAKE_SAMPLER))
      answer(*F, [this](CallBase &Call) -> Value * {
        if (auto *Bits = dyn_cast<ConstantInt>(Call.getArgOperand(0)))
          return ConstantInt::get(samplerType(), Bits->getZExtValue());
        return CastInst::CreateZExtOrBitCast(Call.getArgOperand(0), samplerType(), "", Call.getIterator());
      });
  }

private:
  Type *samplerType() { return M.getDataLayout().getIntPtrType(M.getContext()); }

  // The type that stands for `T`; `T` itself where no opaque value is in it.
  Type *lowered(Type *T) {
    if (auto *X = dyn_cast<TargetExtType>(T)) {
      if (X->getName() == "spirv.Event")
        return PointerType::get(M.getContext(), 0);
      if (X->getName() == "spirv.Image")
        return PointerType::get(M.getContext(), CONSTANT);
      return X->getName() == "spirv.Sampler" ? samplerType() : T;
    }
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
    New->copyMetadata(&Old, 0);
    New->splice(New->begin(), &Old);
    for (auto [From, To] : zip(Old.args(), New->args())) {
      note(From, To);
      From.mutateType(To.getType());
      From.replaceAllUsesWith(&To);
      To.takeName(&From);
    }
    Old.replaceAllUsesWith(New);
    Old.eraseFromParent();
  }

  // Says of a parameter what it was, and what is known of the memory that an image's description is in.
  void note(const Argument &Was, Argument &Is) {
    auto *X = dyn_cast<TargetExtType>(Was.getType());
    LLVMContext &C = M.getContext();
    if (X && X->getName() == "spirv.Sampler")
      Is.addAttr(Attribute::get(C, IS_SAMPLER));
    if (!X || X->getName() != "spirv.Image")
      return;
    unsigned Access = X->getNumIntParameters() ? X->getIntParameter(X->getNumIntParameters() - 1) : 2;
    Is.addAttr(Attribute::get(C, IS_IMAGE, std::to_string(Access)));
    uint64_t Pointer = M.getDataLayout().getPointerSize(CONSTANT);
    Is.addAttr(Attribute::getWithDereferenceableBytes(C, Pointer + 12 * 4));
    Is.addAttr(Attribute::getWithAlignment(C, Align(Pointer)));
    Is.addAttr(Attribute::get(C, Attribute::NonNull));
    Is.addAttr(Attribute::get(C, Attribute::ReadOnly));
  }

  std::vector<Function *> named(StringRef Start) {
    std::vector<Function *> Found;
    for (Function &F : M)
      if (F.isDeclaration() && F.getName().starts_with(Start))
        Found.push_back(&F);
    return Found;
  }

  // Replaces the calls of a function by what `With` makes of them, and drops the function.
  template <typename Maker> void answer(Function &F, Maker With) {
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledFunction() != &F || Call->arg_size() != 1)
        continue;
      Value *Made = With(*Call);
      if (Made->getType() != Call->getType())
        continue;
      for (Use &Reader : Call->uses())
        if (Made == Call->getArgOperand(0) && Made->getType()->isPointerTy())
          markInvariant(Reader);
      Call->replaceAllUsesWith(Made);
      Call->eraseFromParent();
    }
    if (F.use_empty())
      F.eraseFromParent();
  }

  // Marks a load from a description, and all behind address arithmetic and in functions of the library that it is handed on to.
  void markInvariant(Use &Reader) {
    User *V = Reader.getUser();
    if (auto *L = dyn_cast<LoadInst>(V)) {
      L->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(M.getContext(), {}));
    } else if (isa<GetElementPtrInst>(V)) {
      for (Use &U : V->uses())
        markInvariant(U);
    } else if (auto *Call = dyn_cast<CallBase>(V)) {
      Function *Callee = Call->getCalledFunction();
      if (!Callee || Callee->isDeclaration() || !Callee->getName().starts_with(LIBRARY) || !Call->isArgOperand(&Reader))
        return;
      unsigned Index = Call->getArgOperandNo(&Reader);
      if (Index < Callee->arg_size() && Marked.insert(Callee->getArg(Index)).second)
        for (Use &U : Callee->getArg(Index)->uses())
          markInvariant(U);
    }
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
  // Parameters whose loads are marked.
  SmallPtrSet<const Argument *, 8> Marked;
};

} // namespace

extern "C" void oxcl_ir_lower_opaque_types(LLVMModuleRef Module) { OpaqueLowering(*unwrap(Module)).run(); }
