// Loops around barriers behind a guard that are not seen to end for who skips them: one's count is read from memory, which may not be read then, another's
// step is not 0 only where the guard holds. One work-item runs at a time.
// test: run
// width: 1
// run: by_number global=64 local=32 (a=random:64:6, flags=range:64, n=32, k=3, c=zeros:64)
// run: by_step global=64 local=32 (a=random:64:7, n=64, m=9, step=0, c=zeros:64)
// run: by_step global=64 local=32 (a=random:64:7, n=32, m=9, step=2, c=zeros:64)
// The way between barriers depends on memory.
kernel void by_number(global const int *a, global const int *flags, int n, int k, global int *c) {
  local int tile[32];
  int i = get_global_id(0), l = get_local_id(0), sum = 0;
  if (i < n) {
    for (int r = 0; r < flags[k]; r++) {
      tile[l] = a[(i + r) & 63];
      barrier(CLK_LOCAL_MEM_FENCE);
      sum += tile[l & 4] * (r + 1);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  c[i] = sum;
}
kernel void by_step(global const int *a, int n, int m, int step, global int *c) {
  local int tile[32];
  int i = get_global_id(0), l = get_local_id(0), sum = 0;
  if (i < n && step > 0) {
    for (int r = 0; r < m; r += step) {
      tile[l] = a[(i + r) & 63];
      barrier(CLK_LOCAL_MEM_FENCE);
      sum += tile[l & 4] * (r + 1);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  c[i] = sum;
}
