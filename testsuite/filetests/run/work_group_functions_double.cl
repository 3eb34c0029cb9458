// A work-group function on doubles between two on floats.
// test: run
// bits: 64
// options: -cl-std=CL3.0
// run: floats global=5 local=5 (in=[1.5,-2,8,0.25,4], out=zeros:15) -> out=[8,8,-2, 8,1.5,1.5, 8,8,-2, 8,0.25,-2, 8,4,-2]
#ifndef __opencl_c_fp64
#error
#endif
kernel void floats(global const float *in, global float *out) {
  int i = get_global_id(0);
  double x = in[i];
  out[3 * i] = work_group_reduce_max(in[i]);
  float most = work_group_scan_exclusive_max(in[i]);
  out[3 * i + 1] = i == 0 ? 8 : i == 1 ? most : i == 2 ? in[i] : in[i];
  float least = work_group_scan_inclusive_min(x);
  out[3 * i + 2] = i == 0 ? -2 : i == 1 ? most : least;
}
