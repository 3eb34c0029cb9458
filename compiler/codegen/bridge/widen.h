// Widening of loops by calls of functions that have vector forms.
#ifndef OXCL_CODEGEN_WIDEN_H
#define OXCL_CODEGEN_WIDEN_H

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace oxcl {

// The vector forms that the module's calls may use, declared in it while this lives and kept by all passes. Those that are
// not called at the end are taken out again.
class WideForms {
public:
  explicit WideForms(llvm::Module &module);
  WideForms(const WideForms &) = delete;
  WideForms &operator=(const WideForms &) = delete;
  ~WideForms();

private:
  llvm::Module &module;
  llvm::SmallVector<llvm::Function *, 16> added;
};

// What every use of LLVM's loop vectoriser needs before it, for it errs otherwise: divisions.h and wraps.h say how.
void addBeforeVectoriser(llvm::FunctionPassManager &passes);

// Runs the loop vectoriser, and nothing that is not needed for it, over the functions that call one with vector forms.
void widenCalls(llvm::Module &module, llvm::FunctionAnalysisManager &functions);

// The same for every loop, after those whose count is known have been written out; and the vectoriser of straight code, for what
// a work-item keeps in an array of its own across barriers.
void widenLoops(llvm::Module &module, llvm::FunctionAnalysisManager &functions);

} // namespace oxcl

#endif
