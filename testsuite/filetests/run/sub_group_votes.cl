// Votes of those work-items of a sub-group that come by, and values of one of them for all.
// test: run
// options: -cl-std=CL3.0
// width: 1
// run: votes global=8 local=8 (in=[3,1,4,1,5,9,2,6], out=zeros:40) -> out=[1,0,0,3,4,0,0,0,3,4,0,0,0,3,4,0,0,0,3,4,1,0,0,5,2,0,0,0,5,2,0,0,0,5,2,0,0,0,5,2]
// run: votes global=14 local=7 (in=random:14:2, out=zeros:70)
#ifndef cl_khr_subgroup_ballot
#error
#endif
#ifndef cl_khr_subgroup_non_uniform_vote
#error
#endif
__attribute__((intel_reqd_sub_group_size(4))) kernel void votes(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  global int *own = out + 5 * i;
  own[0] = sub_group_elect();
  own[1] = sub_group_non_uniform_all_equal(x);
  own[2] = sub_group_non_uniform_all(x & 1) != 0;
  own[3] = sub_group_broadcast_first(x);
  own[4] = sub_group_non_uniform_broadcast(x, 2);
}
