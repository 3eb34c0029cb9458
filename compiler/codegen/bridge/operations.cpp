// Makes operations of a processor of calls.

#include "operations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// What the mangled names of each begin with.
constexpr StringLiteral rsqrtEstimate = "_Z19oxcl_rsqrt_estimate";
constexpr StringLiteral rsqrtCoarse = "_Z17oxcl_rsqrt_coarse";
constexpr StringLiteral recipEstimate = "_Z19oxcl_recip_estimate";
constexpr StringLiteral recipCoarse = "_Z17oxcl_recip_coarse";
constexpr StringLiteral scaled = "_Z10oxcl_scale";
constexpr StringLiteral unordinary = "_Z15oxcl_unordinary";

// All classes of values but those that are positive, normal and finite.
constexpr uint32_t unordinaryClasses = 0xff;
// Round as the processor is told to.
constexpr uint32_t currentRounding = 4;

// Which of three stands for registers of so many bits.
template <typename T> T ofWidth(unsigned bits, T of128, T of256, T of512) {
  return bits == 128 ? of128 : bits == 256 ? of256 : of512;
}

using Make = function_ref<Value *(IRBuilder<> &, ArrayRef<Value *>)>;

// Which of three that are for elements of half, float and double.
template <typename T> T ofElement(const Type *element, T ofHalf, T ofFloat, T ofDouble) {
  return element->isHalfTy() ? ofHalf : element->isFloatTy() ? ofFloat : ofDouble;
}

// An operation of AVX-512 on all elements of one value.
Value *unmasked(IRBuilder<> &builder, Intrinsic::ID id, Value *value) {
  auto *type = cast<FixedVectorType>(value->getType());
  Type *mask = builder.getIntNTy(std::max(8u, type->getNumElements()));
  return builder.CreateIntrinsic(id, {}, {value, Constant::getNullValue(type), Constant::getAllOnesValue(mask)});
}

// The operations on one register.
Value *estimateRegister(IRBuilder<> &builder, ArrayRef<Value *> values) {
  auto *type = cast<FixedVectorType>(values[0]->getType());
  unsigned lanes = type->getNumElements();
  unsigned bits = lanes * type->getScalarSizeInBits();
  Intrinsic::ID id = ofElement(
      type->getElementType(),
      ofWidth(bits, Intrinsic::x86_avx512fp16_mask_rsqrt_ph_128, Intrinsic::x86_avx512fp16_mask_rsqrt_ph_256,
              Intrinsic::x86_avx512fp16_mask_rsqrt_ph_512),
      ofWidth(bits, Intrinsic::x86_avx512_rsqrt14_ps_128, Intrinsic::x86_avx512_rsqrt14_ps_256,
              Intrinsic::x86_avx512_rsqrt14_ps_512),
      ofWidth(bits, Intrinsic::x86_avx512_rsqrt14_pd_128, Intrinsic::x86_avx512_rsqrt14_pd_256,
              Intrinsic::x86_avx512_rsqrt14_pd_512));
  return unmasked(builder, id, values[0]);
}

// Of floats only.
Value *estimateReciprocal(IRBuilder<> &builder, ArrayRef<Value *> values) {
  unsigned bits = cast<FixedVectorType>(values[0]->getType())->getNumElements() * 32;
  return unmasked(builder, ofWidth(bits, Intrinsic::x86_avx512_rcp14_ps_128, Intrinsic::x86_avx512_rcp14_ps_256,
                                   Intrinsic::x86_avx512_rcp14_ps_512), values[0]);
}

// Of floats only, in registers of 256 bits at most.
template <Intrinsic::ID of128, Intrinsic::ID of256>
Value *estimateCoarsely(IRBuilder<> &builder, ArrayRef<Value *> values) {
  bool isWide = cast<FixedVectorType>(values[0]->getType())->getNumElements() > 4;
  return builder.CreateIntrinsic(isWide ? of256 : of128, {}, {values[0]});
}

