// Atomic operations on memory that one thread uses alone: loads and stores that are atomic by themselves do. Nothing else
// comes between the two, so no instruction that locks is needed; they stay atomic, so that no pass tears or widens them.

#include "llvm-c/Core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include <cstdint>

using namespace llvm;

namespace {

LoadInst *loadFrom(IRBuilder<> &Builder, Type *Ty, Value *Pointer, Align Alignment) {
  LoadInst *Load = Builder.CreateAlignedLoad(Ty, Pointer, Alignment);
  Load->setAtomic(AtomicOrdering::Monotonic);
  return Load;
}

void storeTo(IRBuilder<> &Builder, Value *New, Value *Pointer, Align Alignment) {
  Builder.CreateAlignedStore(New, Pointer, Alignment)->setAtomic(AtomicOrdering::Monotonic);
}

void split(AtomicRMWInst &Swap) {
  IRBuilder<> Builder(&Swap);
  Value *Pointer = Swap.getPointerOperand();
  LoadInst *Old = loadFrom(Builder, Swap.getType(), Pointer, Swap.getAlign());
  Value *New = buildAtomicRMWValue(Swap.getOperation(), Builder, Old, Swap.getValOperand());
  storeTo(Builder, New, Pointer, Swap.getAlign());
  Swap.replaceAllUsesWith(Old);
  Swap.eraseFromParent();
}

void split(AtomicCmpXchgInst &Swap) {
  IRBuilder<> Builder(&Swap);
  Value *Pointer = Swap.getPointerOperand();
  Value *Wanted = Swap.getCompareOperand();
  LoadInst *Old = loadFrom(Builder, Wanted->getType(), Pointer, Swap.getAlign());
  Value *Same = Builder.CreateICmpEQ(Old, Wanted);
  storeTo(Builder, Builder.CreateSelect(Same, Swap.getNewValOperand(), Old), Pointer, Swap.getAlign());
  Value *Pair = Builder.CreateInsertValue(PoisonValue::get(Swap.getType()), Old, 0);
  Swap.replaceAllUsesWith(Builder.CreateInsertValue(Pair, Same, 1));
  Swap.eraseFromParent();
}

} // namespace

extern "C" {

// Makes loads and stores of the atomic operations of a function on objects of an address space.
void oxcl_ir_split_atomics(LLVMValueRef Fn, uint32_t Space) {
  auto IsThere = [&](const Value *Pointer) {
    return getUnderlyingObject(Pointer, /*MaxLookup=*/0)->getType()->getPointerAddressSpace() == Space;
  };
  for (Instruction &I : make_early_inc_range(instructions(*unwrap<Function>(Fn)))) {
    if (auto *Swap = dyn_cast<AtomicRMWInst>(&I); Swap && IsThere(Swap->getPointerOperand()))
      split(*Swap);
    else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I); Swap && IsThere(Swap->getPointerOperand()))
      split(*Swap);
  }
}

} // extern "C"
