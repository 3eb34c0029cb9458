// The bound of a barrier loop is a call of a helper that computes only: the flow stays regular.
// test: run regions
// run: k global=8 local=4 (out=zeros:8, n=40) -> out=[9,9,9,9,21,21,21,21]
int tiles(int n) { return (n + 15) / 16; }
kernel void k(global int *out, int n) {
  local int t[4];
  int l = get_local_id(0), g = get_global_id(0), v = 0;
  for (int i = 0; i < tiles(n); i++) {
    t[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    v += t[3];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = v;
}
