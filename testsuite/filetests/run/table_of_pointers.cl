// A table of pointers to constant memory, read once by an index that is not known: LLVM makes distances of such tables where it may.
// test: run
// run: choose global=1 (n=2, out=zeros:1) -> out=[200]
// run: choose global=1 (n=0, out=zeros:1) -> out=[2]
// run: each global=4 local=2 (at=[1,0,2,1], out=zeros:4) -> out=[20,1,300,20]
constant int small[] = {1, 2};
constant int middle[] = {10, 20};
constant int large[] = {100, 200, 300};
constant int *constant tables[] = {small, middle, large};
constant int *constant others[] = {small, middle, large};
kernel void choose(int n, global int *out) {
  constant int *table = tables[n];
  out[0] = table[1];
}
kernel void each(global const int *at, global int *out) {
  int i = get_global_id(0);
  constant int *table = others[at[i]];
  out[i] = table[at[i]];
}
