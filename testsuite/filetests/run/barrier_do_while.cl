// test: run
// run: dowhile global=8 local=4 (out=zeros:8, n=5)
kernel void dowhile(global int *out, int n) {
  local int tile[4];
  int g = get_global_id(0), l = get_local_id(0), v = g, i = 0;
  do {
    tile[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = tile[(l + 1) & 3] + i;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (++i < n);
  out[g] = v;
}
