// A group leaves as a whole before its barrier.
// test: run regions
// run: leave global=16 local=4 (out=zeros:16, n=2) -> out=[4,3,2,1,8,7,6,5,0,0,0,0,0,0,0,0]
kernel void leave(global int *out, int n) {
  local int tile[4];
  if ((int)get_group_id(0) >= n)
    return;
  int l = get_local_id(0);
  tile[l] = get_global_id(0) + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[3 - l];
}
