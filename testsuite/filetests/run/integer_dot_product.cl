// Dot products of bytes of every sign, of vectors and of packed words; accumulators saturate.
// test: run
// run: dots global=3 (x=uint[67305985,4294967295,2155905152], y=uint[16843009,2139062143,2155905152], out=zeros:30) -> out=[10,10,10,10,10,10,10,10,12,12,129540,-508,129540,-508,129540,-508,129540,-508,129542,-506,65536,65536,-65536,-65536,65536,65536,-65536,-65536,65538,65538]
// run: saturated global=1 (out=zeros:4) -> out=[4294967295,2147483647,-2147483648,-2147483648]
#ifndef cl_khr_integer_dot_product
#error
#endif
#ifndef __opencl_c_integer_dot_product_input_4x8bit
#error
#endif
#ifndef __opencl_c_integer_dot_product_input_4x8bit_packed
#error
#endif
kernel void dots(global const uint *x, global const uint *y, global int *out) {
  int g = get_global_id(0);
  uint a = x[g], b = y[g];
  global int *own = out + g * 10;
  own[0] = dot(as_uchar4(a), as_uchar4(b));
  own[1] = dot(as_char4(a), as_char4(b));
  own[2] = dot(as_uchar4(a), as_char4(b));
  own[3] = dot(as_char4(a), as_uchar4(b));
  own[4] = dot_4x8packed_uu_uint(a, b);
  own[5] = dot_4x8packed_ss_int(a, b);
  own[6] = dot_4x8packed_us_int(a, b);
  own[7] = dot_4x8packed_su_int(a, b);
  own[8] = dot_acc_sat_4x8packed_uu_uint(a, b, 2u);
  own[9] = dot_acc_sat(as_char4(a), as_char4(b), 2);
}
kernel void saturated(global long *out) {
  uchar4 u = (uchar4)(255);
  char4 s = (char4)(-128);
  out[0] = dot_acc_sat(u, u, 4294900000u);
  out[1] = dot_acc_sat(s, s, 2147480000);
  out[2] = dot_acc_sat(u, s, -2147480000);
  out[3] = dot_acc_sat_4x8packed_su_int(as_uint(s), as_uint(u), -2147480000);
}
