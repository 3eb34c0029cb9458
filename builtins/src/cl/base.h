// Words shared by every source of the library. Comes after clang's own opencl-c-base.h, which brings the vector types,
// the memory orders and scopes and nothing that is a function.

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// A function of the library. Its mangled name is what clang calls from a user's kernel.
#define OVERLOAD __attribute__((overloadable))
// A helper: never a symbol of its own.
#define HELPER static inline __attribute__((overloadable, always_inline))
// Whether a fused multiply-add, a product with a power of two, an estimate of 1 / sqrt(x) that is good to 14 bits, arithmetic on
// half, or an estimate of 1 / sqrt(x) of floats to 11 bits is one operation of the machine: known when the program is compiled for one.
__attribute__((const)) bool oxcl_has_fma(void);
__attribute__((const)) bool oxcl_has_ldexp(void);
__attribute__((const)) bool oxcl_has_rsqrt_estimate(void);
__attribute__((const)) bool oxcl_has_half(void);
__attribute__((const)) bool oxcl_has_coarse_rsqrt(void);

// Where the memory of address spaces lies: oxcl_binary::abi::MemoryRanges. The work-group pass and the reference executor
// answer.
typedef struct MemoryRanges {
  ulong local_from, local_to, stack_from, stack_to, scratch_from, scratch_to;
} MemoryRanges;
__attribute__((const)) __constant MemoryRanges *oxcl_memory_ranges(void);

// A helper for inputs so rare that its code must not be spread over every caller.
#define RARE static __attribute__((overloadable, noinline))

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define JOIN3_(a, b, c) a##b##c
#define JOIN3(a, b, c) JOIN3_(a, b, c)

// Expands `M(space)` for each address space that a result may be written to.
#define FOR_WRITABLE_SPACES(M) M(__private) M(__global) M(__local) M(__generic)
// The same with the spaces that can only be read.
#define FOR_READABLE_SPACES(M) FOR_WRITABLE_SPACES(M) M(__constant)

// The type of a function's arguments at the width and element type at hand, and the integer types of the same shape.
#define GT V(ST)
#define IT V(SI)
#define UT V(SU)
