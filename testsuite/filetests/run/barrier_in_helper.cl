// A helper function holds the barrier.
// test: run regions
// run: helper global=8 local=4 (out=zeros:8) -> out=[3,2,1,0,7,6,5,4]
int exchange(local int *tile, int v) {
  size_t l = get_local_id(0);
  tile[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  return tile[get_local_size(0) - 1 - l];
}
kernel void helper(global int *out) {
  local int tile[4];
  out[get_global_id(0)] = exchange(tile, get_global_id(0));
}
