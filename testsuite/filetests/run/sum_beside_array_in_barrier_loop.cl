// A loop of the group's that ends in a loop over work-items: what LLVM may assume of the inner loop is not the outer one's.
// test: run
// run: sums global=16 local=16 (out=zeros:16) -> out=[36,72,108,144,180,216,252,288,324,360,396,432,468,504,540,576]
// run: sums global=64 local=16 (out=zeros:64)
kernel void sums(global int *out) {
  int l = get_local_id(0);
  int w[8];
  uint x = 0u;
  for (int i = 0; i < 8; i++) {
    w[(uint)i] = (l + 1) * (i + 1);
    x += w[((uint)i) % 8u];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = (int)x;
}
