// Block reads and writes of images (cl_intel_subgroups and its kin): bytes, whatever the format means by them, one row after
// another. Where a block is not inside, reads give what is in the nearest row and pixel, and writes are left out, byte by byte.

#include "image.h"
#include "sub_group.h"

HELPER int row_bytes(image i) { return (int)(i->width * (uint)pixel_size(i)); }
HELPER bool is_within(image i, int2 at, uint bytes) {
  return at.x >= 0 && at.x <= row_bytes(i) - (int)bytes && at.y >= 0 && at.y < (int)i->height;
}
HELPER __global uchar *byte_address(image i, __global uchar *data, int2 at) {
  return data + (long)at.y * i->row_pitch + at.x;
}

// Not inside. The first pixel is given, as who calls knows whose it is.
static __attribute__((noinline)) ulong oxcl_image_get_edge(image i, __global uchar *data, int2 at, uint bytes) {
  int row = row_bytes(i), within = (int)pixel_size(i) - 1;
  int y = at.y < 0 ? 0 : at.y < (int)i->height ? at.y : (int)i->height - 1;
  ulong all = 0;
  for (int k = 0; k < (int)bytes; ++k) {
    int x = at.x + k;
    // Sizes of pixels are powers of two.
    x = x < 0 ? x & within : x >= row ? row - 1 - within + (x & within) : x;
    all |= (ulong)*byte_address(i, data, (int2)(x, y)) << 8 * k;
  }
  return all;
}
static __attribute__((noinline)) void oxcl_image_put_edge(image i, __global uchar *data, int2 at, ulong all, uint bytes) {
  int row = row_bytes(i);
  if (at.y < 0 || at.y >= (int)i->height)
    return;
  for (int k = 0; k < (int)bytes; ++k)
    if (at.x + k >= 0 && at.x + k < row)
      *byte_address(i, data, (int2)(at.x + k, at.y)) = (uchar)(all >> 8 * k);
}

#define ELEMENTS(type)                                                                                                 \
  typedef type type##_element __attribute__((aligned(1)));                                                             \
  HELPER type get_##type(image i, int2 at) {                                                                           \
    if (is_within(i, at, sizeof(type)))                                                                                \
      return *(const __global type##_element *)byte_address(i, i->data, at);                                           \
    return (type)oxcl_image_get_edge(i, i->data, at, sizeof(type));                                                    \
  }                                                                                                                    \
  HELPER void put_##type(image i, int2 at, type x) {                                                                   \
    if (is_within(i, at, sizeof(type)))                                                                                \
      *(__global type##_element *)byte_address(i, i->data, at) = x;                                                    \
    else                                                                                                               \
      oxcl_image_put_edge(i, i->data, at, (ulong)x, sizeof(type));                                                     \
  }                                                                                                                    \
  HELPER int2 own_##type(int2 at) { return at + (int2)((int)(own_lane() * sizeof(type)), 0); }

#define READ_ONE(access, type, name)                                                                                   \
  OVERLOAD type intel_sub_group_block_read##name(access image2d_t i, int2 at) {                                        \
    return get_##type(oxcl_image(i), own_##type(at));                                                                  \
  }
#define WRITE_ONE(access, type, name)                                                                                  \
  OVERLOAD void intel_sub_group_block_write##name(access image2d_t i, int2 at, type x) {                               \
    put_##type(oxcl_image(i), own_##type(at), x);                                                                      \
  }
// Component k is in the k-th row.
#define READ(access, type, name, count)                                                                                \
  OVERLOAD type##count intel_sub_group_block_read##name##count(access image2d_t i, int2 at) {                          \
    type##count x;                                                                                                     \
    image from = oxcl_image(i);                                                                                        \
    int2 own = own_##type(at);                                                                                         \
    _Pragma("unroll") for (int k = 0; k < count; ++k) x[k] = get_##type(from, own + (int2)(0, k));                     \
    return x;                                                                                                          \
  }
#define WRITE(access, type, name, count)                                                                               \
  OVERLOAD void intel_sub_group_block_write##name##count(access image2d_t i, int2 at, type##count x) {                 \
    image to = oxcl_image(i);                                                                                          \
    int2 own = own_##type(at);                                                                                         \
    _Pragma("unroll") for (int k = 0; k < count; ++k) put_##type(to, own + (int2)(0, k), x[k]);                        \
  }
#define EACH_COUNT(M, access, type, name)                                                                              \
  M##_ONE(access, type, name) M(access, type, name, 2) M(access, type, name, 4) M(access, type, name, 8)
#define ALL(M, access)                                                                                                 \
  EACH_COUNT(M, access, uint, )                                                                                        \
  EACH_COUNT(M, access, uint, _ui)                                                                                     \
  EACH_COUNT(M, access, ulong, _ul)                                                                                    \
  EACH_COUNT(M, access, ushort, _us)                                                                                   \
  M(access, ushort, _us, 16)                                                                                           \
  M(access, ulong, _ul, 16)                                                                                            \
  EACH_COUNT(M, access, uchar, _uc)                                                                                    \
  M(access, uchar, _uc, 16)

ELEMENTS(uchar)
ELEMENTS(ushort)
ELEMENTS(uint)
ELEMENTS(ulong)
ALL(READ, read_only)
ALL(READ, read_write)
ALL(WRITE, write_only)
ALL(WRITE, read_write)
