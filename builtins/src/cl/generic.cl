// What a generic pointer leads to (OpenCL C 3.0, sections 6.15.8 and 6.15.9): global memory where it lies in none of the ranges
// that are local or private. The functions with two underscores are what clang calls for `to_global` and its like.

#if __SIZEOF_POINTER__ == 8
HELPER bool oxcl_is_in(ulong address, ulong from, ulong to) { return address - from < to - from; }
HELPER bool oxcl_is_local(const __generic void *pointer) {
  __constant MemoryRanges *ranges = oxcl_memory_ranges();
  return oxcl_is_in((ulong)pointer, ranges->local_from, ranges->local_to);
}
HELPER bool oxcl_is_private(const __generic void *pointer) {
  __constant MemoryRanges *ranges = oxcl_memory_ranges();
  return oxcl_is_in((ulong)pointer, ranges->stack_from, ranges->stack_to) |
         oxcl_is_in((ulong)pointer, ranges->scratch_from, ranges->scratch_to);
}

__local void *__to_local(__generic void *pointer) { return oxcl_is_local(pointer) ? (__local void *)pointer : 0; }
__private void *__to_private(__generic void *pointer) {
  return oxcl_is_private(pointer) ? (__private void *)pointer : 0;
}
__global void *__to_global(__generic void *pointer) {
  bool is_other = oxcl_is_local(pointer) | oxcl_is_private(pointer);
  return is_other ? 0 : (__global void *)pointer;
}

// A fence of what the pointer leads to; of private memory none is needed.
OVERLOAD cl_mem_fence_flags get_fence(const __generic void *pointer) {
  return oxcl_is_local(pointer) ? CLK_LOCAL_MEM_FENCE : (oxcl_is_private(pointer) ? 0 : CLK_GLOBAL_MEM_FENCE);
}
#else
// 32-bit devices do not say where their memories lie: a fence of all of them is one of whichever the pointer leads to.
OVERLOAD cl_mem_fence_flags get_fence(const __generic void *pointer) {
  (void)pointer;
  return CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE;
}
#endif
OVERLOAD cl_mem_fence_flags get_fence(__generic void *pointer) {
  return get_fence((const __generic void *)pointer);
}
