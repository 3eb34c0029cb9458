// Arithmetic on 64-bit numbers that lanes do in 32 and 16 bits.
// test: run
// bits: 64
// run: long_sums global=67 local=67 (a=random:67:14, b=random:67:15, out=zeros:67)
kernel void long_sums(global const uint *a, global const int *b, global ulong *out) {
  int i = get_global_id(0);
  ulong s = ((ulong)a[i] & 0xffff) * 3 + (a[i] >> 20) * 5;
  long d = (long)(short)b[i] - (long)(b[i] >> 16);
  out[i] = s + (d < 0 ? -d : d) * 2 + (s > 100000);
}
