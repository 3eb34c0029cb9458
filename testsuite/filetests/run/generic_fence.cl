// test: run
// memories: one
// options: -cl-std=CL3.0
// run: fences global=4 local=4 (out=zeros:4) -> out=[1,2,3,4]
// A fence for what a generic pointer points to, wherever that is.
void put(int *at, int value) { *at = value; atomic_work_item_fence(get_fence(at), memory_order_release, memory_scope_work_group); }
kernel void fences(global int *out) {
  local int tile[4];
  int mine, l = get_local_id(0);
  put(&mine, l + 1);
  put(&tile[3 - l], mine);
  work_group_barrier(get_fence((const void *)tile));
  put(&out[3 - l], tile[l]);
}
