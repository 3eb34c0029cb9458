// Atomics in the manner of C11: orders, scopes, flags, generic pointers, 64 bits and floats.
// test: run
// memories: one
// options: -cl-std=CL3.0
// run: all global=32 local=8 (i=int[0], l=long[0], f=float[0], lock=int[0], won=zeros:32) -> i=[528], l=[137438953472], f=[1.5]
// compare: i l f
#ifndef __opencl_c_atomic_order_acq_rel
#error
#endif
#ifndef __opencl_c_atomic_order_seq_cst
#error
#endif
#ifndef __opencl_c_atomic_scope_all_devices
#error
#endif
#ifndef __opencl_c_atomic_scope_device
#error
#endif
int claim(atomic_int *any, int own) {
  int none = 0;
  return atomic_compare_exchange_strong_explicit(any, &none, own, memory_order_acq_rel, memory_order_acquire,
                                                 memory_scope_device);
}
kernel void all(global atomic_int *i, global atomic_long *l, global atomic_float *f, global atomic_flag *lock,
                global int *won) {
  local atomic_int cell;
  int own = get_global_id(0) + 1;
  if (get_local_id(0) == 0)
    atomic_init(&cell, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(i, own, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(l, 1L << 32, memory_order_seq_cst, memory_scope_all_devices);
  atomic_store_explicit(f, 1.5f, memory_order_release);
  won[own - 1] = claim(&cell, own);
  if (!atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
    atomic_flag_clear_explicit(lock, memory_order_release);
}
