// Sums that are kept in memory from round to round, beside reads of other memory, of the same, and of none at all.
// test: run
// run: rows global=24 (a=random:240:1, x=random:10:2, y=random:24:3, n=10)
// run: rows global=24 (a=random:240:1, x=random:10:2, y=random:24:3, n=0)
// run: own_rows global=16 (a=random:160:4, n=10)
// run: own_rows global=16 (a=random:160:4, n=1)
// run: pairs global=20 local=5 (a=int:random:200:5, out=int:random:200:6, n=50)
// run: some global=24 (a=random:240:7, x=random:10:8, y=random:24:9, n=10)
kernel void rows(global const int *a, global const int *x, global int *y, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; j++)
    y[i] += a[i * 10 + j] * x[j];
}
// Each reads what it has summed up itself.
kernel void own_rows(global int *a, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; j++)
    a[i * 10] += a[i * 10 + j] * 3 + j;
}
typedef struct { int v, x, y, z; } four;
kernel void pairs(global const four *a, global four *out, int n) {
  local four own[50], other[50];
  int g = get_group_id(0);
  for (int w = get_local_id(0); w < n; w += get_local_size(0)) {
    own[w] = a[w];
    other[w] = a[(w + g) % n];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int w = get_local_id(0) + g * 12; w < g * 12 + 12 && w < n; w += get_local_size(0))
    for (int j = 0; j < n; j++) {
      int d = own[w].v - other[j].v + own[w].x * other[j].y;
      out[w].v += d;
      out[w].x ^= d * own[w].z;
      if (d & 1)
        out[w].y += j;
    }
}
// A sum that not every round adds to.
kernel void some(global const int *a, global const int *x, global int *y, int n) {
  int i = get_global_id(0);
  if (a[i] & 1)
    for (int j = 0; j < n && x[j] != i; j++)
      if (a[i * 10 + j] > 0)
        y[i] += x[j];
}
