// Makes masked accesses of the first lanes plain ones.

#include "first_lanes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

// How many lanes the mask has, if these are the first of it, a power of two and not all; 0 otherwise.
static unsigned firstLanes(Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return 0;
  unsigned lanes = type->getNumElements(), count = 0;
  for (unsigned lane = 0; lane < lanes; lane++) {
    auto *bit = dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane));
    if (!bit || (bit->isOne() && count != lane))
      return 0;
    count += bit->isOne();
  }
  return count < lanes && isPowerOf2_32(count) ? count : 0;
}

static void replaceLoad(IntrinsicInst &load, unsigned count) {
  IRBuilder<> builder(&load);
  auto *type = cast<FixedVectorType>(load.getType());
  Value *others = load.getArgOperand(2);
  auto *narrow = builder.CreateAlignedLoad(FixedVectorType::get(type->getElementType(), count), load.getArgOperand(0),
                                           load.getParamAlign(0).valueOrOne());
  narrow->setAAMetadata(load.getAAMetadata());
  // Lanes 0 to count - 1 of what was loaded, then those of the other operand.
  unsigned lanes = type->getNumElements();
  SmallVector<int, 32> stretch(lanes, PoisonMaskElem), choice;
  for (unsigned lane : seq(count))
    stretch[lane] = lane;
  Value *wide = builder.CreateShuffleVector(narrow, stretch);
  if (!isa<PoisonValue>(others)) {
    for (unsigned lane : seq(lanes))
      choice.push_back(lane < count ? lane : lanes + lane);
    wide = builder.CreateShuffleVector(wide, others, choice);
  }
  load.replaceAllUsesWith(wide);
}

static void replaceStore(IntrinsicInst &store, unsigned count) {
  IRBuilder<> builder(&store);
  SmallVector<int, 32> first;
  for (unsigned lane : seq(count))
    first.push_back(lane);
  Value *narrow = builder.CreateShuffleVector(store.getArgOperand(0), first);
  builder.CreateAlignedStore(narrow, store.getArgOperand(1), store.getParamAlign(1).valueOrOne())
      ->setAAMetadata(store.getAAMetadata());
}

PreservedAnalyses oxcl::AccessFirstLanes::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    bool isLoad = call && call->getIntrinsicID() == Intrinsic::masked_load;
    if (!isLoad && !(call && call->getIntrinsicID() == Intrinsic::masked_store))
      continue;
    unsigned count = firstLanes(call->getArgOperand(isLoad ? 1 : 2));
    Type *accessed = isLoad ? call->getType() : call->getArgOperand(0)->getType();
    // Elements that are no whole bytes lie otherwise in vectors of other lengths.
    if (!count || !function.getDataLayout().typeSizeEqualsStoreSize(accessed->getScalarType()))
      continue;
    isLoad ? replaceLoad(*call, count) : replaceStore(*call, count);
    call->eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
