// Writing pixels: write_imagef, write_imagei, write_imageui, write_imageh (OpenCL C 3.0, section 6.15.15.4). What is outside of
// the image is not written: the specification leaves it open, and programs round their sizes up.

#include "image.h"
#include "image_channels.h"

// The lowest bits of each channel to memory.
HELPER void put_bytes(__global uchar *p, uint4 c, uint count) {
  if (count == 4) {
    *(__global uchar4_any *)p = __builtin_convertvector(c, uchar4);
    return;
  }
  p[0] = (uchar)c.x;
  if (count > 1)
    p[1] = (uchar)c.y;
  if (count > 2)
    p[2] = (uchar)c.z;
}
HELPER void put_shorts(__global uchar *p, uint4 c, uint count) {
  __global ushort_any *s = (__global ushort_any *)p;
  if (count == 4) {
    *(__global ushort4_any *)p = __builtin_convertvector(c, ushort4);
    return;
  }
  s[0] = (ushort)c.x;
  if (count > 1)
    s[1] = (ushort)c.y;
  if (count == 3)
    s[2] = (ushort)c.z;
}
HELPER void put_words(__global uchar *p, uint4 c, uint count) {
  __global uint_any *w = (__global uint_any *)p;
  if (count == 4) {
    *(__global uint4_any *)p = c;
    return;
  }
  w[0] = c.x;
  if (count > 1)
    w[1] = c.y;
  if (count > 2)
    w[2] = c.z;
}

// Between `low` and `high`, which are integers, rounded to the nearest one; 0 for NaN, which lies between them.
HELPER float4 rounded(float4 c, float low, float high) {
  c = __builtin_elementwise_minnum(__builtin_elementwise_maxnum(c, (float4)low), (float4)high);
  return __builtin_elementwise_roundeven(c);
}
HELPER uint4 to_unsigned(float4 c, float most) {
  return __builtin_convertvector(rounded(c * most, 0.0f, most), uint4);
}
HELPER uint4 to_signed(float4 c, float most) {
  // NaN is 0, not the lowest number.
  c = c == c ? c : (float4)0.0f;
  return __builtin_astype(__builtin_convertvector(rounded(c * most, -most - 1.0f, most), int4), uint4);
}

static __attribute__((noinline)) void oxcl_image_put_float(image i, __global uchar *p, float4 colour) {
  uint order = i->order, count = i->channels;
  float4 c = in_memory(colour, order);
  switch (i->type) {
  case TYPE_UNORM8:
    put_bytes(p, to_unsigned(c, 255.0f), count);
    break;
  case TYPE_FLOAT:
    put_words(p, __builtin_astype(c, uint4), count);
    break;
  case TYPE_UNORM16:
    put_shorts(p, to_unsigned(c, 65535.0f), count);
    break;
  case TYPE_HALF: {
    half4 h = __builtin_convertvector(c, half4);
    put_shorts(p, __builtin_convertvector(__builtin_astype(h, ushort4), uint4), count);
    break;
  }
  case TYPE_SNORM8:
    put_bytes(p, to_signed(c, 127.0f), count);
    break;
  case TYPE_SNORM16:
    put_shorts(p, to_signed(c, 32767.0f), count);
    break;
  case TYPE_565: {
    uint4 v = __builtin_convertvector(rounded(c * (float4)(31.0f, 63.0f, 31.0f, 0.0f), 0.0f, 63.0f), uint4);
    *(__global ushort_any *)p =
        (ushort)(__builtin_elementwise_min(v.x, 31u) << 11 | v.y << 5 | __builtin_elementwise_min(v.z, 31u));
    break;
  }
  case TYPE_555: {
    uint4 v = to_unsigned(c, 31.0f);
    *(__global ushort_any *)p = (ushort)(v.x << 10 | v.y << 5 | v.z);
    break;
  }
  case TYPE_101010: {
    uint4 v = to_unsigned(c, 1023.0f);
    *(__global uint_any *)p = v.x << 20 | v.y << 10 | v.z;
    break;
  }
  case TYPE_101010_2: {
    uint4 v = to_unsigned(c, 1023.0f);
    uint4 alpha = to_unsigned(c, 3.0f);
    *(__global uint_any *)p = v.x << 22 | v.y << 12 | v.z << 2 | alpha.w;
    break;
  }
  default:
    break;
  }
}

static __attribute__((noinline)) void oxcl_image_put_uint(image i, __global uchar *p, uint4 colour);

static __attribute__((noinline)) void oxcl_image_put_int(image i, __global uchar *p, int4 colour) {
  uint type = i->type, count = i->channels;
  // SPIR-V does not say whether channels have a sign: what the image has is meant.
  if (type == TYPE_U8 || type == TYPE_U16 || type == TYPE_U32) {
    oxcl_image_put_uint(i, p, __builtin_astype(colour, uint4));
    return;
  }
  int4 c = in_memory(colour, i->order);
  if (type == TYPE_S32) {
    put_words(p, __builtin_astype(c, uint4), count);
    return;
  }
  int most = type == TYPE_S16 ? 32767 : 127;
  c = __builtin_elementwise_min(__builtin_elementwise_max(c, (int4)(-most - 1)), (int4)most);
  if (type == TYPE_S16)
    put_shorts(p, __builtin_astype(c, uint4), count);
  else
    put_bytes(p, __builtin_astype(c, uint4), count);
}

