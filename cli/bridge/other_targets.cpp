// lld would let LLVM's link-time optimiser make code for every machine that LLVM knows. Nothing here optimises at link time: the
// back ends that this program does not use are left out. Each would cost every start of the program its tables and options.

#define OXCL_KEPT_AArch64 ~, KEPT
#define OXCL_KEPT_NVPTX ~, KEPT
#define OXCL_KEPT_RISCV ~, KEPT
#define OXCL_KEPT_SPIRV ~, KEPT
#define OXCL_KEPT_X86 ~, KEPT

// The second argument, where the first one has become two.
#define OXCL_SECOND(FIRST, SECOND, ...) SECOND
#define OXCL_CHOICE(...) OXCL_SECOND(__VA_ARGS__)
#define OXCL_JOIN(CHOICE, TARGET, PART) OXCL_JOINED(CHOICE, TARGET, PART)
#define OXCL_JOINED(CHOICE, TARGET, PART) OXCL_##CHOICE(TARGET, PART)
#define OXCL_PART(TARGET, PART) OXCL_JOIN(OXCL_CHOICE(OXCL_KEPT_##TARGET, LEFT_OUT, ~), TARGET, PART)
#define OXCL_KEPT(TARGET, PART)
#define OXCL_LEFT_OUT(TARGET, PART)                                                                                   \
  void LLVMInitialize##TARGET##PART() {}

extern "C" {
#define LLVM_TARGET(TARGET) OXCL_PART(TARGET, TargetInfo) OXCL_PART(TARGET, Target) OXCL_PART(TARGET, TargetMC)
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(TARGET) OXCL_PART(TARGET, AsmPrinter)
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(TARGET) OXCL_PART(TARGET, AsmParser)
#include "llvm/Config/AsmParsers.def"
#define LLVM_DISASSEMBLER(TARGET) OXCL_PART(TARGET, Disassembler)
#include "llvm/Config/Disassemblers.def"
}
