// test: run
// options: -cl-std=CL3.0
// run: longs global=4 local=2 (a=[9000000000,-9000000000,1,7], out=zeros:4) -> out=[27000000001,-27000000001,3,21]
#ifndef __opencl_c_int64
#error
#endif
kernel void longs(global const long *a, global long *out) {
  int i = get_global_id(0);
  out[i] = a[i] * 3 + (a[i] > 100) - (a[i] < -100);
}
