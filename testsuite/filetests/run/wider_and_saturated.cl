// Conversions of integers that saturate or make them wider, of every sign and width to every other. LLVM's SPIR-V back end takes a
// sign for none where the result has one, and none for one where it has none.
// test: run
// run: narrow global=64 local=16 (in=random:64:31, longs=random:64:32, out=zeros:256)
// run: wide global=64 local=16 (in=random:64:33, longs=random:64:34, out=zeros:512)
// run: wider global=64 local=16 (in=random:64:35, out=zeros:512)
kernel void narrow(global const int *in, global const long *longs, global int *out) {
  size_t i = get_global_id(0);
  int x = in[i] >> (i % 29);
  long y = longs[i] >> (i % 61);
  uint u = x;
  ulong v = y;
  out[i * 4] = convert_char_sat(x) * 3 + convert_uchar_sat(x) * 5 + convert_short_sat(x) + convert_ushort_sat(x) + convert_int_sat(x) / 2;
  out[i * 4 + 1] = convert_char_sat(y) * 3 + convert_uchar_sat(y) * 5 + convert_short_sat(y) + convert_ushort_sat(y) + convert_int_sat(y) / 2 + convert_uint_sat(y) * 3u;
  out[i * 4 + 2] = convert_char_sat(u) * 3 + convert_uchar_sat(u) * 5 + convert_short_sat(u) + convert_ushort_sat(u) + convert_int_sat(u) / 2;
  out[i * 4 + 3] = convert_char_sat(v) * 3 + convert_uchar_sat(v) * 5 + convert_short_sat(v) + convert_ushort_sat(v) + convert_int_sat(v) / 2 + convert_uint_sat(v) * 3u;
}
kernel void wide(global const int *in, global const long *longs, global long *out) {
  size_t i = get_global_id(0);
  int x = in[i] >> (i % 29);
  short s = x;
  uchar c = x;
  out[i * 8] = convert_long_sat(x) + convert_long_sat(s) * 3 + convert_long_sat(c) * 5;
  out[i * 8 + 1] = convert_ulong_sat(x) + convert_ulong_sat(s) * 3 + convert_ulong_sat(c) * 5;
  out[i * 8 + 2] = convert_int_sat(s) + convert_uint_sat(s) * 3 + convert_ushort_sat(s) * 5 + convert_short_sat(c);
  out[i * 8 + 3] = convert_ulong_sat(longs[i]) / 2;
  out[i * 8 + 4] = convert_long_sat((ulong)longs[i]);
  short4 four = (short4)(x, x >> 3, x >> 8, x >> 16);
  char4 cut = convert_char4_sat(four);
  uchar4 none = convert_uchar4_sat(four);
  out[i * 8 + 5] = as_int(cut);
  out[i * 8 + 6] = as_int(none);
  out[i * 8 + 7] = convert_long4_sat(four).w + convert_char_sat_rte(x);
}
kernel void wider(global const int *in, global long *out) {
  size_t i = get_global_id(0);
  char c = in[i];
  uchar d = in[i];
  short s = in[i];
  ushort t = in[i];
  int x = in[i];
  uint y = in[i];
  out[i * 8] = convert_short(c) * 3 + convert_short(d) * 5 + convert_ushort(c) * 7 + convert_ushort(d) * 9;
  out[i * 8 + 1] = convert_int(c) + convert_int(d) * 3 + convert_int(s) * 5 + convert_int(t) * 7;
  out[i * 8 + 2] = convert_uint(c) + convert_uint(d) * 3 + convert_uint(s) * 5 + convert_uint(t) * 7;
  out[i * 8 + 3] = convert_long(c) + convert_long(d) * 3 + convert_long(s) * 5 + convert_long(t) * 7;
  out[i * 8 + 4] = convert_ulong(c) + convert_ulong(d) * 3 + convert_ulong(s) * 5 + convert_ulong(t) * 7;
  out[i * 8 + 5] = convert_long(x) + convert_long(y) * 3 + (convert_long(-1) <= (long)i);
  out[i * 8 + 6] = convert_ulong(x) + convert_ulong(y) * 3;
  out[i * 8 + 7] = convert_long4((char4)(c, 1, 2, -3)).x + convert_long4((uchar4)(d, 1, 2, 3)).x + convert_long2((int2)(-1, x)).y;
}
