// What LLVM asserts in a build with assertions, asked beforehand: whether values and types fit where they are to be put. A
// build without assertions, which ours is, would take a wrong one for what it should be.
//
// On entry: live values, types and blocks, of any kind. Nothing is changed. Every function answers for any input.

#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <optional>

using namespace llvm;

namespace {

using Values = SmallPtrSet<const Value *, 8>;

bool isOf(const Value *V, const Module &M, SmallPtrSetImpl<const Value *> &Seen);

// A constant whose parts may name functions and variables: all of them must be the module's.
bool partsAreOf(const Constant *C, const Module &M, SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(C).second)
    return true;
  for (const Use &Part : C->operands())
    if (Part.get() && !isOf(Part.get(), M, Seen))
      return false;
  return true;
}

bool isOf(const Value *V, const Module &M, SmallPtrSetImpl<const Value *> &Seen) {
  if (auto *Global = dyn_cast<GlobalValue>(V))
    return Global->getParent() == &M;
  if (auto *Block = dyn_cast<BasicBlock>(V)) // of a block's address
    return Block->getModule() == &M;
  if (&V->getContext() != &M.getContext())
    return false;
  auto *C = dyn_cast<Constant>(V);
  return !C || isa<ConstantData>(C) || partsAreOf(C, M, Seen);
}

bool isOf(const Value *V, const Module &M) {
  Values Seen;
  return isOf(V, M, Seen);
}

bool isOf(const Value *V, const Function &F) {
  if (auto *I = dyn_cast<Instruction>(V))
    return I->getParent() && I->getFunction() == &F;
  if (auto *A = dyn_cast<Argument>(V))
    return A->getParent() == &F;
  if (auto *B = dyn_cast<BasicBlock>(V))
    return B->getParent() == &F;
  return F.getParent() && isOf(V, *F.getParent());
}

std::optional<Instruction::CastOps> castOf(LLVMOpcode Opcode) {
  switch (Opcode) {
  case LLVMTrunc: return Instruction::Trunc;
  case LLVMZExt: return Instruction::ZExt;
  case LLVMSExt: return Instruction::SExt;
  case LLVMFPToUI: return Instruction::FPToUI;
  case LLVMFPToSI: return Instruction::FPToSI;
  case LLVMUIToFP: return Instruction::UIToFP;
  case LLVMSIToFP: return Instruction::SIToFP;
  case LLVMFPTrunc: return Instruction::FPTrunc;
  case LLVMFPExt: return Instruction::FPExt;
  case LLVMPtrToInt: return Instruction::PtrToInt;
  case LLVMPtrToAddr: return Instruction::PtrToAddr;
  case LLVMIntToPtr: return Instruction::IntToPtr;
  case LLVMBitCast: return Instruction::BitCast;
  case LLVMAddrSpaceCast: return Instruction::AddrSpaceCast;
  default: return std::nullopt;
  }
}

// What a type is good for: values of it, memory that holds it, vectors of it, arrays and structures of it, functions that return it;
// a function type. The numbers are known to src/types.rs.
enum TypeUse : uint32_t { NoUse = 0, OfValues = 1, InMemory = 2, InVectors = 4, InAggregates = 8, Returned = 16, OfFunctions = 32 };

// A type that values of a function can have.
bool isOfValues(Type *T) { return T->isFirstClassType() && !T->isLabelTy() && !T->isMetadataTy() && !T->isTokenTy(); }

bool canIndex(Type *Element, ArrayRef<Value *> Indices) {
  for (Value *Index : Indices)
    if (!Index->getType()->isIntOrIntVectorTy())
      return false;
  return Element->isSized() && GetElementPtrInst::getIndexedType(Element, Indices);
}

// Whether an instruction bears another value of the same type as operand `Index`.
bool bears(const Instruction &I, unsigned Index, Value *V) {
  auto *G = dyn_cast<GetElementPtrInst>(&I);
  if (!G || Index == 0)
    return true;
  SmallVector<Value *> Indices(G->idx_begin(), G->idx_end());
  Indices[Index - 1] = V;
  return canIndex(G->getSourceElementType(), Indices);
}