Value *scaleRegister(IRBuilder<> &builder, ArrayRef<Value *> values) {
  auto *type = cast<FixedVectorType>(values[0]->getType());
  unsigned lanes = type->getNumElements();
  unsigned bits = lanes * type->getScalarSizeInBits();
  Intrinsic::ID id =
      type->getElementType()->isDoubleTy()
          ? ofWidth(bits, Intrinsic::x86_avx512_mask_scalef_pd_128, Intrinsic::x86_avx512_mask_scalef_pd_256,
                    Intrinsic::x86_avx512_mask_scalef_pd_512)
          : ofWidth(bits, Intrinsic::x86_avx512_mask_scalef_ps_128, Intrinsic::x86_avx512_mask_scalef_ps_256,
                    Intrinsic::x86_avx512_mask_scalef_ps_512);
  SmallVector<Value *, 5> arguments(values);
  arguments.push_back(Constant::getNullValue(type));
  arguments.push_back(Constant::getAllOnesValue(builder.getIntNTy(std::max(8u, lanes))));
  if (bits == 512)
    arguments.push_back(builder.getInt32(currentRounding));
  return builder.CreateIntrinsic(id, {}, arguments);
}

// Integers of as many bits as the elements: 0 or -1.
Value *classifyRegister(IRBuilder<> &builder, ArrayRef<Value *> values) {
  auto *type = cast<FixedVectorType>(values[0]->getType());
  unsigned bits = type->getNumElements() * type->getScalarSizeInBits();
  Intrinsic::ID id = ofElement(
      type->getElementType(),
      ofWidth(bits, Intrinsic::x86_avx512fp16_fpclass_ph_128, Intrinsic::x86_avx512fp16_fpclass_ph_256,
              Intrinsic::x86_avx512fp16_fpclass_ph_512),
      ofWidth(bits, Intrinsic::x86_avx512_fpclass_ps_128, Intrinsic::x86_avx512_fpclass_ps_256,
              Intrinsic::x86_avx512_fpclass_ps_512),
      ofWidth(bits, Intrinsic::x86_avx512_fpclass_pd_128, Intrinsic::x86_avx512_fpclass_pd_256,
              Intrinsic::x86_avx512_fpclass_pd_512));
  Value *truths = builder.CreateIntrinsic(id, {}, {values[0], builder.getInt32(unordinaryClasses)});
  return builder.CreateSExt(truths, VectorType::getInteger(type));
}

// The same for one value, of which a comparison of its bits is shorter.
Value *classifyOne(IRBuilder<> &builder, Value *value, Type *resultType) {
  const fltSemantics &semantics = value->getType()->getFltSemantics();
  APInt smallest = APFloat::getSmallestNormalized(semantics).bitcastToAPInt();
  APInt infinite = APFloat::getInf(semantics).bitcastToAPInt();
  Value *above = builder.CreateSub(builder.CreateBitCast(value, resultType), builder.getInt(smallest));
  return builder.CreateSExt(builder.CreateICmpUGE(above, builder.getInt(infinite - smallest)), resultType);
}

// `make` of so many elements of each value, starting at `first`; elements of a register that none asks for are not defined.
Value *ofRegister(IRBuilder<> &builder, ArrayRef<Value *> all, unsigned first, unsigned count, unsigned mostBits, Make make) {
  Type *element = all[0]->getType()->getScalarType();
  unsigned each = element->getPrimitiveSizeInBits();
  unsigned bits = std::max(128u, std::min(mostBits, unsigned(PowerOf2Ceil(count * each))));
  unsigned lanes = bits / each;
  auto *type = FixedVectorType::get(element, lanes);
  SmallVector<Value *, 2> taken;
  for (Value *value : all) {
    if (value->getType()->isVectorTy()) {
      SmallVector<int, 16> mask(lanes, PoisonMaskElem);
      for (unsigned lane = 0; lane < count; ++lane)
        mask[lane] = int(first + lane);
      taken.push_back(builder.CreateShuffleVector(value, mask));
    } else {
      taken.push_back(builder.CreateInsertElement(PoisonValue::get(type), value, uint64_t(0)));
    }
  }
  return make(builder, taken);
}

