// Makes operations of calls of estimates.

#include "estimates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

constexpr StringLiteral rsqrtEstimate = "_Z19oxcl_rsqrt_estimate";

// The operation on a register of so many bits.
Intrinsic::ID operation(bool isDouble, unsigned bits) {
  switch (bits) {
  case 128:
    return isDouble ? Intrinsic::x86_avx512_rsqrt14_pd_128 : Intrinsic::x86_avx512_rsqrt14_ps_128;
  case 256:
    return isDouble ? Intrinsic::x86_avx512_rsqrt14_pd_256 : Intrinsic::x86_avx512_rsqrt14_ps_256;
  default:
    return isDouble ? Intrinsic::x86_avx512_rsqrt14_pd_512 : Intrinsic::x86_avx512_rsqrt14_ps_512;
  }
}

// The estimates of so many elements, starting at `first`; elements of a register that none asks for are not defined.
Value *ofRegister(IRBuilder<> &builder, Value *all, unsigned first, unsigned count) {
  Type *element = all->getType()->getScalarType();
  unsigned each = element->getPrimitiveSizeInBits();
  unsigned bits = std::max(128u, std::min(512u, unsigned(PowerOf2Ceil(count * each))));
  unsigned lanes = bits / each;
  auto *type = FixedVectorType::get(element, lanes);
  Value *taken;
  if (all->getType()->isVectorTy()) {
    SmallVector<int, 16> mask(lanes, PoisonMaskElem);
    for (unsigned lane = 0; lane < count; ++lane)
      mask[lane] = int(first + lane);
    taken = builder.CreateShuffleVector(all, mask);
  } else {
    taken = builder.CreateInsertElement(PoisonValue::get(type), all, uint64_t(0));
  }
  Type *maskType = builder.getIntNTy(std::max(8u, lanes));
  return builder.CreateIntrinsic(operation(element->isDoubleTy(), bits), {},
                                 {taken, Constant::getNullValue(type), Constant::getAllOnesValue(maskType)});
}

Value *estimate(IRBuilder<> &builder, Value *value) {
  auto *vector = dyn_cast<FixedVectorType>(value->getType());
  if (!vector)
    return builder.CreateExtractElement(ofRegister(builder, value, 0, 1), uint64_t(0));
  unsigned lanes = vector->getNumElements();
  unsigned most = 512 / vector->getScalarSizeInBits();
  Value *result = PoisonValue::get(vector);
  for (unsigned first = 0; first < lanes; first += most) {
    unsigned count = std::min(most, lanes - first);
    Value *part = ofRegister(builder, value, first, count);
    if (part->getType() == vector)
      return part;
    // Spread to the places of the whole, then joined.
    SmallVector<int, 32> spread(lanes, PoisonMaskElem);
    SmallVector<int, 32> joined(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane)
      joined[lane] = int(lane);
    for (unsigned lane = 0; lane < count; ++lane) {
      spread[first + lane] = int(lane);
      joined[first + lane] = int(lanes + first + lane);
    }
    result = builder.CreateShuffleVector(result, builder.CreateShuffleVector(part, spread), joined);
  }
  return result;
}

} // namespace

void oxcl::lowerEstimates(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.isDeclaration() || !function.getName().starts_with(rsqrtEstimate))
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledOperand() != &function)
        continue;
      IRBuilder<> builder(call);
      call->replaceAllUsesWith(estimate(builder, call->getArgOperand(0)));
      call->eraseFromParent();
    }
    if (function.use_empty())
      function.eraseFromParent();
  }
}
