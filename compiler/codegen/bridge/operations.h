// Operations of a processor that the library calls by names of ours.

#ifndef OXCL_OPERATIONS_H
#define OXCL_OPERATIONS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Module;
}

namespace oxcl {

// Makes operations of AVX-512 of the library's calls of them, on scalars and vectors of any length: estimates of reciprocal square
// roots, products with powers of two, and tests for values that are not positive, normal and finite. They were calls until now,
// with vector forms that LLVM's vectorisers know of: they do not widen operations of one processor. Whoever answered the
// library's questions for this processor has said that it has them.
void lowerOperations(llvm::Module &module);

// The same for the calls on vectors alone, before LLVM's passes on loops: no vectoriser would widen those any more, and LLVM does not
// unroll a loop with a call in it.
class LowerWideOperations : public llvm::PassInfoMixin<LowerWideOperations> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

// Makes the conversion of every vector of 8 or 16 floats to halves that is only stored the one that can write to memory, for
// processors with arithmetic on half: LLVM takes the newer instruction there, which cannot, and takes an operation more. Both round
// as the processor is told to.
void storeHalvesAtOnce(llvm::Module &module);

} // namespace oxcl

#endif
