// Values of other work-items of a sub-group, by number and by distance.
// test: run
// options: -cl-std=CL3.0
// width: 1
// run: shuffles global=8 local=8 (in=[3,1,4,1,5,9,2,6], out=zeros:32) -> out=[1,1,-1,1,4,3,3,4,1,1,1,1,3,4,4,-1,6,9,-1,9,2,5,5,2,9,6,9,6,5,2,2,-1]
// run: by_data global=40 local=10 (in=random:40:7, out=zeros:40)
#ifndef cl_khr_subgroup_shuffle
#error
#endif
#ifndef cl_khr_subgroup_shuffle_relative
#error
#endif
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
SIZE4 kernel void shuffles(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  uint l = get_sub_group_local_id();
  global int *own = out + 4 * i;
  own[0] = sub_group_shuffle(x, 3 - l);
  own[1] = sub_group_shuffle_xor(x, 1);
  int up = sub_group_shuffle_up(x, 1), down = sub_group_shuffle_down(x, 1);
  own[2] = l >= 1 ? up : -1;
  own[3] = l < 3 ? down : -1;
}
// Which one is in the data; of a work-item that is not there comes something, but nothing is overrun.
SIZE4 kernel void by_data(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  uint rest = get_sub_group_size();
  for (int n = 0; n < 5; ++n)
    x += sub_group_shuffle(x, (uint)in[i] % rest) ^ n;
  out[i] = x;
}
