// Barriers behind branches that depend on a work-item's number and that all work-items of a group take, or none: sums by trees, loops around
// barriers, guards inside of guards, values that live across, and results behind.
// test: run
// run: tree global=128 local=32 (rows=random:16:1, n=96, width=8, c=zeros:16, d=range:128)
// run: tree global=128 local=32 (rows=random:16:1, n=0, width=8, c=zeros:16, d=range:128)
// run: tree global=128 local=32 (rows=random:16:1, n=128, width=4, c=zeros:16, d=range:128)
// run: tree global=128 local=32 (rows=random:16:1, n=128, width=0, c=zeros:16, d=range:128)
// run: shared global=96 local=32 (a=random:96:2, n=64, m=5, c=zeros:96)
// run: shared global=96 local=32 (a=random:96:2, n=96, m=3, c=zeros:96)
// run: shared global=96 local=32 (a=random:96:2, n=0, m=0, c=zeros:96)
// run: nested global=64,2 local=16,2 (a=random:128:3, n=48, m=2, c=zeros:128)
// run: nested global=64,2 local=16,2 (a=random:128:3, n=64, m=0, c=zeros:128)
// run: early global=96 local=32 (a=random:96:4, n=64, c=zeros:96)
// run: counted global=64 local=32 (a=random:64:5, n=32, rounds=4, c=zeros:64)
// run: counted global=64 local=32 (a=random:64:5, n=32, rounds=0, c=zeros:64)
kernel void tree(global const int *rows, int n, int width, global int *c, global int *d) {
  local int sums[32];
  int t = get_local_id(0), id = t & (width - 1);
  int mine = get_group_id(0) * 4 + t / 8;
  sums[t] = 0;
  if (mine * 8 < n) {
    int sum = 0;
    for (int j = rows[mine] & 7; j < 8 + t; j += 3)
      sum += rows[(mine + j) & 15] ^ j;
    sums[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int bar = width / 2;
    while (bar > 0) {
      if (id < bar)
        sums[t] += sums[(t + bar) & 31];
      barrier(CLK_LOCAL_MEM_FENCE);
      bar = bar / 2;
    }
    if (id == 0)
      c[mine & 15] = sums[t & 24];
    d[get_global_id(0)] += bar + sum;
  }
}
kernel void shared(global const int *a, int n, int m, global int *c) {
  local int tile[8];
  int i = get_global_id(0), l = get_local_id(0);
  int result = -1;
  if (i < n) {
    if (l == 0)
      for (int k = 0; k < m; k++)
        tile[k] = a[k] + get_group_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    result = a[i];
    for (int k = 0; k < m; k++)
      result = result * 3 + tile[k];
    if (result & 1)
      result ^= i;
  }
  c[i] = result;
}
kernel void nested(global const int *a, int n, int m, global int *c) {
  local int tile[32];
  int x = get_global_id(0), y = get_global_id(1), at = get_local_id(1) * 16 + get_local_id(0);
  int result = x;
  if (x < n) {
    tile[at] = a[y * 64 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    result += tile[get_local_id(1) * 16];
    if (y < m) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0)
        tile[at] = result * 5;
      barrier(CLK_LOCAL_MEM_FENCE);
      result ^= tile[get_local_id(1) * 16];
    }
  } else {
    result = -x;
  }
  c[y * 64 + x] = result;
}
kernel void early(global const int *a, int n, global int *c) {
  local int tile[32];
  int i = get_global_id(0), l = get_local_id(0);
  if (i >= n)
    return;
  tile[l] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = tile[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[l] = sum ^ l;
  barrier(CLK_LOCAL_MEM_FENCE);
  c[i] = tile[l & 1] + sum;
}
kernel void counted(global const int *a, int n, int rounds, global int *c) {
  local int tile[32];
  int i = get_global_id(0), l = get_local_id(0), sum = 0, last = 7;
  if (i < n) {
    for (int r = 0; r < rounds; r++) {
      tile[l] = a[(i + r) & 63];
      barrier(CLK_LOCAL_MEM_FENCE);
      last = sum;
      sum += tile[l & 4] * (r + 1);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum ^= last;
  }
  c[i] = sum + last;
}
