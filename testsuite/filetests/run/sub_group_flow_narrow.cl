// Operations that only one sub-group comes to, and work-items that have left before.
// test: run
// options: -cl-std=CL3.0
// width: 1
// run: one_sub_group global=16 local=8 (out=zeros:16) -> out=[6,6,6,6,104,105,106,107,38,38,38,38,112,113,114,115]
// run: leave global=16 local=8 (out=zeros:16) -> out=[6,6,6,6,9,9,0,0,0,0,0,0,0,0,0,0]
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
SIZE4 kernel void one_sub_group(global int *out) {
  int i = get_global_id(0), x = i;
  if (get_sub_group_id() == 0)
    x = sub_group_reduce_add(x);
  else
    x += 100;
  out[i] = x;
}
SIZE4 kernel void leave(global int *out) {
  int i = get_global_id(0);
  if (i >= 6)
    return;
  out[i] = sub_group_non_uniform_reduce_add(i);
}
