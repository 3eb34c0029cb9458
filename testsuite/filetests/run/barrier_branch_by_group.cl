// The branch is uniform within a group and differs between groups.
// test: run
// run: bygroup global=16 local=4 (out=zeros:16)
kernel void bygroup(global int *out) {
  local int tile[4];
  int g = get_global_id(0), l = get_local_id(0), v = 0;
  if (get_group_id(0) & 1) {
    tile[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = tile[3 - l];
  }
  out[g] = v + g;
}
