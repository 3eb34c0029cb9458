// Shuffles between two values, and blocks of memory that a sub-group reads and writes together.
// test: run
// options: -cl-std=CL1.2
// width: 1
// run: pairs global=8 local=8 (in=[3,1,4,1,5,9,2,6], out=zeros:16) -> out=[1,201,4,3,1,1,103,4,9,206,2,5,6,9,105,2]
// run: blocks global=8 local=8 (in=range:64, out=zeros:64) -> out=[0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62,64,66,68,70,72,74,76,78,80,82,84,86,88,90,92,94,96,98,100,102,104,106,108,110,112,114,116,118,120,122,124,126]
#ifndef cl_intel_subgroups
#error
#endif
#ifndef cl_intel_required_subgroup_size
#error
#endif
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
SIZE4 kernel void pairs(global const int *in, global int *out) {
  int i = get_global_id(0), x = in[i];
  out[2 * i] = intel_sub_group_shuffle_down(x, x + 100, 1u);
  out[2 * i + 1] = intel_sub_group_shuffle_up(x + 200, x, 1u);
}
SIZE4 kernel void blocks(global const uint *in, global uint *out) {
  uint at = 32 * get_sub_group_id();
  uint8 x = intel_sub_group_block_read8(in + at);
  intel_sub_group_block_write8(out + at, x * 2u);
}
