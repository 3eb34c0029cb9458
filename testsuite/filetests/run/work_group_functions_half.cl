// Work-group functions of half: each sum is rounded; a scan's in the order of linear ids, a reduction's by halves of the group.
// test: run
// options: -cl-std=CL3.0
// run: halves global=4 local=4 (in=[2048,1,1,0.5], out=zeros:16) -> out=[2050,2048,0,2048, 2050,2048,2048,2048, 2050,2048,2048,2048, 2050,2048,2048,0.5]
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global const half *in, global half *out) {
  int i = get_global_id(0);
  half x = in[i];
  out[4 * i] = work_group_reduce_add(x);
  out[4 * i + 1] = work_group_scan_inclusive_add(x);
  out[4 * i + 2] = work_group_scan_exclusive_add(x);
  half first = work_group_broadcast(x, 0), last = work_group_reduce_min(x);
  out[4 * i + 3] = i < 3 ? first : last;
}
