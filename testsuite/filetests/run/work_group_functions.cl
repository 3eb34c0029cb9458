// Work-group functions: everybody gets what the group's values come to, in the order of linear ids.
// test: run
// options: -cl-std=CL3.0
// run: sums global=8 local=4 (in=[1,2,3,4,5,6,7,8], out=zeros:40) -> out=[10,1,0,4,1, 10,3,1,4,1, 10,6,3,4,1, 10,10,6,4,1, 26,5,0,8,5, 26,11,5,8,5, 26,18,11,8,5, 26,26,18,8,5]
// run: sums global=24 local=24 (in=random:24:1, out=zeros:120)
// run: votes global=6 local=3 (in=[1,2,3,0,0,4], out=zeros:18) -> out=[1,1,3, 1,1,3, 1,1,3, 0,1,4, 0,1,4, 0,1,4]
// run: corners global=4,4 local=2,2 (out=zeros:16) -> out=[5,5,7,7, 5,5,7,7, 13,13,15,15, 13,13,15,15]
// run: floats global=5 local=5 (in=[1.5,-2,8,0.25,4], out=zeros:15) -> out=[8,8,-2, 8,1.5,1.5, 8,8,-2, 8,0.25,-2, 8,4,-2]
#ifndef __opencl_c_work_group_collective_functions
#error
#endif
kernel void sums(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  out[5 * i] = work_group_reduce_add(x);
  out[5 * i + 1] = work_group_scan_inclusive_add(x);
  out[5 * i + 2] = work_group_scan_exclusive_add(x);
  out[5 * i + 3] = work_group_reduce_max(x);
  out[5 * i + 4] = work_group_reduce_min(x);
}
kernel void votes(global const int *in, global int *out) {
  int i = get_global_id(0);
  out[3 * i] = work_group_all(in[i]) != 0;
  out[3 * i + 1] = work_group_any(in[i] > 2) != 0;
  out[3 * i + 2] = work_group_broadcast(in[i], 2);
}
kernel void corners(global int *out) {
  int at = get_global_linear_id();
  out[at] = work_group_broadcast(at, 1, 1);
}
kernel void floats(global const float *in, global float *out) {
  int i = get_global_id(0);
  float x = in[i];
  out[3 * i] = work_group_reduce_max(in[i]);
  float most = work_group_scan_exclusive_max(in[i]);
  out[3 * i + 1] = i == 0 ? 8 : i == 1 ? most : i == 2 ? in[i] : in[i];
  float least = work_group_scan_inclusive_min(x);
  out[3 * i + 2] = i == 0 ? -2 : i == 1 ? most : least;
}
