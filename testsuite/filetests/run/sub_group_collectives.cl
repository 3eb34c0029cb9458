// Sub-groups of four work-items, the last one of a group short: who is where, and what holds of all of them.
// test: run
// options: -cl-std=CL3.0
// width: 1
// run: ids global=12 local=6 (out=zeros:72) -> out=[0,0,4,4,2,2,0,1,4,4,2,2,0,2,4,4,2,2,0,3,4,4,2,2,1,0,2,4,2,2,1,1,2,4,2,2,0,0,4,4,2,2,0,1,4,4,2,2,0,2,4,4,2,2,0,3,4,4,2,2,1,0,2,4,2,2,1,1,2,4,2,2]
// run: ids global=12,1 local=3,1 (out=zeros:72) -> out=[0,0,3,4,1,1,0,1,3,4,1,1,0,2,3,4,1,1,0,0,3,4,1,1,0,1,3,4,1,1,0,2,3,4,1,1,0,0,3,4,1,1,0,1,3,4,1,1,0,2,3,4,1,1,0,0,3,4,1,1,0,1,3,4,1,1,0,2,3,4,1,1]
// run: together global=12 local=12 (in=[3,1,4,1,5,9,2,6,5,3,5,8], out=zeros:36) -> out=[1,0,0,1,0,0,1,0,0,1,0,0,9,1,1,9,1,1,9,1,1,9,1,1,3,1,0,3,1,0,3,1,0,3,1,0]
// run: together global=12 local=6 (in=[3,1,4,1,5,9,2,6,5,3,5,8], out=zeros:36) -> out=[1,0,0,1,0,0,1,0,0,1,0,0,9,1,1,9,1,1,6,1,0,6,1,0,6,1,0,6,1,0,8,1,0,8,1,0]
// run: together global=96 local=12 (in=random:96:1, out=zeros:288)
// run: plane global=6,4 local=3,2 (out=zeros:24) -> out=[0,0,0,3,3,3,0,7,7,3,10,10,12,12,12,15,15,15,12,19,19,15,22,22]
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
SIZE4 kernel void ids(global uint *out) {
  global uint *own = out + 6 * get_global_id(0);
  own[0] = get_sub_group_id();
  own[1] = get_sub_group_local_id();
  own[2] = get_sub_group_size();
  own[3] = get_max_sub_group_size();
  own[4] = get_num_sub_groups();
  own[5] = get_enqueued_num_sub_groups();
}
SIZE4 kernel void together(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  global int *own = out + 3 * i;
  own[0] = sub_group_broadcast(x, 1);
  own[1] = sub_group_all(x > 1) != 0;
  own[2] = sub_group_any(x > 8) != 0;
}
// Linear ids cross rows: the first sub-group of a group of 3 x 2 has the first row and the first of the second.
SIZE4 kernel void plane(global int *out) {
  int at = 6 * get_global_id(1) + get_global_id(0);
  out[at] = sub_group_broadcast(at, 0);
}
