// test: run
// bits: 64
// Conversions to and from half in every rounding mode, from doubles that a float between would round twice.
// run: from_double global=8 (in=[2049.0000000001,2049,2050.9999999999,-65519.99999999999,65520,2.9802322387695312e-8,2.980232238769532e-8,1e300], rte=zeros:8, rtz=zeros:8, rtp=zeros:8, rtn=zeros:8) -> rte=[26625,26624,26625,64511,31744,0,1,31744], rtz=[26624,26624,26625,64511,31743,0,0,31743], rtp=[26625,26625,26626,64511,31744,1,1,31744], rtn=[26624,26624,26625,64512,31743,0,0,31743]
// run: from_long global=6 (in=[2049,-2051,65519,65520,-9223372036854775808,9223372036854775807], rte=zeros:6, rtz=zeros:6, rtp=zeros:6, rtn=zeros:6) -> rte=[26624,59394,31743,31744,64512,31744], rtz=[26624,59393,31743,31743,64511,31743], rtp=[26625,59393,31744,31744,64511,31744], rtn=[26624,59394,31743,31743,64512,31743]
// run: to_integers global=5 (in=[2.5,-3.5,65504,-0.75,300], out=zeros:30) -> out=[2,2,3,2,2,2,-4,-3,-3,-4,0,-4,65504,65504,65504,65504,255,127,-1,0,0,-1,0,-1,300,300,300,300,255,127]
// run: stores global=4 (in=[1.0004883,-1.0004883,65519,1e-9], bits=zeros:20) -> bits=[15360,15360,15360,15361,15360,48128,48128,48128,48128,48129,31743,31743,31743,31744,31743,0,0,0,1,0]
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void from_double(global const double *in, global ushort *rte, global ushort *rtz, global ushort *rtp, global ushort *rtn) {
  int g = get_global_id(0);
  double x = in[g];
  rte[g] = as_ushort(convert_half(x)) | as_ushort(convert_half_rte(x)) | as_ushort((half)x);
  rtz[g] = as_ushort(convert_half_rtz(x));
  rtp[g] = as_ushort(convert_half_rtp(x));
  rtn[g] = as_ushort(convert_half_rtn(x));
}

kernel void from_long(global const long *in, global ushort *rte, global ushort *rtz, global ushort *rtp, global ushort *rtn) {
  int g = get_global_id(0);
  long x = in[g];
  rte[g] = as_ushort(convert_half(x)) | as_ushort((half)x);
  rtz[g] = as_ushort(convert_half_rtz(x));
  rtp[g] = as_ushort(convert_half_rtp(x));
  rtn[g] = as_ushort(convert_half_rtn(x));
}

kernel void to_integers(global const half *in, global int *out) {
  int g = get_global_id(0);
  half x = in[g];
  out[g * 6] = convert_int_rte(x);
  out[g * 6 + 1] = convert_int(x);
  out[g * 6 + 2] = convert_int_rtp(x);
  out[g * 6 + 3] = convert_int_rtn(x);
  out[g * 6 + 4] = convert_uchar_sat_rte(x);
  out[g * 6 + 5] = convert_char_sat_rtn(x);
}

kernel void stores(global const float *in, global ushort *bits) {
  global half *out = (global half *)bits;
  int g = get_global_id(0);
  float x = in[g];
  vstore_half(x, g * 5, out);
  vstore_half_rte(x, g * 5 + 1, out);
  vstore_half_rtz(x, g * 5 + 2, out);
  vstore_half_rtp(x, g * 5 + 3, out);
  vstore_half_rtn(x, g * 5 + 4, out);
}
