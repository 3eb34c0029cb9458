// Numbers that wrap around at different widths in one loop.

#ifndef OXCL_WRAPS_H
#define OXCL_WRAPS_H

#include "llvm/IR/PassManager.h"

namespace oxcl {

// Before the loop vectoriser: of the numbers that an innermost loop cuts to low bits, those of fewer bits than the widest are hidden
// from LLVM's analysis of recurrences (behind a freeze), which then takes them for any numbers.
//
// LLVM 22.1 vectorises such a loop behind a test that a cut number does not wrap around, and takes the test of one number for that of
// another that begins and steps alike, though that has fewer bits and wraps around earlier: a[i & 127] + b[i & 7] reads b[8].
class HideNarrowWraps : public llvm::PassInfoMixin<HideNarrowWraps> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

} // namespace oxcl

#endif
