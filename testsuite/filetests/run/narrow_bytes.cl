// Arithmetic on bytes and shorts that lanes do in 8 and 16 bits: sums and differences whose products take 32, averages, clamped and
// absolute numbers, comparisons with and without signs, divisions, shifts, wrapping low bits, choices behind branches.
// test: run
// run: sobel global=70 local=10 (a=random:216:1, out=zeros:70, w=72)
// run: averages global=67 local=67 (a=random:67:2, b=random:67:3, out=zeros:67)
// run: clamped global=67 local=67 (a=random:67:4, b=random:67:5, out=zeros:67)
// run: clamped global=6 local=2 (a=[0,255,0,255,128,127], b=[-32768,-32768,32767,32767,0,-1], out=zeros:6)
// run: divided global=67 local=67 (a=random:67:6, b=random:67:7, out=zeros:268)
// run: divided global=4 local=4 (a=[0,255,0,255], b=[0,0,255,255], out=zeros:16)
// run: wrapped global=67 local=67 (a=random:67:8, out=zeros:67, n=123456789)
// run: chosen global=67 local=67 (a=random:67:9, b=random:67:10, out=zeros:67)
// run: carried global=35 local=5 (a=random:64:11, out=zeros:35, low=zeros:35, n=29)
// run: unsigned_shorts global=67 local=67 (a=random:67:12, b=random:67:13, out=zeros:67, n=40000)
kernel void sobel(global const uchar *a, global int *out, int w) {
  int x = get_global_id(0) + 1;
#define P(i, j) ((int)a[(1 + j) * w + x + i])
  int gx = P(1, -1) + 2 * P(1, 0) + P(1, 1) - P(-1, -1) - 2 * P(-1, 0) - P(-1, 1);
  int gy = P(-1, 1) + 2 * P(0, 1) + P(1, 1) - P(-1, -1) - 2 * P(0, -1) - P(1, -1);
  out[x - 1] = gx * gx + gy * gy + abs(gx);
}

kernel void averages(global const uchar *a, global const uchar *b, global uchar *out) {
  int i = get_global_id(0);
  int sum = a[i] + 3 * b[i];
  out[i] = (sum + 2 >> 2) + (a[i] + b[i] + 1 >> 1);
}

kernel void clamped(global const uchar *a, global const short *b, global uchar *out) {
  int i = get_global_id(0);
  int d = a[i] - 128, e = b[i] + 100;
  int c = clamp(d * 2, -100, 100) + max(min((int)b[i], 50), -50);
  out[i] = convert_uchar_sat(c) + (abs(d - 3) & 7) + (e > d ? 3 : 5) + (d < 0);
}

kernel void divided(global const uchar *a, global const uchar *b, global short *out) {
  int i = get_global_id(0);
  int d = a[i] - b[i], s = a[i] + b[i];
  out[4 * i] = d / 7 + d % 10;
  out[4 * i + 1] = s / 3 + s % 100;
  out[4 * i + 2] = (d >> 3) + (s >> 1);
  out[4 * i + 3] = ((uint)d >> 5) + d / -7;
}

kernel void wrapped(global const char *a, global uchar *out, int n) {
  int i = get_global_id(0);
  int v = a[i] + n;
  v = (v ^ 0x55) << 3;
  v -= a[i] * n;
  v |= a[i] & 12;
  out[i] = v;
}

kernel void chosen(global const uchar *a, global const uchar *b, global int *out) {
  int i = get_global_id(0);
  int v = a[i] + b[i], u;
  if (a[i] > 99) {
    u = v - 255;
    if (b[i] & 1)
      u = u * 2 + a[i];
  } else {
    u = v > 200 ? a[i] - 7 : 5;
  }
  out[i] = u - a[i] + (u == v);
}

kernel void carried(global const uchar *a, global int *out, global uchar *low, int n) {
  int i = get_global_id(0);
  int sum = 0, bits = 0, most = 0;
  for (int j = 0; j < n; ++j) {
    sum += a[i + j] - 100;
    bits += a[i + j] * 3;
    most = max(most, (int)a[i + j] + (j & 1));
    if (a[i + j] == i)
      break;
  }
  out[i] = sum + most;
  low[i] = bits;
}

kernel void unsigned_shorts(global const ushort *a, global const ushort *b, global int *out, int n) {
  int i = get_global_id(0);
  int x = a[i] & 0xfff0, y = (a[i] + b[i]) >> 1;
  int m = min(x, y) ^ b[i];
  out[i] = (m < x) + 2 * (y > n) + 4 * (x < y) + 8 * ((a[i] | 1) >= (b[i] & 0x7fff));
}
