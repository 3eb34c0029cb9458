// Arithmetic on half for machines that have none.
//
// LLVM does it in float and rounds each result, which is right for all that is made here (24 bits are enough for 11), but for some
// things: it calls support libraries, which no kernel is linked to, to convert to and from half where the machine has no operation
// for it, and to round a double. So
//
// - a fused product and sum of a machine that converts is made in double, where LLVM would make it but for the rounding: the product
//   is exact there, and the sum as good as exact, as no bit of a half or of a product of two lies so far below another that a sum of 53
//   bits comes to a number between two halves that it is not.
// - a double becomes a float by rounding to odd first: of the two neighbours of a double that is no float, the one whose last bit is
//   set. Rounding that to half is rounding the double.
// - where the machine does not convert, all arithmetic is on floats, and conversions are made of integer operations; atomic
//   arithmetic becomes a loop that exchanges the bits until nobody came between.
//
// In: a module whose library functions are linked. Out: the same, in which no operation on half is left that needs a library.
// Values of half stay what they are: they are moved as 16 bits.

#include "llvm-c/Core.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

bool isHalf(const Type *Ty) { return Ty->getScalarType()->isHalfTy(); }

// The type of so many elements as `Like` has.
Type *shaped(Type *Element, Type *Like) {
  auto *Vector = dyn_cast<VectorType>(Like);
  return Vector ? VectorType::get(Element, Vector->getElementCount()) : Element;
}

class HalfLowering {
public:
  HalfLowering(Module &M, bool Converts) : M(M), Builder(M.getContext()), Converts(Converts) {}

  void run() {
    SmallVector<Instruction *, 16> Work;
    for (Function &F : M)
      for (BasicBlock &Block : F)
        for (Instruction &I : Block)
          if (needsLowering(I))
            Work.push_back(&I);
    for (Instruction *I : Work) {
      if (auto *Atomic = dyn_cast<AtomicRMWInst>(I)) {
        lowerAtomic(*Atomic);
        continue;
      }
      Builder.SetInsertPoint(I);
      Value *Replacement = lower(*I);
      Replacement->takeName(I);
      I->replaceAllUsesWith(Replacement);
      I->eraseFromParent();
    }
  }

private:
  static bool takesHalf(const Instruction &I) {
    return any_of(I.operands(), [](const Use &Operand) { return isHalf(Operand->getType()); });
  }

