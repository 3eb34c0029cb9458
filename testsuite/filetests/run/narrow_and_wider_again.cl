// Values that are cut to a narrow type and made wider again, but not as wide as they were: LLVM's SPIR-V back end takes the
// value as it was for one of the type between. Conversions that change no bit, and those of unsigned numbers that saturate.
// test: run
// run: k global=64 local=16 (in=random:64:21, longs=random:64:22, out=zeros:320, vectors=zeros:256)
kernel void k(global const uint *in, global const ulong *longs, global uint *out, global ushort4 *vectors) {
  size_t i = get_global_id(0);
  uint x = in[i];
  ulong y = longs[i];
  out[i * 5] = (ushort)(uchar)x + (ushort)(uchar)y * 3u;
  out[i * 5 + 1] = (uint)(uchar)y + (uint)(ushort)(y >> 7);
  ushort both = (uchar)(x >> 3);
  both ^= (uchar)(y >> 9);
  out[i * 5 + 2] = both;
  out[i * 5 + 3] = (ushort)(char)x + (uint)(short)(y >> 5);
  bool odd = x & 1;
  uchar flag = odd;
  out[i * 5 + 4] = flag + (uchar)(odd != (bool)(y & 2));
  vectors[i] = convert_ushort4(convert_uchar4((uint4)(x, x >> 4, x >> 8, x >> 12)));
  out[i * 5 + 1] ^= convert_ulong_sat(x) >> 3;
  out[i * 5 + 2] ^= convert_ushort_sat(x >> 13) + (convert_char_sat(x >> 21) << 16) + convert_int_sat(x) + (uint)(convert_uint_sat(y) >> 1);
  vectors[i] ^= convert_ushort4_sat((uint4)(x, x >> 14, x >> 16, x >> 20)) + convert_ushort4_sat(convert_short4_sat((ulong4)(y)));
  out[i * 5] += convert_uint4(convert_uint4((uint4)(x))).y + (uint)convert_int((int)y) + (uint)convert_float(convert_float(3.0f));
}
