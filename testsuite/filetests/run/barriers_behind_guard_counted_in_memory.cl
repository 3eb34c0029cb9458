// A loop around barriers behind a guard, whose count is read from memory: who skips it may not read there, so one work-item runs at a time.
// test: run
// width: 1
// run: by_number global=64 local=32 (a=random:64:6, flags=range:64, n=32, k=3, c=zeros:64)
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
