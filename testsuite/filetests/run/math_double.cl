// test: run
// bits: 64
// ulp: 4
// run: maths global=16 local=8 (in=random:16:6, out=zeros:16)
#ifndef cl_khr_fp64
#error
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void maths(global const double *in, global double *out) {
  int i = get_global_id(0);
  double x = in[i] * 3 + 0.5;
  out[i] = sqrt(x) * fma(x, x, 1.0) + trunc(x);
}
