// Operations of a processor that the library calls by names of ours.

#ifndef OXCL_OPERATIONS_H
#define OXCL_OPERATIONS_H

namespace llvm {
class Module;
}

namespace oxcl {

// Makes operations of AVX-512 of the library's calls of them, on scalars and vectors of any length: estimates of reciprocal square
// roots, products with powers of two, and tests for values that are not positive, normal and finite. They were calls until now,
// with vector forms that LLVM's vectorisers know of: they do not widen operations of one processor. Whoever answered the
// library's questions for this processor has said that it has them.
void lowerOperations(llvm::Module &module);

// Makes the conversion of every vector of 8 or 16 floats to halves that is only stored the one that can write to memory, for
// processors with arithmetic on half: LLVM takes the newer instruction there, which cannot, and takes an operation more. Both round
// as the processor is told to.
void storeHalvesAtOnce(llvm::Module &module);

} // namespace oxcl

#endif
