// What LLVM's C interface lacks and oxcl-ir needs: dominators, loops, block splitting, flag copies and distinct
// metadata. Every function is called from src/raw.rs only; handles are the C interface's own.
// Blocks are numbered in the order of the function's block list.

#include "llvm-c/Core.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

using namespace llvm;

namespace {

// The number of no block and no loop.
constexpr int32_t NONE = -1;

DenseMap<const BasicBlock *, int32_t> number(Function &F) {
  DenseMap<const BasicBlock *, int32_t> Index;
  int32_t Next = 0;
  for (BasicBlock &BB : F)
    Index[&BB] = Next++;
  return Index;
}

using PointerTaker = void (*)(void *, uint64_t, LLVMValueRef, int64_t);

// Writes a constant's bytes at an offset of an image of zeros; pointers to variables go to `Take`. False where the
// constant holds something that bytes cannot say before run time.
bool writeConstant(const DataLayout &DL, const Constant *C, uint64_t At, uint8_t *Image, uint64_t Size, void *User,
                   PointerTaker Take) {
  if (C->isNullValue() || isa<UndefValue>(C))
    return true;
  auto Integer = [&](APInt Bits) {
    uint64_t Bytes = DL.getTypeStoreSize(C->getType());
    if (At + Bytes > Size)
      return false;
    Bits = Bits.zext(Bytes * 8);
    for (uint64_t I = 0; I < Bytes; ++I)
      Image[At + I] = Bits.extractBitsAsZExtValue(8, I * 8);
    return true;
  };
  if (auto *Int = dyn_cast<ConstantInt>(C); Int && !C->getType()->isVectorTy())
    return Integer(Int->getValue());
  if (auto *Float = dyn_cast<ConstantFP>(C); Float && !C->getType()->isVectorTy())
    return Integer(Float->getValueAPF().bitcastToAPInt());
  if (auto *Struct = dyn_cast<StructType>(C->getType())) {
    const StructLayout *Layout = DL.getStructLayout(Struct);
    for (unsigned I = 0; I < Struct->getNumElements(); ++I) {
      const Constant *Field = C->getAggregateElement(I);
      if (!Field || !writeConstant(DL, Field, At + Layout->getElementOffset(I), Image, Size, User, Take))
        return false;
    }
    return true;
  }
  if (C->getType()->isArrayTy() || C->getType()->isVectorTy()) {
    bool IsArray = C->getType()->isArrayTy();
    Type *Element = IsArray ? C->getType()->getArrayElementType() : cast<VectorType>(C->getType())->getElementType();
    uint64_t Count = IsArray ? C->getType()->getArrayNumElements()
                             : cast<FixedVectorType>(C->getType())->getNumElements();
    uint64_t Step = IsArray ? DL.getTypeAllocSize(Element) : DL.getTypeStoreSize(Element);
    for (uint64_t I = 0; I < Count; ++I) {
      const Constant *Part = C->getAggregateElement(I);
      if (!Part || !writeConstant(DL, Part, At + I * Step, Image, Size, User, Take))
        return false;
    }
    return true;
  }
  const Constant *Pointer = C;
  if (auto *Expression = dyn_cast<ConstantExpr>(C); Expression && Expression->getOpcode() == Instruction::PtrToInt)
    Pointer = Expression->getOperand(0);
  if (!Pointer->getType()->isPointerTy())
    return false;
  uint64_t Bytes = DL.getTypeStoreSize(Pointer->getType());
  if (DL.getTypeStoreSize(C->getType()) != Bytes || At + Bytes > Size)
    return false;
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, true);
  // The null of another address space, as clang writes that of a variable without an initial value, is zero here too.
  if (isa<ConstantPointerNull>(Base))
    return Integer(Offset);
  if (!isa<GlobalVariable>(Base))
    return false;
  Take(User, At, wrap(Base), Offset.getSExtValue());
  return true;
}

using Globals = SmallPtrSet<const GlobalValue *, 32>;
using Constants = SmallPtrSet<const Constant *, 32>;

// What a function reaches: through calls, addresses taken and initial values.
Globals reached(const GlobalValue *Root) {
  Globals Found;
  Constants Seen;
  SmallVector<const Constant *> Waiting{Root};
  while (!Waiting.empty()) {
    const Constant *C = Waiting.pop_back_val();
    if (!Seen.insert(C).second)
      continue;
    if (auto *Global = dyn_cast<GlobalValue>(C))
      Found.insert(Global);
    for (const Use &Operand : C->operands())
      if (auto *Other = dyn_cast<Constant>(Operand.get()))
        Waiting.push_back(Other);
    if (auto *F = dyn_cast<Function>(C))
      for (const BasicBlock &BB : *F)
        for (const Instruction &I : BB)
          for (const Use &Operand : I.operands())
            if (auto *Other = dyn_cast<Constant>(Operand.get()))
              Waiting.push_back(Other);
  }
  return Found;
}

} // namespace

