// What the bridge's files share.
#ifndef OXCL_CODEGEN_TARGET_H
#define OXCL_CODEGEN_TARGET_H

#include <cstdint>

#include "llvm/TargetParser/Triple.h"

namespace oxcl {

// The triple of code for an architecture of machine.h.
llvm::Triple tripleOf(uint32_t architecture);

} // namespace oxcl

#endif
