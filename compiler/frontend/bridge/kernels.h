// What kernels.cpp tells about the kernels of a module, and the linking of modules. Twins in src/bridge.rs.
#ifndef OXCL_FRONTEND_KERNELS_H
#define OXCL_FRONTEND_KERNELS_H

#include "clang.h"

extern "C" {

struct OxclKernelArg {
  OxclText name;
  OxclText type_name;
  OxclText access;
  OxclText qualifiers;
  OxclText opaque_type;   // LLVM's name of the value's type where it is opaque, as an image's is
  uint32_t address_space; // SPIR numbering: private 0, global 1, constant 2, local 3
  uint32_t is_pointer;    // passed as a pointer, and not `byval`
  uint64_t size;          // bytes of the value
};

struct OxclKernel {
  OxclText name;
  const OxclKernelArg *args;
  size_t arg_count;
  uint64_t reqd_work_group_size[3]; // zeros: not given
  uint64_t work_group_size_hint[3]; // zeros: not given
  uint64_t reqd_sub_group_size;     // 0: not given
  OxclText vec_type_hint;           // empty: not given
};

typedef void (*OxclKernelSink)(void *user, const OxclKernel *);
typedef void (*OxclMessageSink)(void *user, OxclText message);

// Calls `sink` for each kernel, in the order of the module.
void oxcl_kernels(LLVMModuleRef module, OxclKernelSink sink, void *user);

enum OxclLinkOutcome : uint32_t {
  OXCL_LINKED = 0,
  OXCL_LINK_DUPLICATE = 1, // `sink` was given each name that both define
  OXCL_LINK_FAILED = 2,    // `sink` was given LLVM's reasons
};

// Links `from`, which is consumed whatever happens, into `into`.
OxclLinkOutcome oxcl_link_module(LLVMModuleRef into, LLVMModuleRef from, OxclMessageSink sink, void *user);

} // extern "C"

#endif
