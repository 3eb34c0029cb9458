// What the bridge's files share.
#ifndef OXCL_CODEGEN_TARGET_H
#define OXCL_CODEGEN_TARGET_H

namespace oxcl {

// Makes LLVM's x86 code generator known; once in a process, and only it.
void initialiseX86();

// The same for RISC-V, whose instruction selection serves transport-triggered processors.
void initialiseRiscv();

} // namespace oxcl

#endif
