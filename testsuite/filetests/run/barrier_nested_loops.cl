// test: run regions
// run: nested global=8 local=4 (out=zeros:8, n=3, m=2)
// run: nested global=8 local=4 (out=zeros:8, n=0, m=5)
kernel void nested(global int *out, int n, int m) {
  local int tile[4];
  int g = get_global_id(0), l = get_local_id(0), v = g;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i + m; j++) {
      tile[l] = v + j;
      barrier(CLK_LOCAL_MEM_FENCE);
      v += tile[(l + i) & 3];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    v -= i;
  }
  out[g] = v;
}
