// Private arrays that loops of a constant count walk through become values, also of two dimensions and behind an early end; one that
// a loop of another count walks through stays an array.
// test: run
// run: sums global=16,4 local=8,2 (a=random:256:1, b=random:256:2, c=zeros:256, n=16)
// run: squares global=64 local=16 (a=random:64:3, c=zeros:64)
// run: until global=64 local=16 (a=random:64:4, c=zeros:64, most=[3,8,0,5])
kernel void sums(global const float *a, global const float *b, global float *c, int n) {
  int x = get_global_id(0), y = 4 * get_global_id(1);
  float s[4] = {0, 0, 0, 0};
  for (int k = 0; k < n; k++)
    for (int r = 0; r < 4; r++)
      s[r] += a[(y + r) * n + k] * b[k * n + x];
  for (int r = 0; r < 4; r++)
    c[(y + r) * n + x] = s[r];
}

kernel void squares(global const int *a, global int *c) {
  int x = get_global_id(0), m[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      m[i][j] = a[(x + i * 5 + j) % 64];
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    if (m[i][i] == 7)
      break;
    for (int j = 0; j < 3; j++)
      sum += m[i][j] * m[j][i];
  }
  c[x] = sum;
}

kernel void until(global const int *a, global int *c, global const int *most) {
  int x = get_global_id(0), last[8];
  for (int i = 0; i < 8; i++)
    last[i] = a[x] + i;
  int sum = 0;
  for (int i = 0; i < most[x % 4]; i++)
    sum += last[i];
  c[x] = sum;
}
