// See the header.

#include "places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace oxcl;

namespace {

// Adds `lanes * bytes` to a place.
void add(Place &place, Value *lanes, Extension extension, int64_t bytes) {
  const APInt *factor;
  Value *left, *right;
  auto wrapsNot = [&] {
    auto *operation = dyn_cast<OverflowingBinaryOperator>(lanes);
    return extension == Extension::None || !operation ||
           (extension == Extension::Sign ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap());
  };
  if (auto *constant = dyn_cast<Constant>(lanes))
    if (auto *splat = dyn_cast_or_null<ConstantInt>(constant->getSplatValue())) {
      place.constant += (extension == Extension::Zero ? int64_t(splat->getZExtValue()) : splat->getSExtValue()) * bytes;
      return;
    }
  if (Value *splat = getSplatValue(lanes)) {
    place.same.push_back({splat, extension, bytes});
  } else if (match(lanes, m_Add(m_Value(left), m_Value(right))) && wrapsNot()) {
    add(place, left, extension, bytes);
    add(place, right, extension, bytes);
  } else if (match(lanes, m_DisjointOr(m_Value(left), m_Value(right)))) {
    add(place, left, extension, bytes);
    add(place, right, extension, bytes);
  } else if (match(lanes, m_Shl(m_Value(left), m_APInt(factor))) && factor->ult(31) && wrapsNot()) {
    add(place, left, extension, bytes << factor->getZExtValue());
  } else if (extension == Extension::None && match(lanes, m_SExt(m_Value(left)))) {
    add(place, left, Extension::Sign, bytes);
  } else if (extension == Extension::None && match(lanes, m_ZExt(m_Value(left)))) {
    add(place, left, Extension::Zero, bytes);
  } else {
    place.own.push_back({lanes, extension, bytes});
  }
}

} // namespace

std::optional<Place> oxcl::placeOf(Value *pointers, const DataLayout &layout) {
  Place place;
  while (auto *step = dyn_cast<GEPOperator>(pointers)) {
    for (auto at = gep_type_begin(step), end = gep_type_end(step); at != end; ++at) {
      Value *index = at.getOperand();
      if (StructType *fields = at.getStructTypeOrNull()) {
        auto *field = dyn_cast<ConstantInt>(index->getType()->isVectorTy() ? getSplatValue(index) : index);
        if (!field)
          return std::nullopt;
        place.constant += layout.getStructLayout(fields)->getElementOffset(field->getZExtValue());
        continue;
      }
      TypeSize size = at.getSequentialElementStride(layout);
      if (size.isScalable())
        return std::nullopt;
      auto bytes = int64_t(size.getFixedValue());
      if (auto *constant = dyn_cast<ConstantInt>(index))
        place.constant += constant->getSExtValue() * bytes;
      else if (index->getType()->isVectorTy())
        // A GEP extends what is narrower with its sign.
        add(place, index, index->getType()->getScalarSizeInBits() < 64 ? Extension::Sign : Extension::None, bytes);
      else
        place.same.push_back({index, Extension::None, bytes});
    }
    pointers = step->getPointerOperand();
    if (!pointers->getType()->isVectorTy())
      break;
  }
  Value *one = pointers->getType()->isVectorTy() ? getSplatValue(pointers) : nullptr;
  place.base = one ? one : pointers;
  llvm::sort(place.own, [](const Summand &a, const Summand &b) {
    return std::make_tuple(static_cast<Value *>(a.number), a.bytes) < std::make_tuple(static_cast<Value *>(b.number), b.bytes);
  });
  return place;
}

const SCEV *oxcl::common(const Place &place, ScalarEvolution &evolution) {
  Type *wide = Type::getInt64Ty(evolution.getContext());
  SmallVector<const SCEV *, 4> sum{evolution.getConstant(wide, place.constant, true)};
  for (const Summand &summand : place.same) {
    const SCEV *number = evolution.getSCEV(summand.number);
    number = summand.extension == Extension::Zero ? evolution.getZeroExtendExpr(number, wide)
                                                  : evolution.getTruncateOrSignExtend(number, wide);
    sum.push_back(evolution.getMulExpr(number, evolution.getConstant(wide, summand.bytes, true)));
  }
  const SCEV *all = evolution.getAddExpr(sum);
  return place.base->getType()->isVectorTy() ? all : evolution.getAddExpr(evolution.getSCEV(place.base), all);
}

Value *oxcl::extended(IRBuilder<> &b, Value *number, Extension extension) {
  Type *wide = number->getType()->getWithNewBitWidth(64);
  return extension == Extension::Zero ? b.CreateZExt(number, wide) : b.CreateSExtOrTrunc(number, wide);
}

Value *oxcl::times(IRBuilder<> &b, Value *number, int64_t bytes) {
  return bytes == 1 ? number : b.CreateMul(number, b.getInt64(bytes));
}

Value *oxcl::shared(const Place &place, int64_t more, IRBuilder<> &b) {
  Value *sum = nullptr;
  for (const Summand &summand : place.same) {
    Value *bytes = times(b, extended(b, summand.number, summand.extension), summand.bytes);
    sum = sum ? b.CreateAdd(sum, bytes) : bytes;
  }
  Value *constant = b.getInt64(place.constant + more);
  return sum ? b.CreateAdd(sum, constant) : constant;
}
