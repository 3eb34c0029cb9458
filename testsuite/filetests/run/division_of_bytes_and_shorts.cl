// Quotients and rests of numbers of 8 and 16 bits by numbers that differ: lanes divide them by floats. What is stored fits in as many
// bits, so that they are divided in these; the rest and the product tell whether a quotient is right.
// test: run
// run: bytes global=4096 (zeros=zeros:256, first=0, wrong=zeros:1) -> wrong=[0]
// run: bytes global=4096 (zeros=zeros:256, first=16, wrong=zeros:1) -> wrong=[0]
// run: bytes global=4096 (zeros=zeros:256, first=112, wrong=zeros:1) -> wrong=[0]
// run: bytes global=4096 (zeros=zeros:256, first=240, wrong=zeros:1) -> wrong=[0]
// run: signed_bytes global=4096 (zeros=zeros:256, first=-16, wrong=zeros:1) -> wrong=[0]
// run: signed_bytes global=4096 (zeros=zeros:256, first=-128, wrong=zeros:1) -> wrong=[0]
// run: signed_bytes global=4096 (zeros=zeros:256, first=0, wrong=zeros:1) -> wrong=[0]
// run: shorts global=2048 (zeros=zeros:256, d=1, wrong=zeros:1) -> wrong=[0]
// run: shorts global=2048 (zeros=zeros:256, d=3, wrong=zeros:1) -> wrong=[0]
// run: shorts global=2048 (zeros=zeros:256, d=255, wrong=zeros:1) -> wrong=[0]
// run: shorts global=2048 (zeros=zeros:256, d=257, wrong=zeros:1) -> wrong=[0]
// run: shorts global=2048 (zeros=zeros:256, d=40503, wrong=zeros:1) -> wrong=[0]
// run: shorts global=2048 (zeros=zeros:256, d=65535, wrong=zeros:1) -> wrong=[0]
// run: signed_shorts global=2048 (zeros=zeros:256, d=-1, wrong=zeros:1) -> wrong=[0]
// run: signed_shorts global=2048 (zeros=zeros:256, d=-181, wrong=zeros:1) -> wrong=[0]
// run: signed_shorts global=2048 (zeros=zeros:256, d=32767, wrong=zeros:1) -> wrong=[0]
// run: with_a_bit global=64 (a=random:64:1, b=random:64:2, q=zeros:64)
kernel void bytes(global const uchar *zeros, int first, global int *wrong) {
  int i = get_global_id(0);
  uchar a = zeros[i & 255] ^ (uchar)i;
  uchar d = zeros[i >> 8] + (uchar)(first + (i >> 8));
  d = d == 0 ? 1 : d;
  uchar q = a / d, r = a % d;
  if (q * d + r != a || r >= d)
    atomic_inc(wrong);
}
kernel void signed_bytes(global const char *zeros, int first, global int *wrong) {
  int i = get_global_id(0);
  char a = zeros[i & 255] ^ (char)i;
  char d = zeros[i >> 8] + (char)(first + (i >> 8));
  d = d == 0 ? 1 : d;
  short q = a / d, r = a % d;
  if (q * d + r != a || abs(r) >= abs((int)d) || (r != 0 && (r < 0) != (a < 0)))
    atomic_inc(wrong);
}
// By one number for all, and by another for each: multiples, what comes before them, and anything.
kernel void shorts(global const ushort *zeros, ushort d, global int *wrong) {
  int i = get_global_id(0);
  ushort k = zeros[i & 255] + (ushort)(i * 33);
  ushort e = zeros[i & 127] + (ushort)(i * 40503 + 1);
  e = e == 0 ? 1 : e;
  ushort a = k / d * d, b = a - 1, c = k / e * e - 1;
  ushort q = a / d, r = b % d, s = b / d, t = c / e, u = c % e;
  if (q * d != a || (int)s * d + r != b || r >= d || (int)t * e + u != c || u >= e)
    atomic_inc(wrong);
}
kernel void signed_shorts(global const short *zeros, short d, global int *wrong) {
  int i = get_global_id(0);
  short a = zeros[i & 255] + (short)(i * 32 + (i & 1));
  short e = zeros[i & 127] + (short)(i * 40503 + 1);
  e = e == 0 ? 1 : e;
  int q = a / d, r = a % d, s = a / e, t = a % e;
  if (q * d + r != a || abs(r) >= abs((int)d) || s * e + t != a || abs(t) >= abs((int)e))
    atomic_inc(wrong);
}
// Divisors that a constant keeps from being 0, and a greater one of two that the quotient never is.
kernel void with_a_bit(global const uchar *a, global const uchar *b, global uchar *q) {
  int i = get_global_id(0);
  uchar w = a[i], v = w / (b[i] | 1);
  v = max(v, w) - 1;
  q[i] = v + w % (uchar)(b[i] | 2) + (a[i] & 7) / (b[i] | 64);
}
