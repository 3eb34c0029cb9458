// Values of other work-items of a sub-group, round about; sums and extremes of parts of it.
// test: run
// options: -cl-std=CL3.0
// width: 1
// run: round_about global=8 local=8 (in=[3,1,4,1,5,9,2,6], out=zeros:32) -> out=[1,1,4,4,4,3,4,4,1,1,5,4,3,4,5,4,9,9,14,9,2,5,14,9,6,6,8,9,5,2,8,9]
#ifndef cl_khr_subgroup_rotate
#error
#endif
#ifndef cl_khr_subgroup_clustered_reduce
#error
#endif
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
SIZE4 kernel void round_about(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  global int *own = out + 4 * i;
  own[0] = sub_group_rotate(x, 1);
  own[1] = sub_group_clustered_rotate(x, -1, 2);
  own[2] = sub_group_clustered_reduce_add(x, 2);
  own[3] = sub_group_clustered_reduce_max(x, 4);
}
