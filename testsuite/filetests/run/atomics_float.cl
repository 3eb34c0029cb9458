// test: run
// options: -cl-std=CL3.0
// bits: 64, processors with addresses of 32 bits have no atomic operations on floats
// Sums and extremes of floating values by all work-items at once, in global and local memory; small whole numbers, so that order does not show.
// run: sums global=256 local=32 (f=float:zeros:3, d=double:zeros:3, h=half:zeros:4) -> f=[762,255,-255], d=[8160,255,-32640], h=[384,255,-255,3.5]
// run: counts global=64 local=16 (out=zeros:4) -> out=[120,120,120,120]
#ifndef cl_ext_float_atomics
#error
#endif
#ifndef __opencl_c_ext_fp16_global_atomic_add
#error
#endif
#ifndef __opencl_c_ext_fp16_global_atomic_load_store
#error
#endif
#ifndef __opencl_c_ext_fp16_global_atomic_min_max
#error
#endif
#ifndef __opencl_c_ext_fp16_local_atomic_add
#error
#endif
#ifndef __opencl_c_ext_fp16_local_atomic_load_store
#error
#endif
#ifndef __opencl_c_ext_fp16_local_atomic_min_max
#error
#endif
#ifndef __opencl_c_ext_fp32_global_atomic_add
#error
#endif
#ifndef __opencl_c_ext_fp32_global_atomic_min_max
#error
#endif
#ifndef __opencl_c_ext_fp32_local_atomic_add
#error
#endif
#ifndef __opencl_c_ext_fp32_local_atomic_min_max
#error
#endif
#ifndef __opencl_c_ext_fp64_global_atomic_add
#error
#endif
#ifndef __opencl_c_ext_fp64_global_atomic_min_max
#error
#endif
#ifndef __opencl_c_ext_fp64_local_atomic_add
#error
#endif
#ifndef __opencl_c_ext_fp64_local_atomic_min_max
#error
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void sums(global atomic_float *f, global atomic_double *d, global atomic_half *h) {
  int g = get_global_id(0);
  atomic_fetch_add(&f[0], (float)(g % 7));
  atomic_fetch_max_explicit(&f[1], (float)g, memory_order_relaxed);
  atomic_fetch_min_explicit(&f[2], -(float)g, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(&d[0], g * 0.25, memory_order_relaxed);
  atomic_fetch_max(&d[1], (double)g);
  atomic_fetch_sub_explicit(&d[2], (double)g, memory_order_relaxed);
  atomic_fetch_add(&h[0], (half)(g % 4));
  atomic_fetch_max(&h[1], (half)g);
  atomic_fetch_min_explicit(&h[2], (half)-g, memory_order_acq_rel, memory_scope_work_group);
  if (g == 77) {
    atomic_store(&h[3], 2.5h);
    atomic_exchange_explicit(&h[3], atomic_load(&h[3]) + 1.0h, memory_order_relaxed);
  }
}

kernel void counts(global float *out) {
  local atomic_float sum;
  if (get_local_id(0) == 0)
    atomic_init(&sum, 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(&sum, (float)get_local_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    out[get_group_id(0)] = atomic_load(&sum);
}
