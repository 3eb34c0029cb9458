// Sums and extremes of sub-groups of four work-items, the last one of a group short.
// test: run
// options: -cl-std=CL3.0
// width: 1
// run: sums global=12 local=12 (in=[3,1,4,1,5,9,2,6,5,3,5,8], out=zeros:60) -> out=[9,1,4,3,0,9,1,4,4,3,9,1,4,8,4,9,1,4,9,8,22,2,9,5,0,22,2,9,14,5,22,2,9,16,14,22,2,9,22,16,21,3,8,5,0,21,3,8,8,5,21,3,8,13,8,21,3,8,21,13]
// run: sums global=12 local=6 (in=[3,1,4,1,5,9,2,6,5,3,5,8], out=zeros:60) -> out=[9,1,4,3,0,9,1,4,4,3,9,1,4,8,4,9,1,4,9,8,14,5,9,5,0,14,5,9,14,5,16,2,6,2,0,16,2,6,8,2,16,2,6,13,8,16,2,6,16,13,13,5,8,5,0,13,5,8,13,5]
// run: sums global=96 local=12 (in=random:96:1, out=zeros:480)
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
SIZE4 kernel void sums(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  global int *own = out + 5 * i;
  own[0] = sub_group_reduce_add(x);
  own[1] = sub_group_reduce_min(x);
  own[2] = sub_group_reduce_max(x);
  own[3] = sub_group_scan_inclusive_add(x);
  own[4] = sub_group_scan_exclusive_add(x);
}
