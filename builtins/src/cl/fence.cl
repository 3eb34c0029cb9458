// Memory fences (OpenCL C 3.0, section 6.15.9). Barriers stay calls: the work-group pass lowers them.

OVERLOAD void mem_fence(cl_mem_fence_flags flags) {
  (void)flags;
  __c11_atomic_thread_fence(__ATOMIC_ACQ_REL);
}
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) {
  (void)flags;
  __c11_atomic_thread_fence(__ATOMIC_ACQUIRE);
}
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) {
  (void)flags;
  __c11_atomic_thread_fence(__ATOMIC_RELEASE);
}

OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  (void)flags;
  (void)scope;
  // A relaxed fence is none.
  if (order == memory_order_seq_cst)
    __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if (order != memory_order_relaxed)
    __c11_atomic_thread_fence(__ATOMIC_ACQ_REL);
}
