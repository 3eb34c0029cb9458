// Functions, a constant and a kernel of the program have names of the C library: LLVM knows some and calls others.
// test: run
// run: named global=2 local=2 (in=[4,9], out=zeros:2) -> out=[16,28]
// run: memcpy global=1 local=1 (in=range:1024, out=zeros:1024, check=zeros:2) -> check=[255,0]
// run: filled global=1 local=1 (out=all:7:512, check=zeros:2) -> check=[0,7]
constant int aligned_alloc[2] = {5, 7};
typedef struct { int v[256]; } block;

__attribute__((noinline)) float sqrtf(float x) { return x * 2; }
__attribute__((noinline)) int abort(int x) { return x + 3; }
__attribute__((noinline)) void memset(global int *to, int value, int count) {
  for (int i = 0; i < count; i++)
    to[i] = value;
}
__attribute__((noinline)) void memmove(global int *to, global const int *from, int count) {
  for (int i = 0; i < count; i++)
    to[i] = from[i];
}

kernel void named(global const int *in, global int *out) {
  int g = get_global_id(0);
  int kept = in[g];
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[g] = (int)sqrtf(kept) + abort(aligned_alloc[g & 1]) + (g ? 0 : 0);
}

kernel void memcpy(global const int *in, global int *out, global int *check) {
  *(global block *)out = *(global const block *)in;
  check[0] = ((volatile global int *)out)[255];
  memmove(check + 1, out + 256, 1);
}

kernel void filled(global int *out, global int *check) {
  block zero = {{0}};
  *(global block *)out = zero;
  check[0] = ((volatile global int *)out)[255];
  check[1] = ((volatile global int *)out)[256];
  memset(out + 300, 1, 1);
}
