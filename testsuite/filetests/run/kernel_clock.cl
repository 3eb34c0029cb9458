// The clock does not go back in a work-item; who asks twice gets two answers.
// test: run
// options: -cl-std=CL3.0
// bits: 64, processors with addresses of 32 bits have no clock
// run: clocks global=64 local=16 (in=random:64:1, out=zeros:64) -> out=all:7
#ifndef cl_khr_kernel_clock
#error
#endif
#ifndef cl_khr_expect_assume
#error
#endif
#ifndef __opencl_c_kernel_clock_scope_device
#error
#endif
#ifndef __opencl_c_kernel_clock_scope_work_group
#error
#endif
kernel void clocks(global const int *in, global int *out) {
  int g = get_global_id(0);
  ulong first = clock_read_device();
  uint2 words = clock_read_hilo_work_group();
  ulong second = clock_read_work_group();
  __builtin_assume(g >= 0);
  out[g] = (second >= first) | (as_ulong(words) >= first) << 1 | (__builtin_expect(first != 0, 1)) << 2;
}
