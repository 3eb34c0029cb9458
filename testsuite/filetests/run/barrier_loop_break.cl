// A uniform break out of a loop with a barrier.
// test: run regions
// run: breaks global=8 local=4 (out=zeros:8, stop=2)
// run: breaks global=8 local=4 (out=zeros:8, stop=100)
kernel void breaks(global int *out, int stop) {
  local int tile[4];
  int g = get_global_id(0), l = get_local_id(0), v = 0;
  for (int i = 0; i < 5; i++) {
    tile[l] = g + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    v += tile[3 - l];
    if (i == stop)
      break;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = v;
}
