// The functions of cl_intel_subgroups and its kin, which clang declares in no header that it reads quickly. Comes before
// sources that name any of them.

#define __oxcl_f __attribute__((overloadable, convergent))
#define __oxcl_vectors(M, type) M(type##2) M(type##3) M(type##4) M(type##8) M(type##16)
#define __oxcl_shuffles(type)                                                                                          \
  type __oxcl_f intel_sub_group_shuffle(type, uint);                                                                   \
  type __oxcl_f intel_sub_group_shuffle_down(type, type, uint);                                                        \
  type __oxcl_f intel_sub_group_shuffle_up(type, type, uint);                                                          \
  type __oxcl_f intel_sub_group_shuffle_xor(type, uint);
#define __oxcl_broadcast(type) type __oxcl_f intel_sub_group_broadcast(type, uint);
#define __oxcl_combined(type)                                                                                          \
  type __oxcl_f intel_sub_group_reduce_add(type);                                                                      \
  type __oxcl_f intel_sub_group_reduce_min(type);                                                                      \
  type __oxcl_f intel_sub_group_reduce_max(type);                                                                      \
  type __oxcl_f intel_sub_group_scan_exclusive_add(type);                                                              \
  type __oxcl_f intel_sub_group_scan_exclusive_min(type);                                                              \
  type __oxcl_f intel_sub_group_scan_exclusive_max(type);                                                              \
  type __oxcl_f intel_sub_group_scan_inclusive_add(type);                                                              \
  type __oxcl_f intel_sub_group_scan_inclusive_min(type);                                                              \
  type __oxcl_f intel_sub_group_scan_inclusive_max(type);
#define __oxcl_block(space, type, vector, suffix)                                                                      \
  vector __oxcl_f intel_sub_group_block_read##suffix(const space type *);                                              \
  void __oxcl_f intel_sub_group_block_write##suffix(space type *, vector);
#define __oxcl_blocks_in(space, type, name)                                                                            \
  __oxcl_block(space, type, type, name) __oxcl_block(space, type, type##2, name##2)                                    \
  __oxcl_block(space, type, type##4, name##4) __oxcl_block(space, type, type##8, name##8)
#define __oxcl_blocks(type, name) __oxcl_blocks_in(__global, type, name) __oxcl_blocks_in(__local, type, name)

// The same for images, which `read_write` comes later to than the others.
#define __oxcl_image_block_in(from, to, type, suffix)                                                                  \
  type __oxcl_f intel_sub_group_block_read##suffix(from image2d_t, int2);                                              \
  void __oxcl_f intel_sub_group_block_write##suffix(to image2d_t, int2, type);
#ifndef __IMAGE_SUPPORT__
#define __oxcl_image_block(type, suffix)
#elif defined(__opencl_c_read_write_images)
#define __oxcl_image_block(type, suffix)                                                                               \
  __oxcl_image_block_in(read_only, write_only, type, suffix) __oxcl_image_block_in(read_write, read_write, type, suffix)
#else
#define __oxcl_image_block(type, suffix) __oxcl_image_block_in(read_only, write_only, type, suffix)
#endif
#define __oxcl_image_blocks(type, name)                                                                                \
  __oxcl_image_block(type, name) __oxcl_image_block(type##2, name##2)                                                  \
  __oxcl_image_block(type##4, name##4) __oxcl_image_block(type##8, name##8)

#ifdef cl_intel_subgroups
__oxcl_shuffles(float) __oxcl_vectors(__oxcl_shuffles, float)
__oxcl_shuffles(int) __oxcl_vectors(__oxcl_shuffles, int)
__oxcl_shuffles(uint) __oxcl_vectors(__oxcl_shuffles, uint)
__oxcl_shuffles(long) __oxcl_shuffles(ulong)
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__oxcl_shuffles(half)
#if __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#endif
#ifdef cl_khr_fp64
__oxcl_shuffles(double)
#endif
__oxcl_block(__global, uint, uint, ) __oxcl_block(__global, uint, uint2, 2)
__oxcl_block(__global, uint, uint4, 4) __oxcl_block(__global, uint, uint8, 8)
__oxcl_block(__local, uint, uint, ) __oxcl_block(__local, uint, uint2, 2)
__oxcl_block(__local, uint, uint4, 4) __oxcl_block(__local, uint, uint8, 8)
__oxcl_blocks(uint, _ui)
__oxcl_image_blocks(uint, ) __oxcl_image_blocks(uint, _ui)
#endif
#ifdef cl_intel_subgroups_short
__oxcl_shuffles(short) __oxcl_vectors(__oxcl_shuffles, short)
__oxcl_shuffles(ushort) __oxcl_vectors(__oxcl_shuffles, ushort)
__oxcl_broadcast(short) __oxcl_vectors(__oxcl_broadcast, short)
__oxcl_broadcast(ushort) __oxcl_vectors(__oxcl_broadcast, ushort)
__oxcl_combined(short) __oxcl_combined(ushort)
__oxcl_blocks(ushort, _us)
__oxcl_image_blocks(ushort, _us) __oxcl_image_block(ushort16, _us16)
__oxcl_block(__global, ushort, ushort16, _us16) __oxcl_block(__local, ushort, ushort16, _us16)
#endif
#ifdef cl_intel_subgroups_char
__oxcl_shuffles(char) __oxcl_vectors(__oxcl_shuffles, char)
__oxcl_shuffles(uchar) __oxcl_vectors(__oxcl_shuffles, uchar)
__oxcl_broadcast(char) __oxcl_vectors(__oxcl_broadcast, char)
__oxcl_broadcast(uchar) __oxcl_vectors(__oxcl_broadcast, uchar)
__oxcl_combined(char) __oxcl_combined(uchar)
__oxcl_blocks(uchar, _uc)
__oxcl_image_blocks(uchar, _uc) __oxcl_image_block(uchar16, _uc16)
__oxcl_block(__global, uchar, uchar16, _uc16) __oxcl_block(__local, uchar, uchar16, _uc16)
#endif
#ifdef cl_intel_subgroups_long
__oxcl_vectors(__oxcl_shuffles, long) __oxcl_vectors(__oxcl_shuffles, ulong)
__oxcl_blocks(ulong, _ul)
__oxcl_image_blocks(ulong, _ul) __oxcl_image_block(ulong16, _ul16)
#endif
