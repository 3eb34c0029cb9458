// Sub-groups of four in flow that is not the group's: operations that only some sub-groups come to, loops whose counts follow
// from the sub-group or the work-item, votes among those who come by, and barriers of the group between them.
// test: run
// options: -cl-std=CL3.0
// width: 1
// bits: 64, scheduling so many regions for processors takes minutes; sub_group_flow_narrow.cl is for them too
// run: one_sub_group global=16 local=8 (out=zeros:16) -> out=[6,6,6,6,104,105,106,107,38,38,38,38,112,113,114,115]
// run: loops global=12 local=12 (out=zeros:12)
// run: uneven global=16 local=8 (in=random:16:3, out=zeros:64)
// run: barriers global=24 local=12 (in=random:24:4, out=zeros:24)
// run: barriers global=30 local=10 (in=random:30:5, out=zeros:30)
// run: leave global=16 local=8 (out=zeros:16) -> out=[6,6,6,6,9,9,0,0,0,0,0,0,0,0,0,0]
// run: joined global=8 local=8 (out=zeros:24) -> out=[1,6,4, 1,6,4, 3,6,4, 3,6,4, 1,22,4, 1,22,4, 3,22,4, 3,22,4]
// run: diverging global=8 local=8 (out=zeros:16) -> out=[1,6,2,6,3,6,4,6,5,22,6,22,7,22,8,22]
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
SIZE4 kernel void one_sub_group(global int *out) {
  int i = get_global_id(0), x = i;
  if (get_sub_group_id() == 0)
    x = sub_group_reduce_add(x);
  else
    x += 100;
  out[i] = x;
}
SIZE4 kernel void loops(global int *out) {
  int i = get_global_id(0), x = i;
  for (uint n = 0; n <= get_sub_group_id(); ++n) {
    x = sub_group_reduce_add(x) + (int)get_sub_group_local_id();
    for (int k = 0; k < (int)get_sub_group_id(); ++k)
      x += sub_group_scan_inclusive_add(k + x);
  }
  out[i] = x;
}
SIZE4 kernel void uneven(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i] & 15;
  global int *own = out + 4 * i;
  if (x & 1) {
    own[0] = sub_group_non_uniform_reduce_add(x);
    own[1] = sub_group_ballot(x & 2).x;
  } else {
    own[0] = sub_group_non_uniform_scan_inclusive_max(x);
    own[1] = sub_group_elect();
    if (x & 4)
      own[1] += sub_group_non_uniform_reduce_mul(x);
  }
  own[2] = sub_group_reduce_add(x);
  for (int n = 0; n < x; ++n)
    own[3] += sub_group_non_uniform_reduce_add(n) + (sub_group_ballot(1).x << 8);
  own[3] += sub_group_ballot(x > 3).x << 16;
}
SIZE4 kernel void barriers(global const int *in, global int *out) {
  local int shared[12];
  int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0), x = in[i] & 1023;
  for (int round = 0; round < 3; ++round) {
    if (get_sub_group_id() == round)
      x += sub_group_reduce_add(x);
    shared[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x += shared[n - 1 - l];
    if (get_sub_group_id() != round)
      for (int k = 0; k < (int)get_sub_group_id() + 1; ++k)
        x ^= sub_group_shuffle_xor(x, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = x;
}
SIZE4 kernel void leave(global int *out) {
  int i = get_global_id(0);
  if (i >= 6)
    return;
  out[i] = sub_group_non_uniform_reduce_add(i);
}
// Those who took two ways are together again where the ways join.
SIZE4 kernel void joined(global int *out) {
  int i = get_global_id(0), l = get_sub_group_local_id();
  int part = l < 2 ? sub_group_non_uniform_reduce_add(l) : sub_group_non_uniform_reduce_max(l);
  out[3 * i] = part;
  out[3 * i + 1] = sub_group_reduce_add(i);
  out[3 * i + 2] = sub_group_ballot_bit_count(sub_group_ballot(1));
}
// And behind a loop that they leave in different rounds.
SIZE4 kernel void diverging(global int *out) {
  int i = get_global_id(0), rounds = 0;
  for (int n = 0; n <= i; ++n)
    rounds += sub_group_non_uniform_any(1) != 0;
  out[2 * i] = rounds;
  out[2 * i + 1] = sub_group_reduce_add(i);
}
