// Fields of bits and their reversal, for every size, at the edges of the type.
// test: run
// run: fields global=6 (x=uint[305419896,4294967295,2147483648,1,0,2863311530], at=[0,4,31,0,8,28], n=[32,8,1,0,24,4], out=zeros:36) -> out=[305419896,305419896,305419896,510274632,120,86,255,-1,4294967055,4294967295,15,255,1,-1,0,1,0,0,0,0,1,2147483648,0,0,0,0,0,0,0,0,10,-6,178956970,1431655765,10,170]
// run: small global=16 local=8 (in=random:64:7, out=zeros:64)
#ifndef cl_khr_extended_bit_ops
#error
#endif
kernel void fields(global const uint *x, global const int *at, global const int *n, global long *out) {
  int g = get_global_id(0);
  global long *own = out + g * 6;
  uint v = x[g], offset = at[g], count = n[g];
  own[0] = bitfield_extract_unsigned(v, offset, count);
  own[1] = g == 0 ? (long)v : bitfield_extract_signed(v, offset, count);
  own[2] = bitfield_insert(v, g == 0 ? v : v ^ v, offset, count);
  own[3] = bit_reverse(v);
  own[4] = bitfield_extract_unsigned((uchar)v, 0u, min(count, 4u) + (g == 0 ? 4u : 0u));
  own[5] = bitfield_extract_unsigned((ushort)v, 8u, 8u);
  if (g == 1) {
    own[4] = bitfield_extract_unsigned((uchar)v, 4u, 4u);
    own[2] = bitfield_insert(v, 0u, offset, 4u);
  }
}
kernel void small(global const uchar *in, global uchar *out) {
  int g = get_global_id(0);
  char4 c = as_char4(vload4(g, in));
  c = bitfield_insert(c, bit_reverse(c), 2u, 3u);
  vstore4(as_uchar4(c) + bitfield_extract_unsigned(c, 1u, 7u) + as_uchar4(bitfield_extract_signed(c, 5u, 3u)), g, out);
}
