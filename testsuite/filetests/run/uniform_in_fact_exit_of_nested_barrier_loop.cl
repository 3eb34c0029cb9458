// All work-items take the same exits, which no analysis can see. A product of two arguments is computed before the
// inner barrier and used behind it, in a region that also computes it anew.
// test: run
// width: 1
// options: -cl-std=CL3.0
// run: k global=64 local=16 (in=[0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0,1,2,3,4,5,6,0], out=zeros:64, n=3) -> out=[3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3]
kernel void k(global const int *in, global int *out, int n) {
  int gl = get_global_id(0);
  for (int i = 0; i < 25; i += 5) {
    for (int j = 0; j < 10; j += 5) {
      if ((long)n * j > 6) break;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (in[gl] > 95) break;
    }
  }
  out[gl] = n;
}
