// The trip count comes from local memory: uniform in fact, but no analysis can know it.
// test: run regions
// run: fromlocal global=8 local=4 (out=zeros:8) -> out=[10,10,10,10,26,26,26,26]
kernel void fromlocal(global int *out) {
  local int count, tile[4];
  int g = get_global_id(0), l = get_local_id(0), v = 0;
  if (l == 0)
    count = 4;
  tile[l] = g + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < count; i++) {
    v += tile[i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = v;
}
