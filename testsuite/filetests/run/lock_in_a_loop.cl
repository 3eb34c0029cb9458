// Work-items that take turns by a lock: each waits until the one before has given it back, so none may run in lock step with another.
// test: run
// width: 1
// options: -cl-std=CL3.0
// run: turns global=8 local=8 (lock=[0], sum=[0]) -> lock=[0], sum=[36]
kernel void turns(volatile global int *lock, global int *sum) {
  while (atomic_xchg(lock, 1) != 0)
    ;
  sum[0] += (int)get_global_id(0) + 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(lock, 0);
}
