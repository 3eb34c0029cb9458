// The helper with the barrier is called from two places, one in a loop.
// test: run
// run: twice global=8 local=4 (out=zeros:8)
int exchange(local int *tile, int v) {
  size_t l = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  return tile[get_local_size(0) - 1 - l];
}
kernel void twice(global int *out) {
  local int tile[4];
  int v = exchange(tile, get_global_id(0));
  for (int i = 0; i < 3; i++)
    v += exchange(tile, v + get_local_id(0));
  out[get_global_id(0)] = v;
}
