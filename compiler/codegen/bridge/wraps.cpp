// Hides cut numbers from the analysis of recurrences.

#include "wraps.h"

#include "innermost.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

// To how many low bits a scalar is cut; 0 where it is not, or where that is known to lose nothing.
static unsigned cutTo(Instruction &instruction) {
  if (!instruction.getType()->isIntegerTy())
    return 0;
  const APInt *mask;
  if (match(&instruction, m_And(m_Value(), m_APInt(mask))) && mask->isMask())
    return mask->countr_one();
  auto *cut = dyn_cast<TruncInst>(&instruction);
  return cut && !cut->getType()->isIntegerTy(1) ? cut->getType()->getIntegerBitWidth() : 0;
}

static bool isExact(const Instruction &instruction) {
  auto *cut = dyn_cast<TruncInst>(&instruction);
  return cut && (cut->hasNoUnsignedWrap() || cut->hasNoSignedWrap());
}

static bool hide(Loop &loop) {
  unsigned widest = 0;
  SmallVector<std::pair<Instruction *, unsigned>, 8> cuts;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (unsigned bits = cutTo(instruction); bits && !loop.isLoopInvariant(instruction.getOperand(0))) {
        widest = std::max(widest, bits);
        if (!isExact(instruction))
          cuts.push_back({&instruction, bits});
      }
  bool changed = false;
  for (auto [cut, bits] : cuts) {
    if (bits == widest)
      continue;
    IRBuilder<> builder(cut->getNextNode());
    auto *hidden = cast<FreezeInst>(builder.Insert(new FreezeInst(cut), cut->getName()));
    cut->replaceUsesWithIf(hidden, [&](Use &use) { return use.getUser() != hidden; });
    changed = true;
  }
  return changed;
}

PreservedAnalyses oxcl::HideNarrowWraps::run(Function &function, FunctionAnalysisManager &functions) {
  auto &loops = functions.getResult<LoopAnalysis>(function);
  return oxcl::changeInnermost(loops, [&](Loop &loop) { return hide(loop); });
}
