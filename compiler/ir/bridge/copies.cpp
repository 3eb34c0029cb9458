// See the header.

#include "copies.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

// So many elements are copied without a loop.
constexpr uint64_t MostInARow = 16;

// What is done with a variable on the stack.
struct Uses {
  // The bytes of what is read and written at a time; 0: nothing is.
  uint64_t Element = 0;
  SmallVector<MemIntrinsic *, 4> Copies;
};

bool joins(Uses &Found, Type *Accessed, const DataLayout &Layout) {
  if (!Accessed->isSingleValueType())
    return false;
  uint64_t Bits = Layout.getTypeSizeInBits(Accessed->getScalarType()).getFixedValue();
  if (Bits != 8 && Bits != 16 && Bits != 32 && Bits != 64)
    return false;
  if (Found.Element == 0)
    Found.Element = Bits / 8;
  return Found.Element == Bits / 8;
}

// All uses of a variable; none where one is not known, or where parts of different sizes are accessed.
std::optional<Uses> usesOf(AllocaInst &Variable) {
  const DataLayout &Layout = Variable.getDataLayout();
  Uses Found;
  SmallSetVector<Value *, 16> Addresses;
  Addresses.insert(&Variable);
  for (unsigned Next = 0; Next < Addresses.size(); ++Next)
    for (User *By : Addresses[Next]->users()) {
      auto *I = cast<Instruction>(By);
      if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst, AddrSpaceCastInst>(I)) {
        Addresses.insert(I);
      } else if (auto *Load = dyn_cast<LoadInst>(I)) {
        if (!joins(Found, Load->getType(), Layout))
          return std::nullopt;
      } else if (auto *Store = dyn_cast<StoreInst>(I)) {
        if (Addresses.contains(Store->getValueOperand()) || !joins(Found, Store->getValueOperand()->getType(), Layout))
          return std::nullopt;
      } else if (auto *Copy = dyn_cast<MemIntrinsic>(I)) {
        if (!is_contained(Found.Copies, Copy))
          Found.Copies.push_back(Copy);
      } else if (!I->isLifetimeStartOrEnd()) {
        return std::nullopt;
      }
    }
  return Found;
}

// How many elements are copied; 0: not by elements.
uint64_t countOf(const MemIntrinsic &Copy, uint64_t Element) {
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  if (!Length || Copy.isVolatile() || Length->getZExtValue() % Element != 0)
    return 0;
  uint64_t Count = Length->getZExtValue() / Element;
  // What overlaps is read before any of it is written.
  return isa<MemMoveInst>(Copy) && Count > MostInARow ? 0 : Count;
}

// The number whose bytes are all the one that a fill writes.
Value *filling(IRBuilder<> &B, const MemSetInst &Fill, IntegerType *Type) {
  APInt Ones = APInt::getSplat(Type->getBitWidth(), APInt(8, 1));
  return B.CreateMul(B.CreateZExt(Fill.getValue(), Type), ConstantInt::get(Type, Ones));
}

void expand(MemIntrinsic &Copy, uint64_t Element, uint64_t Count) {
  IRBuilder<> B(&Copy);
  auto *Type = B.getIntNTy(Element * 8);
  auto *Transfer = dyn_cast<MemTransferInst>(&Copy);
  auto at = [&](IRBuilder<> &Here, Value *Base, Value *Index) { return Here.CreateInBoundsGEP(Type, Base, Index); };
  auto aligned = [&](MaybeAlign Whole, uint64_t Offset) { return commonAlignment(Whole.valueOrOne(), Offset); };
  Value *Number = Transfer ? nullptr : filling(B, cast<MemSetInst>(Copy), Type);
  if (Count <= MostInARow) {
    SmallVector<Value *, MostInARow> Values;
    for (uint64_t I = 0; I < Count; ++I)
      Values.push_back(Transfer ? B.CreateAlignedLoad(Type, at(B, Transfer->getRawSource(), B.getInt64(I)),
                                                      aligned(Transfer->getSourceAlign(), I * Element))
                                : Number);
    for (uint64_t I = 0; I < Count; ++I)
      B.CreateAlignedStore(Values[I], at(B, Copy.getRawDest(), B.getInt64(I)), aligned(Copy.getDestAlign(), I * Element));
  } else {
    auto [Place, Index] = SplitBlockAndInsertSimpleForLoop(B.getInt64(Count), Copy.getIterator());
    IRBuilder<> Inside(Place);
    Inside.SetCurrentDebugLocation(Copy.getDebugLoc());
    Value *Moved = Transfer ? Inside.CreateAlignedLoad(Type, at(Inside, Transfer->getRawSource(), Index),
                                                       aligned(Transfer->getSourceAlign(), Element))
                            : Number;
    Inside.CreateAlignedStore(Moved, at(Inside, Copy.getRawDest(), Index), aligned(Copy.getDestAlign(), Element));
  }
  Copy.eraseFromParent();
}

} // namespace

PreservedAnalyses oxcl::CopiesByElement::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<AllocaInst *, 8> Variables;
  for (Instruction &I : instructions(F))
    if (auto *Variable = dyn_cast<AllocaInst>(&I))
      Variables.push_back(Variable);
  bool Changed = false;
  for (AllocaInst *Variable : Variables) {
    std::optional<Uses> Found = usesOf(*Variable);
    if (!Found || Found->Element == 0)
      continue;
    for (MemIntrinsic *Copy : Found->Copies)
      if (uint64_t Count = countOf(*Copy, Found->Element)) {
        expand(*Copy, Found->Element, Count);
        Changed = true;
      }
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
