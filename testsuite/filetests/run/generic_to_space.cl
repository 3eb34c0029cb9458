// test: run
// bits: 64, processors do not say where their memories lie
// options: -cl-std=CL3.0
// run: kinds global=8 local=4 (out=zeros:8, in=range:8, extra=local:16) -> out=[1111111,1111111,1111111,1111111,1111111,1111111,1111111,1111111]
// run: kinds global=6 local=4 (out=zeros:6, in=range:6, extra=local:16) -> out=[1111111,1111111,1111111,1111111,1111111,1111111]
// run: chosen global=8 local=8 (out=zeros:8, in=range:8) -> out=[100,1,152,3,254,5,356,7]
// run: kept global=8 local=8 (out=zeros:8) -> out=[13,23,33,43,53,63,73,83]
// Where a generic pointer leads to, known only when it runs: to a helper that is not inlined where it need not be, from pointers that
// are chosen by id, and to private arrays that live across barriers.

int kind(int *at) {
  return (to_global(at) == (global int *)at) + 2 * (to_local(at) == (local int *)at) + 4 * (to_private(at) == (private int *)at);
}

kernel void kinds(global int *out, global int *in, local int *extra) {
  local int tile[4];
  int mine[2], g = get_global_id(0), l = get_local_id(0);
  tile[l] = mine[0] = mine[1] = extra[l] = g;
  barrier(CLK_LOCAL_MEM_FENCE);
  int right = (kind(&out[g]) == 1) + 10 * (kind(in) == 1) + 100 * (kind(&tile[l]) == 2) + 1000 * (kind(extra) == 2) +
              10000 * (kind(&mine[1]) == 4) + 100000 * (get_fence(tile) == CLK_LOCAL_MEM_FENCE) +
              1000000 * (get_fence(in) == CLK_GLOBAL_MEM_FENCE);
  out[g] = right;
}

kernel void chosen(global int *out, global int *in) {
  local int tile[8];
  int l = get_local_id(0);
  tile[l] = 100 * (l + 1) / 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  int *at = l & 1 ? (int *)&in[l] : (int *)&tile[l == 0 ? 1 : l];
  local int *here = to_local(at);
  global int *there = to_global(at);
  private int *own = to_private(at);
  out[l] = (here ? here[0] + l : 0) + (there ? *there : 0) + (own ? 10000 : 0);
}

kernel void kept(global int *out) {
  int mine[4], l = get_local_id(0);
  for (int i = 0; i < 4; i++) mine[i] = 10 * i + l;
  local int tile[8];
  tile[l] = l;
  int *at = l < 9 ? (int *)&mine[l & 3] : (int *)&tile[l];
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    private int *own = to_private(at);
    if (own) { *own += 1; sum += tile[(l + i) & 7]; }
  }
  out[l] = 10 * (l + 1) + (mine[l & 3] == 10 * (l & 3) + l + 2) + (to_private(at) != 0) + (to_local(at) == 0) + 0 * sum;
}