  static bool isFused(const Instruction &I) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    return Call && Call->getIntrinsicID() == Intrinsic::fma && isHalf(I.getType());
  }

  bool needsLowering(const Instruction &I) const {
    if (I.getOpcode() == Instruction::FPTrunc && isHalf(I.getType()) &&
        I.getOperand(0)->getType()->getScalarType()->isDoubleTy())
      return true;
    if (Converts && isFused(I))
      return true;
    if (Converts || !(isHalf(I.getType()) || takesHalf(I)))
      return false;
    if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
      return Atomic->isFloatingPointOperation();
    if (auto *Call = dyn_cast<IntrinsicInst>(&I))
      return Call->getType()->isFPOrFPVectorTy() && Call->getIntrinsicID() != Intrinsic::vector_extract &&
             Call->getIntrinsicID() != Intrinsic::vector_insert;
    return isa<BinaryOperator>(I) || isa<UnaryOperator>(I) || isa<FCmpInst>(I) ||
           (isa<CastInst>(I) && !isa<BitCastInst>(I));
  }

  Value *constant(Value *Like, uint64_t Bits) {
    return ConstantInt::get(shaped(Builder.getInt32Ty(), Like->getType()), Bits);
  }
  Value *asInt(Value *Float) { return Builder.CreateBitCast(Float, shaped(Builder.getInt32Ty(), Float->getType())); }
  Value *asFloat(Value *Int) { return Builder.CreateBitCast(Int, shaped(Builder.getFloatTy(), Int->getType())); }

  // A half as a float.
  Value *widen(Value *Half) {
    Type *Floats = shaped(Builder.getFloatTy(), Half->getType());
    if (Converts)
      return Builder.CreateFPExt(Half, Floats);
    Type *Ints = shaped(Builder.getInt32Ty(), Half->getType());
    Value *Bits = Builder.CreateZExt(Builder.CreateBitCast(Half, shaped(Builder.getInt16Ty(), Half->getType())), Ints);
    Value *Sign = Builder.CreateShl(Builder.CreateAnd(Bits, constant(Bits, 0x8000)), 16);
    Value *Magnitude = Builder.CreateAnd(Bits, constant(Bits, 0x7fff));
    Value *Moved = Builder.CreateShl(Magnitude, 13);
    // The exponents' biases differ by 112. An exponent of ones stays one; without an exponent, the value is a number of 2^-24.
    Value *Normal = Builder.CreateAdd(Moved, constant(Bits, uint64_t(112) << 23));
    Value *Special = Builder.CreateOr(Moved, constant(Bits, 0x7f800000));
    Value *Tiny = Builder.CreateFMul(Builder.CreateUIToFP(Magnitude, Floats), ConstantFP::get(Floats, 0x1p-24));
    Value *Wide = Builder.CreateSelect(Builder.CreateICmpUGE(Magnitude, constant(Bits, 0x7c00)), Special, Normal);
    Wide = Builder.CreateSelect(Builder.CreateICmpULT(Magnitude, constant(Bits, 0x0400)), asInt(Tiny), Wide);
    return asFloat(Builder.CreateOr(Wide, Sign));
  }

  // The nearest half to a float, the even one of two.
  Value *narrow(Value *Float) {
    Type *Halves = shaped(Builder.getHalfTy(), Float->getType());
    if (Converts)
      return Builder.CreateFPTrunc(Float, Halves);
    Value *Bits = asInt(Float);
    Value *Sign = Builder.CreateAnd(Builder.CreateLShr(Bits, 16), constant(Bits, 0x8000));
    Value *Magnitude = Builder.CreateAnd(Bits, constant(Bits, 0x7fffffff));
    // A carry out of the fraction counts in the exponent, as it should.
    Value *Odd = Builder.CreateAnd(Builder.CreateLShr(Magnitude, 13), constant(Bits, 1));
    Value *Rounded = Builder.CreateAdd(Builder.CreateAdd(Magnitude, constant(Bits, 0xfff)), Odd);
    Value *Normal = Builder.CreateLShr(Builder.CreateSub(Rounded, constant(Bits, uint64_t(112) << 23)), 13);
    // The last bit of a sum with one half counts 2^-24, as that of a subnormal half does.
    Value *Point = ConstantFP::get(Float->getType(), 0.5);
    Value *Tiny = Builder.CreateSub(asInt(Builder.CreateFAdd(asFloat(Magnitude), Point)), constant(Bits, 0x3f000000));
    Value *Nan = Builder.CreateOr(Builder.CreateAnd(Builder.CreateLShr(Magnitude, 13), constant(Bits, 0x3ff)),
                                  constant(Bits, 0x7e00));
    Value *Result = Builder.CreateSelect(Builder.CreateICmpULT(Magnitude, constant(Bits, uint64_t(113) << 23)), Tiny, Normal);
    Result = Builder.CreateSelect(Builder.CreateICmpUGE(Magnitude, constant(Bits, uint64_t(143) << 23)),
                                  constant(Bits, 0x7c00), Result);
    Result = Builder.CreateSelect(Builder.CreateICmpUGT(Magnitude, constant(Bits, 0x7f800000)), Nan, Result);
    Value *Short = Builder.CreateTrunc(Builder.CreateOr(Result, Sign), shaped(Builder.getInt16Ty(), Bits->getType()));
    return Builder.CreateBitCast(Short, Halves);
  }

  // A double as a float, rounded to odd.
  Value *roundedToOdd(Value *Double) {
    Value *Nearest = Builder.CreateFPTrunc(Double, shaped(Builder.getFloatTy(), Double->getType()));
    Value *Back = Builder.CreateFPExt(Nearest, Double->getType());
    Value *Bits = asInt(Nearest);
    Value *Inexact = Builder.CreateFCmpONE(Back, Double);
    Value *Even = Builder.CreateICmpEQ(Builder.CreateAnd(Bits, constant(Bits, 1)), constant(Bits, 0));
    Value *Inwards = Builder.CreateFCmpOLT(Builder.CreateUnaryIntrinsic(Intrinsic::fabs, Back),
                                           Builder.CreateUnaryIntrinsic(Intrinsic::fabs, Double));
    Value *Step = Builder.CreateSelect(Inwards, constant(Bits, 1), constant(Bits, uint32_t(-1)));
    Value *Moved = Builder.CreateSelect(Builder.CreateAnd(Inexact, Even), Builder.CreateAdd(Bits, Step), Bits);
    return asFloat(Moved);
  }

  Value *lower(Instruction &I) {
    Type *Result = I.getType();
    auto Widened = [&](Value *Operand) { return isHalf(Operand->getType()) ? widen(Operand) : Operand; };
    auto Back = [&](Value *Wide) { return isHalf(Result) ? narrow(Wide) : Wide; };
    Type *Wide = isHalf(Result) ? shaped(Builder.getFloatTy(), Result) : Result;
    if (auto *Cast = dyn_cast<CastInst>(&I)) {
      Value *From = Widened(Cast->getOperand(0));
      if (I.getOpcode() == Instruction::FPTrunc)
        return narrow(From->getType()->getScalarType()->isDoubleTy() ? roundedToOdd(From) : From);
      if (From->getType() == Wide)
        return From;
      return Back(Builder.CreateCast(Cast->getOpcode(), From, Wide));
    }
    if (auto *Compare = dyn_cast<FCmpInst>(&I))
      return Builder.CreateFCmpFMF(Compare->getPredicate(), Widened(I.getOperand(0)), Widened(I.getOperand(1)), &I);
    if (isa<BinaryOperator>(I))
      return Back(Builder.CreateBinOpFMF(Instruction::BinaryOps(I.getOpcode()), Widened(I.getOperand(0)),
                                         Widened(I.getOperand(1)), &I));
    if (isa<UnaryOperator>(I))
      return Back(Builder.CreateFNegFMF(Widened(I.getOperand(0)), &I));
    auto &Call = cast<IntrinsicInst>(I);
    SmallVector<Value *, 3> Arguments;
    for (Value *Argument : Call.args())
      Arguments.push_back(Widened(Argument));
    if (Converts && isFused(I)) {
      auto Double = [&](Value *Float) { return Builder.CreateFPExt(Float, shaped(Builder.getDoubleTy(), Result)); };
      Value *Product = Builder.CreateFMul(Double(Arguments[0]), Double(Arguments[1]));
      return narrow(roundedToOdd(Builder.CreateFAdd(Product, Double(Arguments[2]))));
    }
    // Two roundings, as machines that convert but do not add halves do it.
    if (Call.getIntrinsicID() == Intrinsic::fmuladd) {
      Value *Product = widen(narrow(Builder.CreateFMulFMF(Arguments[0], Arguments[1], &I)));
      return narrow(Builder.CreateFAddFMF(Product, Arguments[2], &I));
    }
    SmallVector<Type *, 2> Types = {Wide};
    if (Call.getIntrinsicID() == Intrinsic::ldexp || Call.getIntrinsicID() == Intrinsic::powi)
      Types.push_back(Arguments[1]->getType());
    return Back(Builder.CreateIntrinsic(Call.getIntrinsicID(), Types, Arguments, &I));
  }

  void lowerAtomic(AtomicRMWInst &Atomic) {
    Type *Bits = Builder.getInt16Ty();
    Value *Place = Atomic.getPointerOperand();
    BasicBlock *Before = Atomic.getParent();
    BasicBlock *After = Before->splitBasicBlock(&Atomic);
    BasicBlock *Loop = BasicBlock::Create(M.getContext(), "atomic", Before->getParent(), After);
    Before->getTerminator()->eraseFromParent();
    Builder.SetInsertPoint(Before);
    LoadInst *First = Builder.CreateAlignedLoad(Bits, Place, Align(2), Atomic.isVolatile());
    First->setAtomic(AtomicOrdering::Monotonic, Atomic.getSyncScopeID());
    Value *Operand = widen(Atomic.getValOperand());
    Builder.CreateBr(Loop);
    Builder.SetInsertPoint(Loop);
    PHINode *Seen = Builder.CreatePHI(Bits, 2);
    Value *Old = Builder.CreateBitCast(Seen, Builder.getHalfTy());
    Value *New = Builder.CreateBitCast(narrow(next(Atomic.getOperation(), widen(Old), Operand)), Bits);
    AtomicOrdering Failed = AtomicCmpXchgInst::getStrongestFailureOrdering(Atomic.getOrdering());
    AtomicCmpXchgInst *Exchange =
        Builder.CreateAtomicCmpXchg(Place, Seen, New, Align(2), Atomic.getOrdering(), Failed, Atomic.getSyncScopeID());
    Exchange->setVolatile(Atomic.isVolatile());
    Seen->addIncoming(First, Before);
    Seen->addIncoming(Builder.CreateExtractValue(Exchange, 0), Loop);
    Builder.CreateCondBr(Builder.CreateExtractValue(Exchange, 1), After, Loop);
    Atomic.replaceAllUsesWith(Old);
    Atomic.eraseFromParent();
  }

  Value *next(AtomicRMWInst::BinOp Operation, Value *Old, Value *Operand) {
    switch (Operation) {
    case AtomicRMWInst::FAdd:
      return Builder.CreateFAdd(Old, Operand);
    case AtomicRMWInst::FSub:
      return Builder.CreateFSub(Old, Operand);
    case AtomicRMWInst::FMin:
      return Builder.CreateMinNum(Old, Operand);
    case AtomicRMWInst::FMax:
      return Builder.CreateMaxNum(Old, Operand);
    default:
      report_fatal_error("an atomic operation on half that the library does not have");
    }
  }

  Module &M;
  IRBuilder<> Builder;
  bool Converts;
};

} // namespace

extern "C" void oxcl_ir_lower_half(LLVMModuleRef M, bool Converts) { HalfLowering(*unwrap(M), Converts).run(); }