// Whether the types that an intrinsic is wanted for have what one part of its signature is made of.
bool suits(const Intrinsic::IITDescriptor &Part, ArrayRef<Type *> For) {
  using D = Intrinsic::IITDescriptor;
  auto Is = [&](unsigned At, function_ref<bool(const Type *)> Wanted) { return At < For.size() && Wanted(For[At]); };
  auto IsAny = [](const Type *) { return true; };
  auto IsInteger = [](const Type *T) { return T->isIntOrIntVectorTy(); };
  auto IsVector = [](const Type *T) { return T->isVectorTy(); };
  switch (Part.Kind) {
  case D::Argument:
    switch (Part.getArgumentKind()) {
    case D::AK_AnyInteger: return Is(Part.getArgumentNumber(), IsInteger);
    case D::AK_AnyFloat: return Is(Part.getArgumentNumber(), [](const Type *T) { return T->isFPOrFPVectorTy(); });
    case D::AK_AnyVector: return Is(Part.getArgumentNumber(), IsVector);
    case D::AK_AnyPointer: return Is(Part.getArgumentNumber(), [](const Type *T) { return T->isPtrOrPtrVectorTy(); });
    default: return Is(Part.getArgumentNumber(), IsAny);
    }
  case D::ExtendArgument:
  case D::TruncArgument: return Is(Part.getArgumentNumber(), IsInteger);
  case D::SameVecWidthArgument: return Is(Part.getArgumentNumber(), IsAny);
  case D::VecElementArgument:
  case D::Subdivide2Argument:
  case D::Subdivide4Argument:
  case D::VecOfBitcastsToInt: return Is(Part.getArgumentNumber(), IsVector);
  case D::OneNthEltsVecArgument: return Is(Part.getRefArgNumber(), IsVector);
  case D::VecOfAnyPtrsToElt: return Is(Part.getRefArgNumber(), IsVector) && Is(Part.getOverloadArgNumber(), IsVector);
  default: return true;
  }
}

} // namespace

