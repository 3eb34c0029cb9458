// Loops whose rounds come to lines of their own, in which the work-items' elements are neighbours: in the code for one work-item at a
// time the group goes through each round together. What work-items do in a round may differ, and rounds may end early for all.
// test: run
// options: -cl-std=CL2.0
// run: counts global=64 local=32 (in=range:512, out=zeros:16, n=8)
// run: counts global=64 local=1 (in=range:512, out=zeros:16, n=8)
// run: counts global=44 local=16 (in=range:352, out=zeros:16, n=8)
// run: counts global=32 local=32 (in=range:256, out=zeros:16, n=0)
// run: branches global=64 local=64 (in=range:640, out=zeros:64, n=10, last=6)
// run: turns global=48 local=16 (in=range:768, out=zeros:768, n=16)
// run: two global=32 local=16 (in=range:512, out=zeros:512, n=16)
kernel void counts(global const int *in, global int *out, int n) {
  local int bins[16];
  int l = get_local_id(0), size = get_local_size(0), all = get_global_size(0);
  for (int i = l; i < 16; i += size) bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < n; i++) atomic_inc(&bins[(in[i * all + get_global_id(0)] * 7) & 15]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = l; i < 16; i += size) atomic_add(&out[i], bins[i]);
}
// Branches in a round, of some and of all; an end that all come to.
kernel void branches(global const int *in, global int *out, int n, int last) {
  local int sums[64];
  int l = get_local_id(0);
  sums[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < n; i++) {
    int x = in[i * 64 + l];
    if (x % 3 == 0) atomic_add(&sums[(l + i) & 63], x);
    else if (x % 5 == 1) atomic_sub(&sums[(l * 5) & 63], i);
    if (i == last) break;
    if (i & 1) atomic_add(&sums[l], 4);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = sums[l];
}
// A work-item reads in later rounds what it wrote itself in earlier ones.
kernel void turns(global const int *in, global int *out, int n) {
  local int first;
  int g = get_global_id(0), all = get_global_size(0);
  if (get_local_id(0) == 0) first = g;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = in[g] + first;
  for (int i = 1; i < n; i++) out[i * all + g] = out[(i - 1) * all + g] * 3 + in[i * all + g];
}
// One loop after the other, the first in a loop of the group.
kernel void two(global const int *in, global int *out, int n) {
  local int tile[16];
  int l = get_local_id(0), g = get_global_id(0);
  for (int k = 0; k < 2; k++) {
    tile[l] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < n / 2; i++) out[(k * n / 2 + i) * 32 + g] = in[(k * n / 2 + i) * 32 + g] + tile[(l + i) & 15];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < n; i++) out[i * 32 + g] ^= i + l;
}
