// test: run
// run: conv global=1 local=1 (in=float[300.7,-3.5,2.5,-0.5,1e20], out=zeros:10) -> out=[255,-128,3,2,2,-3,-4,-1,2147483647,0]
kernel void conv(global const float *in, global int *out) {
  out[0] = convert_uchar_sat(in[0]);
  out[1] = convert_char_sat(-in[0]);
  out[2] = convert_int_rtp(in[2]);
  out[3] = convert_int_rte(in[2]);
  out[4] = convert_int_rtz(in[2]);
  out[5] = convert_int(in[1]);
  out[6] = convert_int_rtn(in[1]);
  out[7] = convert_int_rtn(in[3]);
  out[8] = convert_int_sat(in[4]);
  out[9] = convert_uint_sat(in[1]);
}
