// Ballots of the work-items of a sub-group, and what is read off them.
// test: run
// options: -cl-std=CL3.0
// width: 1
// run: ballots global=8 local=8 (in=[3,1,4,1,5,9,2,6], out=zeros:104) -> out=[11,3,1,0,0,3,1,0,1,15,14,1,0,11,3,2,1,0,3,1,0,2,14,12,3,1,11,3,2,2,0,3,0,0,4,12,8,7,3,11,3,3,2,0,3,1,0,8,8,0,15,7,3,2,1,0,0,1,1,0,1,15,14,1,0,3,2,2,1,0,1,1,0,2,14,12,3,1,3,2,2,2,0,1,0,0,4,12,8,7,3,3,2,2,2,0,1,0,0,8,8,0,15,7]
// run: ballots global=14 local=7 (in=random:14:2, out=zeros:182)
#ifndef cl_khr_subgroup_ballot
#error
#endif
#ifndef __opencl_c_subgroups
#error
#endif
__attribute__((intel_reqd_sub_group_size(4))) kernel void ballots(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  global int *own = out + 13 * i;
  uint4 bits = sub_group_ballot(x & 1);
  own[0] = bits.x | bits.y | bits.z | bits.w;
  own[1] = sub_group_ballot_bit_count(bits);
  own[2] = sub_group_ballot_inclusive_scan(bits);
  own[3] = sub_group_ballot_exclusive_scan(bits);
  own[4] = sub_group_ballot_find_lsb(bits);
  own[5] = sub_group_ballot_find_msb(bits);
  own[6] = sub_group_inverse_ballot(bits);
  own[7] = sub_group_ballot_bit_extract(bits, 2);
  own[8] = get_sub_group_eq_mask().x;
  own[9] = get_sub_group_ge_mask().x;
  own[10] = get_sub_group_gt_mask().x;
  own[11] = get_sub_group_le_mask().x;
  own[12] = get_sub_group_lt_mask().x;
}