static __attribute__((noinline)) void oxcl_image_put_uint(image i, __global uchar *p, uint4 colour) {
  uint type = i->type, count = i->channels;
  uint4 c = in_memory(colour, i->order);
  if (type == TYPE_U32) {
    put_words(p, c, count);
    return;
  }
  c = __builtin_elementwise_min(c, (uint4)(type == TYPE_U16 ? 65535u : 255u));
  if (type == TYPE_U16)
    put_shorts(p, c, count);
  else
    put_bytes(p, c, count);
}

HELPER bool is_inside(image i, place at, int kind) {
  bool inside = (uint)at.x < i->width;
  if (kind == TWO || kind == TWO_ARRAY || kind == THREE)
    inside &= (uint)at.y < i->height;
  if (kind == ONE_ARRAY || kind == TWO_ARRAY)
    inside &= (uint)at.z < i->array_size;
  if (kind == THREE)
    inside &= (uint)at.z < i->depth;
  return inside;
}

// A pixel of a quick format.
HELPER void quick_put(image i, __global uchar *p, float4 colour, int format) {
  switch (format) {
  case RGBA_UNORM8:
    put_bytes(p, to_unsigned(colour, 255.0f), 4);
    break;
  case R_UNORM8:
    put_bytes(p, to_unsigned(colour, 255.0f), 1);
    break;
  case RGBA_FLOAT:
    put_words(p, __builtin_astype(colour, uint4), 4);
    break;
  case R_FLOAT:
    put_words(p, __builtin_astype(colour, uint4), 1);
    break;
  default:
    oxcl_image_put_float(i, p, colour);
  }
}
HELPER void put_as(image i, place at, int kind, float4 colour, int format) {
  if (is_inside(i, at, kind))
    quick_put(i, address(i, at, kind, quick_size(i, format)), colour, format);
}

HELPER void put(image i, int kind, int4 c, float4 colour) {
  place at = place_of(kind, c);
  switch (quick_format(i)) {
  case RGBA_UNORM8:
    put_as(i, at, kind, colour, RGBA_UNORM8);
    break;
  case R_UNORM8:
    put_as(i, at, kind, colour, R_UNORM8);
    break;
  case RGBA_FLOAT:
    put_as(i, at, kind, colour, RGBA_FLOAT);
    break;
  case R_FLOAT:
    put_as(i, at, kind, colour, R_FLOAT);
    break;
  default:
    put_as(i, at, kind, colour, ANY_FORMAT);
  }
}
HELPER void put(image i, int kind, int4 c, half4 colour) { put(i, kind, c, __builtin_convertvector(colour, float4)); }

#define PUT(PIXEL, T4)                                                                                                 \
  HELPER void put(image i, int kind, int4 c, T4 colour) {                                                              \
    place at = place_of(kind, c);                                                                                      \
    if (is_inside(i, at, kind))                                                                                        \
      PIXEL(i, address(i, at, kind, pixel_size(i)), colour);                                                              \
  }
PUT(oxcl_image_put_int, int4)
PUT(oxcl_image_put_uint, uint4)
#undef PUT

#define WRITE(ACCESS, WRITE_IMAGE, TYPE, KIND, INTS, COLOUR)                                                           \
  OVERLOAD void WRITE_IMAGE(ACCESS TYPE i, INTS c, COLOUR colour) { put(oxcl_image(i), KIND, whole(c), colour); }
#define EACH(TYPE, KIND, INTS)                                                                                         \
  WRITE(write_only, write_imagef, TYPE, KIND, INTS, float4)                                                            \
  WRITE(write_only, write_imagei, TYPE, KIND, INTS, int4)                                                              \
  WRITE(write_only, write_imageui, TYPE, KIND, INTS, uint4)                                                            \
  WRITE(write_only, write_imageh, TYPE, KIND, INTS, half4)                                                             \
  WRITE(read_write, write_imagef, TYPE, KIND, INTS, float4)                                                            \
  WRITE(read_write, write_imagei, TYPE, KIND, INTS, int4)                                                              \
  WRITE(read_write, write_imageui, TYPE, KIND, INTS, uint4)                                                            \
  WRITE(read_write, write_imageh, TYPE, KIND, INTS, half4)

EACH(image1d_t, ONE, int)
EACH(image1d_buffer_t, ONE, int)
EACH(image1d_array_t, ONE_ARRAY, int2)
EACH(image2d_t, TWO, int2)
EACH(image2d_array_t, TWO_ARRAY, int4)
EACH(image3d_t, THREE, int4)

#define DEPTH(ACCESS, TYPE, KIND, INTS)                                                                                \
  OVERLOAD void write_imagef(ACCESS TYPE i, INTS c, float depth) {                                                     \
    put(oxcl_image(i), KIND, whole(c), (float4)(depth, 0.0f, 0.0f, 0.0f));                                             \
  }
DEPTH(write_only, image2d_depth_t, TWO, int2)
DEPTH(read_write, image2d_depth_t, TWO, int2)
DEPTH(write_only, image2d_array_depth_t, TWO_ARRAY, int4)
DEPTH(read_write, image2d_array_depth_t, TWO_ARRAY, int4)
