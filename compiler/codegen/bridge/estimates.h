// Estimates that a processor makes in one operation.

#ifndef OXCL_ESTIMATES_H
#define OXCL_ESTIMATES_H

namespace llvm {
class Module;
}

namespace oxcl {

// Makes operations of AVX-512 of the calls of the library's estimate of a reciprocal square root, on scalars and vectors of
// any length. They were calls until now, with vector forms that LLVM's vectorisers know of: they do not widen operations
// of one processor. Whoever answered the library's question for this processor has said that it has them.
void lowerEstimates(llvm::Module &module);

} // namespace oxcl

#endif
