// test: run
// run: continues global=8 local=4 (out=zeros:8, skip=1)
kernel void continues(global int *out, int skip) {
  local int tile[4];
  int g = get_global_id(0), l = get_local_id(0), v = 0;
  for (int i = 0; i < 4; i++) {
    if (i == skip)
      continue;
    tile[l] = g * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    v += tile[3 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = v;
}
