// A function of the program has the name that LLVM calls to copy a kilobyte; its count is in ints.
// test: run
// bits: 64
// run: k global=1 local=1 (in=range:1024, out=zeros:1024, check=[-1], n=1) -> check=[0]
typedef struct { int v[256]; } block;
__attribute__((noinline)) void memcpy(global int *to, global const int *from, int count) {
  for (int i = 0; i < count; i++)
    to[i] = from[i];
}
kernel void k(global const int *in, global int *out, global int *check, int n) {
  *(global block *)out = *(global const block *)in;
  check[0] = ((volatile global int *)out)[256];
  memcpy(check, out + 1000, n); // keeps the function alive: out[1000] is 0
}
