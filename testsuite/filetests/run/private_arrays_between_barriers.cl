// Private arrays that loops of a constant count walk through, some by what a constant array says, kept across barriers.
// test: run
// run: rounds global=64 local=16 (data=random:512:1)
// run: rounds global=48 local=8 (data=random:512:2)
// run: rounds global=8 local=1 (data=random:64:3)
// run: sums global=32,2 local=16,2 (a=random:256:4, b=random:256:5, c=zeros:256)
void turned(local uint *to, const uint *from, int stride) {
  int order[] = {0, 4, 2, 6, 1, 5, 3, 7};
  for (int i = 0; i < 8; i++)
    to[i * stride] = from[order[i]];
}
kernel void rounds(global uint2 *data) {
  local uint cells[8 * 16];
  int l = get_local_id(0), n = get_local_size(0);
  int first = get_group_id(0) * n * 4 + l;
  uint x[8];
  for (int i = 0; i < 4; i++) {
    uint2 pair = data[first + i * n];
    x[2 * i] = pair.x;
    x[2 * i + 1] = pair.y;
  }
  turned(cells + l, x, n);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 8; i++)
    x[i] = x[i] * 3 + cells[(i * n + l + 1) % (8 * n)];
  barrier(CLK_LOCAL_MEM_FENCE);
  turned(cells + l, x, n);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 8; i++)
    x[i] ^= cells[((7 - i) * n + n - 1 - l) % (8 * n)];
  for (int i = 0; i < 4; i++)
    data[first + i * n] = (uint2)(x[2 * i], x[2 * i + 1]);
}
// Four sums for each work-item through a loop with barriers.
kernel void sums(global const int *a, global const int *b, global int *c) {
  local int tile[32];
  int l = get_local_id(1) * 16 + get_local_id(0), g = get_group_id(0) * 32 + l;
  int sum[4] = {0, 0, 0, 0};
  for (int t = 0; t < 4; t++) {
    tile[l] = b[t * 32 + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++)
      for (int j = 0; j < 8; j++)
        sum[k] += a[g] * tile[k * 8 + j] + t;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int k = 0; k < 4; k++)
    c[g * 4 + k] = sum[k];
}
