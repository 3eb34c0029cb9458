// Where vectors wait that live across calls.

#ifndef OXCL_SPILLS_H
#define OXCL_SPILLS_H

namespace llvm {
class Module;
}

namespace oxcl {

// Aligns the stack of functions that call functions of vectors to these. Such a call leaves no vector register as it was, so whatever
// lives across it is stored before and loaded behind. LLVM decides about the frame before it knows of spills, and 64 bytes at a multiple
// of 16 lie in two cache lines three times of four.
void alignStacks(llvm::Module &module);

} // namespace oxcl

#endif
