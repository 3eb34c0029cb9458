// Nested uniform loops, a barrier in the outer one, a private accumulator across barriers.
// test: run regions
// run: matmul global=8,8 local=4,4 (a=range:64, b=range:64, c=zeros:64, n=8)
// run: matmul global=16,16 local=4,4 (a=random:256:3, b=random:256:4, c=zeros:256, n=16)
// ulp: 4
kernel void matmul(global const float *a, global const float *b, global float *c, int n) {
  local float ta[4][4], tb[4][4];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  float sum = 0;
  for (int t = 0; t < n / 4; t++) {
    ta[ly][lx] = a[y * n + t * 4 + lx];
    tb[ly][lx] = b[(t * 4 + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++)
      sum += ta[ly][k] * tb[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
