// What the optimiser does besides, where a module is a whole program.
#ifndef OXCL_CODEGEN_WHOLE_H
#define OXCL_CODEGEN_WHOLE_H

namespace llvm {
class Module;
} // namespace llvm

namespace oxcl {

// Marks functions to be inlined into every caller, as far as the program does not grow too much; whether there were any.
bool markForInlining(llvm::Module &module);

} // namespace oxcl

#endif
