// Rounds of loops whose lanes take more registers than there are.

#ifndef OXCL_ROUND_PARTS_H
#define OXCL_ROUND_PARTS_H

#include "llvm/IR/Module.h"

namespace oxcl {

// Before instruction selection, for targets with 16 vector registers of `registerBits`: an innermost loop that only computes, in vectors of
// several registers each, and carries so many of them that a round does not fit, makes its round for one register of lanes after
// the other. LLVM would make each operation for all registers of its vector, then the next operation, and have all that is between them in
// registers at the same time: it stores and loads what goes from round to round, which lengthens every chain of dependences. Part by
// part only what one register of lanes needs is there, and the rest, which no chain waits for, is in memory. Several chains
// are under way all the same: the processor looks that far ahead.
//
// A loop that is left in the middle of its round is left at its end: what is behind the test is computed once more than needed. The round must
// be one block then, which may hold no access to memory behind the test.
//
// Functions with such loops keep their order: LLVM would put the parts together again.
void makeRoundsByParts(llvm::Module &module, unsigned registerBits);

} // namespace oxcl

#endif
