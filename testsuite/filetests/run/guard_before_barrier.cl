// Two work-items of the second group leave before the barrier. OpenCL leaves that undefined; here the others go on, on
// `ref` it is an error.
// test: run regions
// targets: cpu basic
// run: guard global=8 local=4 (in=[5,1,4,2,8,3,7,6], out=[-1,-1,-1,-1,-1,-1,-1,-1], n=6) -> out=[11,7,10,8,19,14,-1,-1]
kernel void guard(global const int *in, global int *out, int n) {
  local int t[4];
  int g = get_global_id(0), l = get_local_id(0);
  t[l] = in[g];
  if (g >= n)
    return;
  int keep = in[g] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = keep + t[l ^ 1];
}