// `make` of values of any length.
Value *ofAll(IRBuilder<> &builder, ArrayRef<Value *> values, Type *resultType, unsigned mostBits, Make make) {
  auto *vector = dyn_cast<FixedVectorType>(values[0]->getType());
  if (!vector && resultType->isIntegerTy())
    return classifyOne(builder, values[0], resultType);
  if (!vector)
    return builder.CreateExtractElement(ofRegister(builder, values, 0, 1, mostBits, make), uint64_t(0));
  unsigned lanes = vector->getNumElements();
  unsigned most = mostBits / vector->getScalarSizeInBits();
  Value *result = PoisonValue::get(resultType);
  for (unsigned first = 0; first < lanes; first += most) {
    unsigned count = std::min(most, lanes - first);
    Value *part = ofRegister(builder, values, first, count, mostBits, make);
    if (part->getType() == resultType)
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

// An operation, and the bits of the largest registers that have it.
struct Operation {
  Value *(*make)(IRBuilder<> &, ArrayRef<Value *>) = nullptr;
  unsigned mostBits = 512;
};

// What is made of calls of the function; nothing for most.
Operation operationOf(const Function &function) {
  StringRef name = function.getName();
  if (name.starts_with(rsqrtEstimate))
    return {estimateRegister};
  if (name.starts_with(rsqrtCoarse))
    return {estimateCoarsely<Intrinsic::x86_sse_rsqrt_ps, Intrinsic::x86_avx_rsqrt_ps_256>, 256};
  if (name.starts_with(recipEstimate))
    return {estimateReciprocal};
  if (name.starts_with(recipCoarse))
    return {estimateCoarsely<Intrinsic::x86_sse_rcp_ps, Intrinsic::x86_avx_rcp_ps_256>, 256};
  if (name.starts_with(scaled))
    return {scaleRegister};
  if (name.starts_with(unordinary))
    return {classifyRegister};
  return {};
}

} // namespace

// Puts the operation in the place of its call.
static void lowerCall(CallInst &call, Operation operation) {
  IRBuilder<> builder(&call);
  SmallVector<Value *, 2> values(call.args());
  call.replaceAllUsesWith(ofAll(builder, values, call.getType(), operation.mostBits, operation.make));
  call.eraseFromParent();
}

void oxcl::lowerOperations(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    Operation operation = function.isDeclaration() ? operationOf(function) : Operation();
    if (!operation.make)
      continue;
    for (User *user : make_early_inc_range(function.users()))
      if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == &function)
        lowerCall(*call, operation);
    if (function.use_empty())
      function.eraseFromParent();
  }
}

PreservedAnalyses oxcl::LowerWideOperations::run(Function &function, FunctionAnalysisManager &) {
  bool any = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    bool isWide = callee && callee->isDeclaration() && call->getType()->isVectorTy();
    Operation operation = isWide ? operationOf(*callee) : Operation();
    if (!operation.make)
      continue;
    lowerCall(*call, operation);
    any = true;
  }
  if (!any)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

void oxcl::storeHalvesAtOnce(Module &module) {
  SmallVector<StoreInst *, 16> stores;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isSimple())
          stores.push_back(store);
  for (StoreInst *store : stores) {
    auto *narrowed = dyn_cast<FPTruncInst>(store->getValueOperand());
    auto *type = narrowed ? dyn_cast<FixedVectorType>(narrowed->getType()) : nullptr;
    if (!type || !narrowed->hasOneUse() || !type->getElementType()->isHalfTy() ||
        !narrowed->getSrcTy()->getScalarType()->isFloatTy())
      continue;
    unsigned lanes = type->getNumElements();
    if (lanes != 8 && lanes != 16)
      continue;
    IRBuilder<> builder(store);
    Value *wide = narrowed->getOperand(0);
    Type *halves = FixedVectorType::get(builder.getInt16Ty(), lanes);
    SmallVector<Value *, 4> arguments{wide, builder.getInt32(currentRounding)};
    if (lanes == 16)
      arguments.append({Constant::getNullValue(halves), Constant::getAllOnesValue(builder.getInt16Ty())});
    Intrinsic::ID id =
        lanes == 16 ? Intrinsic::x86_avx512_mask_vcvtps2ph_512 : Intrinsic::x86_vcvtps2ph_256;
    store->setOperand(0, builder.CreateIntrinsic(id, {}, arguments));
    narrowed->eraseFromParent();
  }
}
