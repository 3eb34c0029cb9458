// Blocks of local memory, and shuffles, sums and extremes of bytes, shorts and longs.
// test: run
// options: -cl-std=CL1.2
// width: 1
// run: small global=8 local=8 (in=random:64:5, out=zeros:96)
#ifndef cl_intel_subgroups_char
#error
#endif
#ifndef cl_intel_subgroups_short
#error
#endif
#ifndef cl_intel_subgroups_long
#error
#endif
#ifndef cl_intel_subgroup_local_block_io
#error
#endif
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
SIZE4 kernel void small(global const uint *in, global uint *out) {
  local uint shared[32];
  uint at = 16 * get_sub_group_id();
  uint4 words = intel_sub_group_block_read_ui4(in + at);
  intel_sub_group_block_write_ui4(shared + at, words);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  ushort8 shorts = intel_sub_group_block_read_us8((local ushort *)(shared + at));
  uchar16 bytes = intel_sub_group_block_read_uc16((local uchar *)(shared + at));
  ulong2 longs = intel_sub_group_block_read_ul2((local ulong *)(shared + at));
  shorts = intel_sub_group_shuffle_xor(shorts, 1u) + (ushort8)intel_sub_group_reduce_add(shorts.s0);
  bytes = intel_sub_group_shuffle(bytes, 2u) ^ (uchar16)intel_sub_group_scan_exclusive_max(bytes.s1);
  longs += (ulong2)intel_sub_group_shuffle(longs.x, 3u);
  intel_sub_group_block_write_us8((global ushort *)(out + at), shorts);
  intel_sub_group_block_write_uc16((global uchar *)(out + 32 + at), bytes);
  intel_sub_group_block_write_ul2((global ulong *)(out + 64 + at), longs + (ulong2)(((ulong)shorts.s1 << 32) + shorts.s2));
}
