// What the bridge's files share.
#ifndef OXCL_CODEGEN_TARGET_H
#define OXCL_CODEGEN_TARGET_H

#include <cstdint>

#include "llvm/TargetParser/Triple.h"

namespace oxcl {

// Makes LLVM's x86 code generator known; once in a process, and only it.
void initialiseX86();

// The same for AArch64.
void initialiseAArch64();

// The same for RISC-V, whose instruction selection serves transport-triggered processors.
void initialiseRiscv();

// The one of these that a triple asks for.
void initialise(const llvm::Triple &triple);

// The triple of code for an architecture of machine.h.
llvm::Triple tripleOf(uint32_t architecture);

} // namespace oxcl

#endif