extern "C" {

// Immediate dominators and post-dominators. A post-dominator that is the virtual exit is none, as for unreachable blocks.
void oxcl_ir_dominators(LLVMValueRef Fn, int32_t *Idom, int32_t *Ipdom) {
  Function &F = *unwrap<Function>(Fn);
  auto Index = number(F);
  DominatorTree DT(F);
  PostDominatorTree PDT(F);
  for (BasicBlock &BB : F) {
    int32_t I = Index[&BB];
    Idom[I] = Ipdom[I] = NONE;
    if (auto *Node = DT.getNode(&BB))
      if (auto *Up = Node->getIDom())
        Idom[I] = Index[Up->getBlock()];
    if (auto *Node = PDT.getNode(&BB))
      if (auto *Up = Node->getIDom())
        if (Up->getBlock())
          Ipdom[I] = Index[Up->getBlock()];
  }
}

// Natural loops, outer before inner. Innermost[b] is the loop of block b; Header and Parent describe each loop and have
// room for as many loops as there are blocks. Returns the number of loops.
int32_t oxcl_ir_loops(LLVMValueRef Fn, int32_t *Innermost, int32_t *Header, int32_t *Parent) {
  Function &F = *unwrap<Function>(Fn);
  auto Index = number(F);
  DominatorTree DT(F);
  LoopInfo LI(DT);
  DenseMap<const Loop *, int32_t> Id;
  int32_t Count = 0;
  for (Loop *L : LI.getLoopsInPreorder()) {
    Id[L] = Count;
    Header[Count] = Index[L->getHeader()];
    Parent[Count] = L->getParentLoop() ? Id[L->getParentLoop()] : NONE;
    ++Count;
  }
  for (BasicBlock &BB : F) {
    Loop *L = LI.getLoopFor(&BB);
    Innermost[Index[&BB]] = L ? Id[L] : NONE;
  }
  return Count;
}

// Whether a loop of a function has several entries.
bool oxcl_ir_is_irreducible(LLVMValueRef Fn) {
  Function &F = *unwrap<Function>(Fn);
  DominatorTree DT(F);
  LoopInfo LI(DT);
  ReversePostOrderTraversal<const Function *> Order(&F);
  return containsIrreducibleCFG<const BasicBlock *>(Order, LI);
}

// Lets `To` stand for `From` in debug information, where any is made of the unit.
void oxcl_ir_give_debug_scope(LLVMValueRef From, LLVMValueRef To) {
  DISubprogram *Scope = unwrap<Function>(From)->getSubprogram();
  if (!Scope || Scope->getUnit()->getEmissionKind() == DICompileUnit::NoDebug)
    return;
  unwrap<Function>(From)->setSubprogram(nullptr);
  unwrap<Function>(To)->setSubprogram(Scope);
}

// What the verifier says of a function, to be freed; null where it is valid.
char *oxcl_ir_verify(LLVMValueRef Fn) {
  std::string Words;
  raw_string_ostream Stream(Words);
  return verifyFunction(*unwrap<Function>(Fn), &Stream) ? strdup(Words.c_str()) : nullptr;
}

// Splits a block before an instruction (which may not be a PHI) and returns the new block that begins with it.
LLVMBasicBlockRef oxcl_ir_split_before(LLVMValueRef Inst, const char *Name) {
  auto *I = unwrap<Instruction>(Inst);
  return wrap(I->getParent()->splitBasicBlock(I->getIterator(), Name));
}

// Copies wrapping, exactness and fast-math flags where the target has such flags.
void oxcl_ir_copy_flags(LLVMValueRef To, LLVMValueRef From) {
  if (auto *T = dyn_cast<Instruction>(unwrap(To)))
    T->copyIRFlags(unwrap(From));
}

// Removes flags that could make a result poison.
void oxcl_ir_drop_poison_flags(LLVMValueRef Inst) {
  if (auto *I = dyn_cast<Instruction>(unwrap(Inst)))
    I->dropPoisonGeneratingFlags();
}

// 1: may read memory, 2: may write memory, 4: has side effects, 8: volatile or atomic, 16: convergent.
uint32_t oxcl_ir_effects(LLVMValueRef Inst) {
  auto *I = dyn_cast<Instruction>(unwrap(Inst));
  if (!I)
    return 0;
  uint32_t Bits = 0;
  Bits |= I->mayReadFromMemory() ? 1 : 0;
  Bits |= I->mayWriteToMemory() ? 2 : 0;
  Bits |= I->mayHaveSideEffects() ? 4 : 0;
  Bits |= I->isVolatile() || I->isAtomic() ? 8 : 0;
  if (auto *C = dyn_cast<CallBase>(I))
    Bits |= C->isConvergent() ? 16 : 0;
  return Bits;
}

// Whether a call may keep an argument, a pointer, beyond its end.
bool oxcl_ir_may_capture(LLVMValueRef Call, uint32_t Argument) {
  auto *C = unwrap<CallBase>(Call);
  return !C->doesNotCapture(Argument) && !C->isByValArgument(Argument);
}

// The type of a byval parameter, or null.
LLVMTypeRef oxcl_ir_byval_type(LLVMValueRef Fn, uint32_t Param) {
  return wrap(unwrap<Function>(Fn)->getParamByValType(Param));
}

// Turns the constant expressions that use a global variable, inside one function, into instructions.
void oxcl_ir_expand_constant_users(LLVMValueRef Global, LLVMValueRef Fn) {
  Constant *C = unwrap<Constant>(Global);
  convertUsersOfConstantsToInstructions({C}, unwrap<Function>(Fn));
}

// Writes the initial bytes of a global variable to an image of zeros of its size. `Take` is told of each pointer to a
// variable: its offset in the image, the variable, and what is added to its address. Returns false where the initialiser
// is of another kind.
bool oxcl_ir_initial_bytes(LLVMValueRef Global, uint8_t *Image, uint64_t Size, void *User, PointerTaker Take) {
  auto *Variable = unwrap<GlobalVariable>(Global);
  if (!Variable->hasInitializer())
    return false;
  return writeConstant(Variable->getParent()->getDataLayout(), Variable->getInitializer(), 0, Image, Size, User, Take);
}

// A distinct, empty metadata node (an access group).
LLVMValueRef oxcl_ir_distinct_node(LLVMContextRef C) {
  LLVMContext &Ctx = *unwrap(C);
  return wrap(MetadataAsValue::get(Ctx, MDNode::getDistinct(Ctx, {})));
}

// A node of its own that names itself first, as a loop's identity does; room for that is the first operand.
static MDNode *loopIdentity(LLVMContext &Ctx, ArrayRef<Metadata *> Operands) {
  MDNode *Id = MDNode::getDistinct(Ctx, Operands);
  Id->replaceOperandWith(0, Id);
  return Id;
}

// The identity of a loop whose accesses in `Group` do not depend on one another across iterations; Group may be null. `Ends`: it
// does not go on for ever. `Word`: what else its metadata says, such as whether the body may be repeated; may be null.
LLVMValueRef oxcl_ir_loop_id(LLVMContextRef C, LLVMValueRef Group, bool Ends, const char *Word, bool Apart) {
  LLVMContext &Ctx = *unwrap(C);
  SmallVector<Metadata *> Operands;
  Operands.push_back(nullptr);
  if (Ends)
    Operands.push_back(MDNode::get(Ctx, MDString::get(Ctx, "llvm.loop.mustprogress")));
  if (Group) {
    Metadata *Access = cast<MetadataAsValue>(unwrap(Group))->getMetadata();
    Operands.push_back(MDNode::get(Ctx, {MDString::get(Ctx, "llvm.loop.parallel_accesses"), Access}));
  }
  if (Word)
    Operands.push_back(MDNode::get(Ctx, MDString::get(Ctx, Word)));
  if (Apart) {
    Metadata *No = ConstantAsMetadata::get(ConstantInt::getFalse(Ctx));
    Operands.push_back(MDNode::get(Ctx, {MDString::get(Ctx, "llvm.loop.vectorize.enable"), No}));
  }
  return wrap(MetadataAsValue::get(Ctx, loopIdentity(Ctx, Operands)));
}

// Says one word more of the loop that a branch goes back in, if the source says nothing of whether its body may be repeated.
void oxcl_ir_add_loop_word(LLVMValueRef Branch, const char *Word) {
  auto *I = unwrap<Instruction>(Branch);
  LLVMContext &Ctx = I->getContext();
  SmallVector<Metadata *> Operands = {nullptr};
  if (const MDNode *Known = I->getMetadata(LLVMContext::MD_loop)) {
    for (const MDOperand &Operand : drop_begin(Known->operands())) {
      const auto *Hint = dyn_cast<MDNode>(Operand);
      const auto *Name = Hint && Hint->getNumOperands() ? dyn_cast<MDString>(Hint->getOperand(0)) : nullptr;
      if (Name && Name->getString().starts_with("llvm.loop.unroll"))
        return;
      Operands.push_back(Operand);
    }
  }
  Operands.push_back(MDNode::get(Ctx, MDString::get(Ctx, Word)));
  I->setMetadata(LLVMContext::MD_loop, loopIdentity(Ctx, Operands));
}

// A copy of the module with what the function reaches, and without any other function or variable.
LLVMModuleRef oxcl_ir_clone_reached(LLVMModuleRef Source, LLVMValueRef Root) {
  Module &From = *unwrap(Source);
  Globals Kept = reached(unwrap<GlobalValue>(Root));
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Copy = CloneModule(From, Map, [&](const GlobalValue *V) { return Kept.contains(V); });
  for (GlobalValue &V : From.global_values()) {
    auto *Left = cast_or_null<GlobalValue>(Map.lookup(&V));
    if (Left && !Kept.contains(&V) && Left->use_empty())
      Left->eraseFromParent();
  }
  return wrap(Copy.release());
}

} // extern "C"
