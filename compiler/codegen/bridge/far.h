// Addresses so far outside of their objects that code cannot name them.
#ifndef OXCL_CODEGEN_FAR_H
#define OXCL_CODEGEN_FAR_H

#include "llvm/IR/Module.h"

namespace oxcl {

// Puts null pointers in place of addresses that are constant and a gigabyte or more outside of the variable that they are computed
// from, where they are used for an access or computed within bounds by promise: such code may not run. The code generator would
// make relocations of them that do not fit.
void dropFarAddresses(llvm::Module &module);

} // namespace oxcl

#endif
