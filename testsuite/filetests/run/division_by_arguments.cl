// Quotients and rests of all widths, by one number for all and by one for each work-item, at the ends of the types.
// test: run
// run: signed_by_one global=16 (a=int[0,1,-1,2147483647,-2147483647,-2147483648,6,-6,7,-7,8,-8,1073741824,-1073741825,99,-100], d=7, q=zeros:16, r=zeros:16)
// run: signed_by_one global=16 (a=int[0,1,-1,2147483647,-2147483647,2147483646,6,-6,7,-7,8,-8,1073741824,-1073741825,99,-100], d=-1, q=zeros:16, r=zeros:16)
// run: signed_by_one global=16 (a=int[0,1,-1,2147483647,-2147483647,-2147483648,6,-6,7,-7,8,-8,1073741824,-1073741825,99,-100], d=-2147483648, q=zeros:16, r=zeros:16)
// run: signed_by_one global=64 (a=random:64:1, d=-3, q=zeros:64, r=zeros:64)
// run: signed_by_one global=64 (a=random:64:2, d=65537, q=zeros:64, r=zeros:64)
// run: signed_by_one global=64 (a=random:64:3, d=2147483647, q=zeros:64, r=zeros:64)
// run: unsigned_by_one global=16 (a=uint[0,1,2,4294967295,4294967294,2147483648,2147483647,6,7,8,13,14,15,4294967288,4294967289,4294967290], d=7, q=zeros:16, r=zeros:16)
// run: unsigned_by_one global=16 (a=uint[0,1,2,4294967295,4294967294,2147483648,2147483647,6,7,8,13,14,15,4294967288,4294967289,4294967290], d=1, q=zeros:16, r=zeros:16)
// run: unsigned_by_one global=16 (a=uint[0,1,2,4294967295,4294967294,2147483648,2147483647,6,7,8,13,14,15,4294967288,4294967289,4294967290], d=4294967295, q=zeros:16, r=zeros:16)
// run: unsigned_by_one global=64 (a=random:64:4, d=3, q=zeros:64, r=zeros:64)
// run: unsigned_by_one global=64 (a=random:64:5, d=2147483649, q=zeros:64, r=zeros:64)
// run: signed_by_each global=64 (a=random:64:6, b=random:64:7, q=zeros:64, r=zeros:64)
// run: unsigned_by_each global=64 (a=random:64:8, b=random:64:9, q=zeros:64, r=zeros:64)
// run: near_multiples global=256 (d=3, wrong=zeros:1) -> wrong=[0]
// run: near_multiples global=256 (d=46341, wrong=zeros:1) -> wrong=[0]
// run: near_multiples global=256 (d=4294967295, wrong=zeros:1) -> wrong=[0]
// run: narrow global=64 (a=random:64:10, d=-5, e=random:64:11, q=zeros:64, r=zeros:64)
// run: some global=64 (a=random:64:12, d=11, q=zeros:64)
// run: some global=64 (a=random:64:12, d=0, q=zeros:64)
// run: by_power global=64 (a=random:64:13, k=0, q=zeros:64, r=zeros:64)
// run: by_power global=64 (a=random:64:14, k=13, q=zeros:64, r=zeros:64)
// run: by_power global=64 (a=random:64:15, k=31, q=zeros:64, r=zeros:64)
kernel void signed_by_one(global const int *a, int d, global int *q, global int *r) {
  int i = get_global_id(0);
  q[i] = a[i] / d;
  r[i] = a[i] % d;
}
kernel void unsigned_by_one(global const uint *a, uint d, global uint *q, global uint *r) {
  int i = get_global_id(0);
  q[i] = a[i] / d;
  r[i] = a[i] % d;
}
kernel void signed_by_each(global const int *a, global const int *b, global int *q, global int *r) {
  int i = get_global_id(0), d = b[i] >> (i % 28);
  d = d == 0 || d == -1 ? 5 : d;
  q[i] = a[i] / d;
  r[i] = a[i] % d;
}
kernel void unsigned_by_each(global const uint *a, global const uint *b, global uint *q, global uint *r) {
  int i = get_global_id(0);
  uint d = b[i] >> (i % 30);
  d += d == 0;
  q[i] = a[i] / d;
  r[i] = a[i] % d;
}
// A multiple, what follows it, and what comes before it, against products.
kernel void near_multiples(uint d, global int *wrong) {
  uint k = (uint)get_global_id(0) * 16843009u / d;
  uint m = k * d;
  if (m / d != k || m % d != 0 || (d > 1 && m < 0xffffffffu && (m + 1) / d != k) || (k > 0 && (m - 1) / d != k - 1))
    atomic_inc(wrong);
}
kernel void narrow(global const char *a, char d, global const ushort *e, global short *q, global ushort *r) {
  int i = get_global_id(0);
  q[i] = a[i] / d;
  r[i] = e[i] / (ushort)(d + 77) + e[i] % (ushort)(d + 77);
}
// Work-items that do not divide, and nobody where the divisor is 0.
kernel void some(global const int *a, int d, global int *q) {
  int i = get_global_id(0);
  if (d != 0 && a[i] > 0)
    q[i] = a[i] / d - (a[i] ^ i) % d;
}
kernel void by_power(global const uint *a, uint k, global uint *q, global uint *r) {
  int i = get_global_id(0);
  q[i] = a[i] / (1u << k);
  r[i] = a[i] % (1u << k);
}
