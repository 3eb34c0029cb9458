// Sums that saturate, compared in lanes of shorts: LLVM 22.1 has no instruction for a copy that it makes of this where it knows
// that the numbers lose nothing when they are cut (random programs, seed 99100021).
// test: run
// width: any
// run: k global=6 (out=zeros:6, n=3, m=7) -> out=[0,1,1,1,1,1]
kernel void k(global int *out, int n, uint m) {
  int g = get_global_id(0);
  short4 one = mad_sat((short4)g, (short4)n, (short4)0);
  short4 other = mad_sat((short4)m, (short4)(0, m, 0, 0), (short4)0);
  out[g] = any(one > other);
}
