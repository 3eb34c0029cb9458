// Functions of work-groups that clang does not know: cl_khr_work_group_uniform_arithmetic, cl_khr_extended_async_copies and
// cl_khr_async_work_group_copy_fence. Comes before sources that name any of them.

#define __oxcl_g __attribute__((overloadable, convergent))
#define __oxcl_combined_by(name, type)                                                                                 \
  type __oxcl_g work_group_reduce_##name(type);                                                                        \
  type __oxcl_g work_group_scan_exclusive_##name(type);                                                                \
  type __oxcl_g work_group_scan_inclusive_##name(type);
#define __oxcl_integer(type)                                                                                           \
  __oxcl_combined_by(mul, type) __oxcl_combined_by(and, type) __oxcl_combined_by(or, type) __oxcl_combined_by(xor, type)
#ifdef cl_khr_work_group_uniform_arithmetic
__oxcl_integer(int) __oxcl_integer(uint) __oxcl_integer(long) __oxcl_integer(ulong)
__oxcl_combined_by(mul, float)
#ifdef cl_khr_fp64
__oxcl_combined_by(mul, double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__oxcl_combined_by(mul, half)
#if __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#endif
__oxcl_combined_by(logical_and, int) __oxcl_combined_by(logical_or, int) __oxcl_combined_by(logical_xor, int)
#endif

#define __oxcl_copies(to, from)                                                                                        \
  event_t __oxcl_g async_work_group_copy_2D2D(to void *, size_t, const from void *, size_t, size_t, size_t, size_t,     \
                                              size_t, size_t, event_t);                                                \
  event_t __oxcl_g async_work_group_copy_3D3D(to void *, size_t, const from void *, size_t, size_t, size_t, size_t,     \
                                              size_t, size_t, size_t, size_t, size_t, event_t);
#ifdef cl_khr_extended_async_copies
__oxcl_copies(__local, __global) __oxcl_copies(__global, __local)
#endif
#ifdef cl_khr_async_work_group_copy_fence
void __oxcl_g async_work_group_copy_fence(cl_mem_fence_flags);
#endif