extern "C" {

// Whether all values can be used by an instruction in a block that is in a function of a module.
bool oxcl_ir_are_usable(LLVMBasicBlockRef Block, LLVMValueRef *Values, size_t Count) {
  const Function *F = unwrap(Block)->getParent();
  for (size_t At = 0; At < Count; ++At)
    if (!F || !isOf(unwrap(Values[At]), *F))
      return false;
  return true;
}

// Whether a value can be part of an initial value in the module.
bool oxcl_ir_is_constant_of(LLVMModuleRef M, LLVMValueRef V) {
  return isa<Constant>(unwrap(V)) && isOf(unwrap(V), *unwrap(M));
}

// Whether uses of `From` can use `To`.
bool oxcl_ir_can_replace(LLVMValueRef From, LLVMValueRef To) {
  Value *Old = unwrap(From), *New = unwrap(To);
  if (Old->getType() != New->getType() || Old == New)
    return false;
  if (auto *I = dyn_cast<Instruction>(Old))
    return I->getParent() && I->getFunction() && isOf(New, *I->getFunction());
  if (auto *A = dyn_cast<Argument>(Old))
    return A->getParent() && isOf(New, *A->getParent());
  if (auto *B = dyn_cast<BasicBlock>(Old))
    return B->getParent() && isOf(New, *B->getParent());
  auto *G = dyn_cast<GlobalValue>(Old);
  return G && G->getParent() && isa<Constant>(New) && isOf(New, *G->getParent());
}

// Operand `Index`, or null.
LLVMValueRef oxcl_ir_operand(LLVMValueRef V, uint32_t Index) {
  auto *U = dyn_cast<User>(unwrap(V));
  return U && Index < U->getNumOperands() ? wrap(U->getOperand(Index)) : nullptr;
}

uint32_t oxcl_ir_operand_count(LLVMValueRef V) {
  auto *U = dyn_cast<User>(unwrap(V));
  return U ? U->getNumOperands() : 0;
}

// Sets operand `Index` of an instruction, if it bears the value.
bool oxcl_ir_set_operand(LLVMValueRef User, uint32_t Index, LLVMValueRef V) {
  auto *I = dyn_cast<Instruction>(unwrap(User));
  if (!I || Index >= I->getNumOperands() || !I->getParent() || !I->getFunction())
    return false;
  if (I->getOperand(Index)->getType() != unwrap(V)->getType() || !isOf(unwrap(V), *I->getFunction()) ||
      !bears(*I, Index, unwrap(V)))
    return false;
  I->setOperand(Index, unwrap(V));
  return true;
}

bool oxcl_ir_is_valid_binary(LLVMValueRef Left, LLVMValueRef Right, bool Floats) {
  Type *T = unwrap(Left)->getType();
  return T == unwrap(Right)->getType() && (Floats ? T->isFPOrFPVectorTy() : T->isIntOrIntVectorTy());
}

bool oxcl_ir_is_valid_comparison(LLVMValueRef Left, LLVMValueRef Right, bool Floats) {
  Type *T = unwrap(Left)->getType();
  bool Comparable = Floats ? T->isFPOrFPVectorTy() : T->isIntOrIntVectorTy() || T->isPtrOrPtrVectorTy();
  return T == unwrap(Right)->getType() && Comparable;
}

// A conversion to the type that the value has is none: the builder returns the value.
bool oxcl_ir_is_valid_cast(LLVMOpcode Opcode, LLVMValueRef V, LLVMTypeRef T) {
  std::optional<Instruction::CastOps> Cast = castOf(Opcode);
  return Cast && &unwrap(V)->getContext() == &unwrap(T)->getContext() &&
         (unwrap(V)->getType() == unwrap(T) || CastInst::castIsValid(*Cast, unwrap(V)->getType(), unwrap(T)));
}

bool oxcl_ir_is_valid_select(LLVMValueRef Condition, LLVMValueRef Yes, LLVMValueRef No) {
  return !SelectInst::areInvalidOperands(unwrap(Condition), unwrap(Yes), unwrap(No));
}

bool oxcl_ir_is_valid_gep(LLVMTypeRef Element, LLVMValueRef Pointer, LLVMValueRef *Indices, size_t Count) {
  return unwrap(Pointer)->getType()->isPtrOrPtrVectorTy() &&
         canIndex(unwrap(Element), ArrayRef<Value *>(unwrap(Indices), Count));
}

bool oxcl_ir_is_valid_shuffle(LLVMValueRef First, LLVMValueRef Second, LLVMValueRef Mask) {
  return ShuffleVectorInst::isValidOperands(unwrap(First), unwrap(Second), unwrap(Mask));
}

bool oxcl_ir_is_valid_extract(LLVMValueRef Vector, LLVMValueRef Lane) {
  return ExtractElementInst::isValidOperands(unwrap(Vector), unwrap(Lane));
}

bool oxcl_ir_is_valid_insert(LLVMValueRef Vector, LLVMValueRef V, LLVMValueRef Lane) {
  return InsertElementInst::isValidOperands(unwrap(Vector), unwrap(V), unwrap(Lane));
}

// The type of a field of an aggregate, or null.
LLVMTypeRef oxcl_ir_field_type(LLVMValueRef Aggregate, uint32_t Index) {
  Type *T = unwrap(Aggregate)->getType();
  return T->isAggregateType() ? wrap(ExtractValueInst::getIndexedType(T, Index)) : nullptr;
}

// Whether a call of a function type may have these arguments.
bool oxcl_ir_is_valid_call(LLVMTypeRef Callee, LLVMValueRef *Arguments, size_t Count) {
  auto *F = dyn_cast<FunctionType>(unwrap(Callee));
  if (!F || (F->isVarArg() ? Count < F->getNumParams() : Count != F->getNumParams()))
    return false;
  for (unsigned At = 0; At < F->getNumParams(); ++At)
    if (unwrap(Arguments[At])->getType() != F->getParamType(At))
      return false;
  return true;
}

// What a type is good for; all that hold.
uint32_t oxcl_ir_type_uses(LLVMTypeRef Ty) {
  Type *T = unwrap(Ty);
  auto If = [](bool Holds, TypeUse Use) { return Holds ? uint32_t(Use) : NoUse; };
  return If(isOfValues(T), OfValues) | If(T->isSized(), InMemory) | If(VectorType::isValidElementType(T), InVectors) |
         If(ArrayType::isValidElementType(T) && StructType::isValidElementType(T), InAggregates) |
         If(FunctionType::isValidReturnType(T), Returned) | If(T->isFunctionTy(), OfFunctions);
}

// The number of an attribute that holds nothing or an integer, and so no type; 0 where there is none of that name.
uint32_t oxcl_ir_attribute(const char *Name, size_t Length) {
  Attribute::AttrKind Kind = Attribute::getAttrKindFromName(StringRef(Name, Length));
  return Attribute::isEnumAttrKind(Kind) || Attribute::isIntAttrKind(Kind) ? Kind : 0;
}

// Declares an intrinsic for types; null where it is not made for these.
LLVMValueRef oxcl_ir_intrinsic(LLVMModuleRef M, const char *Name, size_t Length, LLVMTypeRef *Types, size_t Count) {
  StringRef Wanted(Name, Length);
  Intrinsic::ID Id = Wanted.starts_with("llvm.") ? Intrinsic::lookupIntrinsicID(Wanted) : Intrinsic::not_intrinsic;
  if (Id == Intrinsic::not_intrinsic)
    return nullptr;
  ArrayRef<Type *> For(unwrap(Types), Count);
  for (Type *T : For)
    if (&T->getContext() != &unwrap(M)->getContext() || !isOfValues(T))
      return nullptr;
  SmallVector<Intrinsic::IITDescriptor> Table;
  Intrinsic::getIntrinsicInfoTableEntries(Id, Table);
  if (!all_of(Table, [&](const Intrinsic::IITDescriptor &Part) { return suits(Part, For); }))
    return nullptr;
  return wrap(Intrinsic::getOrInsertDeclaration(unwrap(M), Id, For));
}

// Deletes a function that nothing outside of it uses; false where something does, and then nothing is changed.
bool oxcl_ir_delete_function(LLVMValueRef Fn) {
  auto *F = unwrap<Function>(Fn);
  F->removeDeadConstantUsers();
  auto IsUsedElsewhere = [&](const Value &V) {
    return any_of(V.users(), [&](const User *U) {
      auto *I = dyn_cast<Instruction>(U);
      return !I || !I->getParent() || I->getFunction() != F;
    });
  };
  if (any_of(F->users(), [&](const User *U) {
        auto *I = dyn_cast<Instruction>(U);
        return !I || I->getFunction() != F;
      }))
    return false;
  for (const Argument &A : F->args())
    if (IsUsedElsewhere(A))
      return false;
  for (const BasicBlock &B : *F) {
    if (any_of(B.users(), [&](const User *U) { return isa<Instruction>(U) && cast<Instruction>(U)->getFunction() != F; }))
      return false;
    for (const Instruction &I : B)
      if (IsUsedElsewhere(I))
        return false;
  }
  F->eraseFromParent();
  return true;
}

// Deletes a global variable that nothing uses; false where something does.
bool oxcl_ir_delete_global(LLVMValueRef Global) {
  auto *G = unwrap<GlobalVariable>(Global);
  G->removeDeadConstantUsers();
  if (!G->use_empty())
    return false;
  G->eraseFromParent();
  return true;
}

// The alignment of what has one, in bytes; 0 otherwise.
uint32_t oxcl_ir_alignment(LLVMValueRef V) {
  Value *P = unwrap(V);
  if (isa<GlobalVariable, Function, AllocaInst, LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(P))
    return LLVMGetAlignment(V);
  return 0;
}

// Sets it; false for what has none.
bool oxcl_ir_set_alignment(LLVMValueRef V, uint32_t Bytes) {
  if (!isa<GlobalVariable, AllocaInst, LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(unwrap(V)))
    return false;
  LLVMSetAlignment(V, Bytes);
  return true;
}

// Whether every block has one terminator, at its end, and PHI nodes only at its beginning; and there is a block.
bool oxcl_ir_has_whole_blocks(LLVMValueRef Fn) {
  auto *F = unwrap<Function>(Fn);
  for (const BasicBlock &B : *F) {
    if (B.empty() || !B.back().isTerminator())
      return false;
  }
  return !F->empty();
}

// Sets triple and layout; false where the layout cannot be read.
bool oxcl_ir_set_target(LLVMModuleRef M, const char *TripleText, const char *LayoutText) {
  Expected<DataLayout> Layout = DataLayout::parse(LayoutText);
  if (!Layout) {
    consumeError(Layout.takeError());
    return false;
  }
  unwrap(M)->setTargetTriple(Triple(TripleText));
  unwrap(M)->setDataLayout(*Layout);
  return true;
}

} // extern "C"
