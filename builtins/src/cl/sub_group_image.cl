// Block reads and writes of images (cl_intel_subgroups and its kin): bytes, whatever the format means by them, one row after
// another. Where a block is not inside, reads give what is in the nearest row and pixel, and writes are left out, byte by byte.

#include "image.h"
#include "sub_group.h"

HELPER int row_bytes(image i) { return (int)(i->width * (uint)pixel_size(i)); }
HELPER bool is_within(image i, int2 at, int bytes, int rows) {
  return at.x >= 0 & at.x <= row_bytes(i) - bytes & at.y >= 0 & at.y <= (int)i->height - rows;
}
HELPER __global uchar *byte_address(image i, __global uchar *data, int2 at) {
  return data + (long)at.y * i->row_pitch + at.x;
}

// Not inside as a whole. The first pixel is given, as who calls knows whose it is.
static __attribute__((noinline)) void oxcl_image_get_edge(image i, __global uchar *data, int2 at, int bytes, int rows,
                                                          __private uchar *to) {
  // Sizes of pixels are powers of two.
  int row = row_bytes(i), within = (int)pixel_size(i) - 1, last = (int)i->height - 1;
  for (int y = at.y; y != at.y + rows; ++y)
    for (int x = at.x; x != at.x + bytes; ++x) {
      int2 near = {x < 0 ? x & within : x >= row ? row - 1 - within + (x & within) : x, y < 0 ? 0 : y > last ? last : y};
      *to++ = *byte_address(i, data, near);
    }
}
static __attribute__((noinline)) void oxcl_image_put_edge(image i, __global uchar *data, int2 at, int bytes, int rows,
                                                          const __private uchar *from) {
  for (int y = at.y; y != at.y + rows; ++y)
    for (int x = at.x; x != at.x + bytes; ++x, ++from)
      if (is_within(i, (int2)(x, y), 1, 1))
        *byte_address(i, data, (int2)(x, y)) = *from;
}

// Component k is in the k-th row. What is inside stays in registers: the array of the other case is another one.
#define READ(access, type, vector, name, count)                                                                        \
  OVERLOAD vector intel_sub_group_block_read##name(access image2d_t im, int2 at) {                                     \
    image i = oxcl_image(im);                                                                                          \
    at.x += (int)(own_lane() * sizeof(type));                                                                          \
    if (!is_within(i, at, sizeof(type), count)) {                                                                      \
      type x[count];                                                                                                   \
      oxcl_image_get_edge(i, i->data, at, sizeof(type), count, (__private uchar *)x);                                  \
      return *(__private vector##_element *)x;                                                                         \
    }                                                                                                                  \
    type x[count];                                                                                                     \
    _Pragma("unroll") for (int k = 0; k < count; ++k) x[k] =                                                           \
        *(const __global type##_element *)byte_address(i, i->data, at + (int2)(0, k));                                 \
    return *(__private vector##_element *)x;                                                                           \
  }
#define WRITE(access, type, vector, name, count)                                                                       \
  OVERLOAD void intel_sub_group_block_write##name(access image2d_t im, int2 at, vector v) {                            \
    image i = oxcl_image(im);                                                                                          \
    at.x += (int)(own_lane() * sizeof(type));                                                                          \
    if (!is_within(i, at, sizeof(type), count)) {                                                                      \
      type x[count];                                                                                                   \
      *(__private vector##_element *)x = v;                                                                            \
      oxcl_image_put_edge(i, i->data, at, sizeof(type), count, (const __private uchar *)x);                            \
      return;                                                                                                          \
    }                                                                                                                  \
    type x[count];                                                                                                     \
    *(__private vector##_element *)x = v;                                                                              \
    _Pragma("unroll") for (int k = 0; k < count; ++k) *(                                                               \
        __global type##_element *)byte_address(i, i->data, at + (int2)(0, k)) = x[k];                                  \
  }
#define EACH(M, access, type, name)                                                                                    \
  M(access, type, type, name, 1)                                                                                       \
  M(access, type, type##2, name##2, 2)                                                                                 \
  M(access, type, type##4, name##4, 4)                                                                                 \
  M(access, type, type##8, name##8, 8)
#define ALL(M, access)                                                                                                 \
  EACH(M, access, uint, )                                                                                              \
  EACH(M, access, uint, _ui)                                                                                           \
  EACH(M, access, ulong, _ul)                                                                                          \
  EACH(M, access, ushort, _us)                                                                                         \
  EACH(M, access, uchar, _uc)                                                                                          \
  M(access, ulong, ulong16, _ul16, 16)                                                                                 \
  M(access, ushort, ushort16, _us16, 16)                                                                               \
  M(access, uchar, uchar16, _uc16, 16)

// Elements in memory and vectors of them, wherever they begin.
#define ELEMENT(type) typedef type type##_element __attribute__((aligned(1)));
#define ELEMENTS(type) ELEMENT(type) ELEMENT(type##2) ELEMENT(type##4) ELEMENT(type##8) ELEMENT(type##16)
ELEMENTS(uchar)
ELEMENTS(ushort)
ELEMENTS(uint)
ELEMENTS(ulong)
ALL(READ, read_only)
ALL(READ, read_write)
ALL(WRITE, write_only)
ALL(WRITE, read_write)
