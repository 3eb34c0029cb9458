// See the header.

#include "floors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// How many sums may lie in each other.
constexpr unsigned Deepest = 8;

// Whether a value is NaN, or not below the floor. The floor is positive.
bool isAbove(const Value *X, const APFloat &Floor, const SimplifyQuery &Query, unsigned Depth = 0) {
  const APFloat *Known;
  if (match(X, m_APFloat(Known)))
    return *Known >= Floor;
  if (Depth == Deepest)
    return false;
  auto Sum = [&](const Value *One, const Value *Other) {
    return isAbove(One, Floor, Query, Depth + 1) && cannotBeOrderedLessThanZero(Other, Query);
  };
  Value *A, *B, *C;
  if (match(X, m_FAdd(m_Value(A), m_Value(B))))
    return Sum(A, B) || Sum(B, A);
  if (match(X, m_Intrinsic<Intrinsic::fma>(m_Value(A), m_Deferred(A), m_Value(C))) ||
      match(X, m_Intrinsic<Intrinsic::fmuladd>(m_Value(A), m_Deferred(A), m_Value(C))))
    return isAbove(C, Floor, Query, Depth + 1);
  return false;
}

} // namespace

PreservedAnalyses oxcl::FoldFloors::run(Function &F, FunctionAnalysisManager &) {
  SimplifyQuery Query(F.getDataLayout());
  bool Changed = false;
  // What is simplified takes others along, which may be next.
  SmallVector<WeakTrackingVH, 8> Comparisons;
  for (Instruction &I : instructions(F))
    if (isa<FCmpInst>(I))
      Comparisons.push_back(&I);
  for (const WeakTrackingVH &Handle : Comparisons) {
    auto *Comparison = dyn_cast_or_null<FCmpInst>(static_cast<Value *>(Handle));
    CmpPredicate Predicate;
    Value *X;
    const APFloat *Floor;
    if (!Comparison || !match(Comparison, m_FCmp(Predicate, m_Value(X), m_APFloat(Floor))) ||
        Predicate != FCmpInst::FCMP_OLT || !(Floor->isFinite() && !Floor->isNegative() && !Floor->isZero()) ||
        !isAbove(X, *Floor, Query))
      continue;
    // Choices by this one are simplified with it, so that comparisons of them are seen with what they are.
    replaceAndRecursivelySimplify(Comparison, Constant::getNullValue(Comparison->getType()));
    Changed = true;
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved;
  Preserved.preserveSet<CFGAnalyses>();
  return Preserved;
}
