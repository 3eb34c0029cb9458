// The C interface between bridge/*.cpp and src/bridge.rs: plain data, borrowed for the length of a call.
// Every structure here has a twin of the same layout in src/bridge.rs; change both together.
#ifndef OXCL_CODEGEN_MACHINE_H
#define OXCL_CODEGEN_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "llvm-c/Types.h"

extern "C" {

struct OxclText {
  const char *data;
  size_t size;
};

typedef void (*OxclTextSink)(void *user, OxclText text);

// Outcomes of everything here.
enum OxclOutcome : uint32_t {
  OXCL_DONE = 0,
  OXCL_REFUSED = 1, // the message sink was told why
  OXCL_CRASHED = 2, // LLVM or lld crashed: module and context must not be used again
};

// --- target.cpp

// Instruction set architectures by their numbers here.
enum : uint32_t { OXCL_X86_64 = 0, OXCL_AARCH64 = 1 };

// Names of the CPUs of an architecture that code can be made for, sorted.
void oxcl_cpu_names(uint32_t architecture, OxclTextSink sink, void *user);
// This machine's CPU name.
void oxcl_host_cpu(OxclTextSink sink, void *user);
// This machine's instruction set features: `+name` for what it has, `-name` for what it lacks, sorted by name.
void oxcl_host_features(OxclTextSink sink, void *user);
// The instruction set features that `cpu` has with `adjustment` (`+a,-b`; may be empty), in LLVM's names, sorted.
void oxcl_cpu_features(uint32_t architecture, OxclText cpu, OxclText adjustment, OxclTextSink sink, void *user);

// --- machine.cpp

// Levels: 0 to 3 are LLVM's. At this one code is made in a hurry: registers are allocated and instructions selected
// well, and nothing is done to loops but what `widen` asks for.
enum : uint32_t { OXCL_QUICK = 4 };

typedef struct OxclMachine OxclMachine;

struct OxclMachineDescription {
  OxclText triple;
  OxclText cpu;
  OxclText features; // `+a,-b`; may be empty
  uint32_t level;    // 0 to 3, or OXCL_QUICK
};

OxclMachine *oxcl_machine_new(const OxclMachineDescription *description, OxclTextSink message, void *user);
void oxcl_machine_free(OxclMachine *machine);
void oxcl_machine_layout(OxclMachine *machine, OxclTextSink sink, void *user);

// Makes `module` one for the machine: triple, layout, C calling convention, CPU attributes on every definition. `vscale`: SVE
// registers have exactly so many times 128 bits; 0 where that is not known.
void oxcl_retarget(LLVMModuleRef module, OxclMachine *machine, uint32_t prefer_vector_width, uint32_t vscale);

struct OxclPipeline {
  uint32_t level;          // 0 to 3, or OXCL_QUICK
  uint32_t vectorise;      // loop and superword vectorisers
  uint32_t verify;         // check the module before and after
  uint32_t widen;          // at OXCL_QUICK: loops go through the vectoriser all the same
  uint32_t whole_program;  // the module is all there is: inline as much as does not make it large
  uint32_t generic;        // with whole_program: pointers of OpenCL's generic space get the space that they come from
  const OxclText *exports; // definitions to keep; the rest is made internal. None: all are kept
  size_t export_count;
};

OxclOutcome oxcl_optimise(LLVMModuleRef module, OxclMachine *machine, const OxclPipeline *pipeline,
                          OxclTextSink message, void *user);

// Emits an object (or, if `assembly`, its text). `module` may be changed by it.
OxclOutcome oxcl_emit(LLVMModuleRef module, OxclMachine *machine, uint32_t assembly, OxclTextSink bytes,
                      OxclTextSink message, void *user);

// Prints the data and the machine IR, before registers are assigned, of a RISC-V module. `module` is changed by it.
OxclOutcome oxcl_tap(LLVMModuleRef module, OxclMachine *machine, OxclTextSink bytes, OxclTextSink message, void *user);

// --- spirv.cpp

// `module` as SPIR-V for a triple, with some of these extensions; the module is of no use afterwards.
OxclOutcome oxcl_spirv(LLVMModuleRef module, OxclText triple, const OxclText *extensions, size_t count,
                       size_t attempt, OxclTextSink bytes, OxclTextSink message, void *user);

// --- disasm.cpp

// One instruction; `text` is empty where the bytes are none.
typedef void (*OxclInstructionSink)(void *user, uint64_t address, uint64_t size, OxclText text);

// Disassembles `code` of an architecture that lies at `address`; zero if LLVM cannot.
uint32_t oxcl_disassemble(uint32_t architecture, OxclText code, uint64_t address, OxclInstructionSink sink, void *user);

// --- lld.cpp

struct OxclLinkResult {
  OxclOutcome outcome;
  uint32_t can_run_again; // 0: lld must not be entered any more in this process
};

// Runs lld's ELF driver. Not to be entered twice at a time.
OxclLinkResult oxcl_lld(const char *const *arguments, size_t argument_count, OxclTextSink message, void *user);

} // extern "C"

#endif
