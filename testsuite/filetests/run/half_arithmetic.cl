// test: run
// Each result is that of exact arithmetic, rounded once, on all kinds of values: with conversions in hardware and without.
// run: arithmetic global=1024 local=16 (first=ushort:zeros:1, out=zeros:10240)
// run: arithmetic global=256 local=64 (first=ushort[1009], out=zeros:2560)
// run: two_roundings global=8 (out=zeros:8) -> out=[15360,15361,1,0,31744,31743,33281,15362]
#ifndef cl_khr_fp16
#error
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// NaNs are all one.
ushort bits_of(half x) { return isnan(x) ? (ushort)0x7e00 : as_ushort(x); }

kernel void arithmetic(global const ushort *first, global ushort *out) {
  int g = get_global_id(0);
  half x = as_half((ushort)(g * 64 + first[0]));
  half y = as_half((ushort)(g * 40503 + 77));
  half z = as_half((ushort)(g * 1103 + 15000));
  global ushort *own = out + g * 10;
  own[0] = bits_of(x + y);
  own[1] = bits_of(x - z);
  own[2] = bits_of(x * y);
  own[3] = bits_of(y / z);
  own[4] = bits_of(sqrt(x));
  own[5] = bits_of(fma(x, y, z));
  own[6] = bits_of(rint(x) + floor(y) - trunc(z));
  own[7] = (x < y) | (x <= z) << 1 | (y == z) << 2 | (x != x) << 3 | isgreater(y, z) << 4 | isfinite(x) << 5;
  own[8] = bits_of(-x) ^ bits_of(fabs(y)) ^ bits_of(copysign(z, x));
  own[9] = bits_of(fmax(x, y)) ^ bits_of(fmin(y, z)) ^ bits_of(nextafter(x, y));
}

// A sum that is halfway but for a small product; values between two halves; the largest; the smallest.
kernel void two_roundings(global ushort *out) {
  half one = 1.0h + (half)get_global_id(1);
  half values[8];
  values[0] = fma(one, 0x1p-11h, one);
  values[1] = fma(0x1.004p-11h, one, one);
  values[2] = 0x1p-24h * one;
  values[3] = 0x1p-24h * (one * 0.5h);
  values[4] = 65504.0h * one + 16.0h;
  values[5] = 65504.0h * one + 15.0h;
  values[6] = as_half((ushort)0x8201) * one;
  values[7] = (half)(1.0f + 0x1.8p-10f * (float)one);
  out[get_global_id(0)] = as_ushort(values[get_global_id(0)]);
}
