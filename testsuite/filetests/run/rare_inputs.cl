// test: run
// Subnormal, infinite and negative inputs and NaNs beside ordinary ones: functions find lanes with such inputs and mend these alone.
// bits: 64, the code of all of them is long
// run: ends global=512 local=32 (seed=uint[7], out=zeros:8192)
// run: ends global=64 local=64 (seed=uint[1], out=zeros:1024)

// NaNs are all one.
uint bits_of(float x) { return isnan(x) ? 0x7fc00000u : as_uint(x); }

kernel void ends(global const uint *seed, global uint *out) {
  uint g = get_global_id(0);
  uint bits = (g + seed[0]) * 2654435761u;
  // Of the kinds of values that are rare, some in each vector and none in others.
  bits = (g & 63) < 32 && g % 5 == 0 ? bits & 0x807fffffu : bits;
  bits = (g & 63) < 40 && g % 7 == 0 ? bits | 0x7f800000u : bits;
  bits = g % 11 == 0 ? bits & 0xff800000u : bits;
  float x = as_float(bits);
  // From about -1 to 1.
  float u = as_float((bits & 0x80ffffffu) | 0x3f000000u) * (g % 13 == 0 ? 1.0f : 0.75f);
  float y = g % 17 == 0 ? x : (float)(int)(g % 9) - 4.0f;
  global uint *own = out + g * 16;
  own[0] = bits_of(log(x));
  own[1] = bits_of(log2(x));
  own[2] = bits_of(log10(x));
  own[3] = bits_of(log1p(x));
  own[4] = bits_of(expm1(x));
  own[5] = bits_of(sinh(x));
  own[6] = bits_of(tanh(x));
  own[7] = bits_of(asinh(x));
  own[8] = bits_of(acosh(x));
  own[9] = bits_of(atanh(u));
  own[10] = bits_of(cbrt(x));
  own[11] = bits_of(erf(x));
  own[12] = bits_of(pow(x, y));
  own[13] = bits_of(sin(x));
  own[14] = bits_of(cos(x));
  own[15] = bits_of(log(u));
}
