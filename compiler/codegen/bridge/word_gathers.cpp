// See the header.

#include "word_gathers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace {

// Fewer lanes are loaded one by one as fast.
constexpr unsigned fewestLanes = 8;
constexpr int64_t word = 4;
// What is smaller than these bits, times an element of so many bytes, is an offset of 32 bits with a sign.
constexpr unsigned smallBits = 24;
constexpr uint64_t largestElement = 64;

bool isNarrow(const IntrinsicInst &gather) {
  auto *type = dyn_cast<FixedVectorType>(gather.getType());
  if (!type || type->getNumElements() < fewestLanes || gather.getIntrinsicID() != Intrinsic::masked_gather)
    return false;
  unsigned bits = type->getScalarSizeInBits();
  return bits == 8 || (bits == 16 && gather.getParamAlign(0).valueOrOne() >= 2);
}

// The aligned words that addresses are in, and how many bytes behind these they lie.
std::pair<Value *, Value *> wordsOf(Value *addresses, unsigned lanes, const DataLayout &layout, IRBuilder<> &b) {
  auto aligned = [&](Value *pointer) {
    Type *number = pointer->getType()->getWithNewType(b.getInt64Ty());
    return b.CreateIntrinsic(Intrinsic::ptrmask, {pointer->getType(), number}, {pointer, ConstantInt::getSigned(number, -word)});
  };
  auto behind = [&](Value *number) { return b.CreateAnd(number, ConstantInt::getSigned(number->getType(), word - 1)); };
  auto *step = dyn_cast<GetElementPtrInst>(addresses);
  bool isIndexed = step && step->getNumIndices() == 1 && !step->getPointerOperand()->getType()->isVectorTy() &&
                   step->getOperand(1)->getType()->isVectorTy() && step->getOperand(1)->getType()->getScalarSizeInBits() <= 64;
  if (!isIndexed)
    return {aligned(addresses), behind(b.CreatePtrToInt(addresses, FixedVectorType::get(b.getInt64Ty(), lanes)))};
  // One base, aligned, and an index for each lane, as a gather takes it; in 32 bits where it is small, in which registers hold twice as many.
  Value *base = step->getPointerOperand(), *index = step->getOperand(1);
  uint64_t size = layout.getTypeAllocSize(step->getSourceElementType());
  KnownBits known = computeKnownBits(index, layout);
  bool isSmall = size <= largestElement && known.isNonNegative() && known.countMaxActiveBits() <= smallBits;
  auto *narrower = FixedVectorType::get(b.getIntNTy(isSmall ? 32 : 64), lanes);
  index = isSmall ? b.CreateZExtOrTrunc(index, narrower) : b.CreateSExt(index, narrower);
  index = b.CreateMul(index, ConstantInt::get(narrower, size));
  Value *begin = behind(b.CreatePtrToInt(base, b.getInt64Ty()));
  index = b.CreateAdd(index, b.CreateVectorSplat(lanes, b.CreateTrunc(begin, narrower->getElementType())));
  Value *whole = b.CreateAnd(index, ConstantInt::getSigned(narrower, -word));
  return {b.CreateGEP(b.getInt8Ty(), aligned(base), whole), behind(index)};
}

void widen(IntrinsicInst &gather) {
  IRBuilder<> b(&gather);
  auto *type = cast<FixedVectorType>(gather.getType());
  unsigned lanes = type->getNumElements();
  auto *words = FixedVectorType::get(b.getInt32Ty(), lanes);
  auto [places, bytes] = wordsOf(gather.getArgOperand(0), lanes, gather.getDataLayout(), b);
  Value *mask = gather.getArgOperand(1);
  Value *whole = b.CreateMaskedGather(words, places, Align(word), mask, PoisonValue::get(words));
  Value *bits = b.CreateShl(b.CreateZExtOrTrunc(bytes, words), ConstantInt::get(words, 3));
  Value *narrow = b.CreateTrunc(b.CreateLShr(whole, bits), FixedVectorType::get(b.getIntNTy(type->getScalarSizeInBits()), lanes));
  Value *made = b.CreateBitCast(narrow, type);
  Value *otherwise = gather.getArgOperand(2);
  if (!isa<UndefValue>(otherwise))
    made = b.CreateSelect(mask, made, otherwise);
  made->takeName(&gather);
  gather.replaceAllUsesWith(made);
  gather.eraseFromParent();
}

} // namespace

PreservedAnalyses oxcl::GatherWords::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *gather = dyn_cast<IntrinsicInst>(&instruction); gather && isNarrow(*gather)) {
      widen(*gather);
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
