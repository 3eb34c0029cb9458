// Loops whose rounds are long chains of operations.

#ifndef OXCL_LONG_ROUNDS_H
#define OXCL_LONG_ROUNDS_H

#include "llvm/IR/PassManager.h"

namespace oxcl {

// Says of innermost loops of one block, which store nothing and whose rounds are long chains of floating operations on vectors, that
// two rounds are to be made one. A processor begins the next round while it waits for one, as far as what waits has room; with the
// operations of two beside each other its ports have more to choose from.
//
// Where registers are few, as before AVX-512, it says of innermost loops of one block whose rounds fill them that rounds are not to be
// repeated: LLVM would do so as far as a processor's store of decoded operations goes, and what two rounds hold at once is spilled.
//
// In: loops in LLVM's simple form, before its pass that unrolls. Not done: loops that say themselves how they are to be unrolled.
class PairLongRounds : public llvm::PassInfoMixin<PairLongRounds> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

} // namespace oxcl

#endif
