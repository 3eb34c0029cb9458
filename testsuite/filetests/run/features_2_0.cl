// What OpenCL C 2.0 has beyond 1.2: C11 atomics, generic pointers, work-group functions, without asking for features.
// test: run
// memories: one
// options: -cl-std=CL2.0
// run: try global=4 local=4 (out=zeros:4) -> out=[10,10,10,10]
kernel void try(global int *out) {
  local atomic_int sum;
  if (get_local_id(0) == 0)
    atomic_init(&sum, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  atomic_fetch_add_explicit(&sum, (int)get_global_id(0) + 1, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  int *any = out;
  any[get_global_id(0)] = work_group_any(any == out) ? atomic_load(&sum) : 0;
}
