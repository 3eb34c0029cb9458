// Functions whose machine instructions stay in the order of their operations.

#ifndef OXCL_IN_ORDER_H
#define OXCL_IN_ORDER_H

#include "llvm/IR/Module.h"

namespace oxcl {

// Asks code generation to leave a function's operations in the order that they are in. LLVM orders them when it moves what a branch may
// not need behind it, and when it schedules for the ports of the processor: it may put together what is apart so that fewer registers are
// needed at the same time.
void keepInOrder(llvm::Function &function);

// Whether a pass of code generation that orders instructions is to leave out the function that it is about to run on, by LLVM's words for both.
bool leavesInOrder(const llvm::Module &module, llvm::StringRef pass, llvm::StringRef where);

} // namespace oxcl

#endif
