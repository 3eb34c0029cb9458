// Local pointers exchanged in a loop: they are uniform but loop-carried.
// test: run regions
// run: pingpong global=8 local=4 (out=zeros:8, n=3)
kernel void pingpong(global int *out, int n) {
  local int a[4], b[4];
  local int *from = a, *to = b;
  int l = get_local_id(0);
  a[l] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < n; i++) {
    to[l] = from[(l + 1) & 3] + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *t = from;
    from = to;
    to = t;
  }
  out[get_global_id(0)] = from[l];
}
