// Writing pixels: write_imagef, write_imagei, write_imageui, write_imageh (OpenCL C 3.0, section 6.15.15.4). What is outside of
// the image is not written: the specification leaves it open, and programs round their sizes up.

#include "image.h"
#include "image_channels.h"

// Between `low` and `high`, which are integers, rounded to the nearest one; 0 for NaN, which lies between them.
HELPER float4 rounded(float4 c, float low, float high) {
  c = __builtin_elementwise_minnum(__builtin_elementwise_maxnum(c, (float4)low), (float4)high);
  return __builtin_elementwise_roundeven(c);
}
HELPER uint4 to_unsigned(float4 c, float most) {
  return __builtin_convertvector(rounded(c * most, 0.0f, most), uint4);
}
HELPER int4 to_signed(float4 c, float most) {
  // NaN is 0, not the lowest number.
  c = c == c ? c : (float4)0.0f;
  return __builtin_convertvector(rounded(c * most, -most - 1.0f, most), int4);
}

// The bytes of a colour.
HELPER words encoded(image i, float4 colour) {
  float4 c = in_memory(colour, i->order);
  switch (i->type) {
  case TYPE_UNORM8:
    return from_bytes(to_unsigned(c, 255.0f));
  case TYPE_FLOAT:
    return from_ints(__builtin_astype(c, uint4));
  case TYPE_UNORM16:
    return from_shorts(to_unsigned(c, 65535.0f));
  case TYPE_HALF:
    return from_halves(__builtin_convertvector(c, half4));
  case TYPE_SNORM8:
    return from_signed_bytes(to_signed(c, 127.0f));
  case TYPE_SNORM16:
    return from_signed_shorts(to_signed(c, 32767.0f));
  case TYPE_565: {
    uint4 v = __builtin_convertvector(rounded(c * (float4)(31.0f, 63.0f, 31.0f, 0.0f), 0.0f, 63.0f), uint4);
    return from_one(__builtin_elementwise_min(v.x, 31u) << 11 | v.y << 5 | __builtin_elementwise_min(v.z, 31u));
  }
  case TYPE_555: {
    uint4 v = to_unsigned(c, 31.0f);
    return from_one(v.x << 10 | v.y << 5 | v.z);
  }
  case TYPE_101010: {
    uint4 v = to_unsigned(c, 1023.0f);
    return from_one(v.x << 20 | v.y << 10 | v.z);
  }
  default: {
    // 101010_2
    uint4 v = to_unsigned(c, 1023.0f);
    uint4 alpha = to_unsigned(c, 3.0f);
    return from_one(v.x << 22 | v.y << 12 | v.z << 2 | alpha.w);
  }
  }
}

HELPER words encoded(image i, uint4 colour) {
  uint4 c = in_memory(colour, i->order);
  switch (i->type) {
  case TYPE_U32:
    return from_ints(c);
  case TYPE_U16:
    return from_shorts(__builtin_elementwise_min(c, (uint4)65535u));
  default:
    return from_bytes(__builtin_elementwise_min(c, (uint4)255u));
  }
}

HELPER int4 between(int4 c, int low, int high) {
  return __builtin_elementwise_min(__builtin_elementwise_max(c, (int4)low), (int4)high);
}
HELPER words encoded(image i, int4 colour) {
  int4 c = in_memory(colour, i->order);
  switch (i->type) {
  case TYPE_S32:
    return from_ints(__builtin_astype(c, uint4));
  case TYPE_S16:
    return from_signed_shorts(between(c, -32768, 32767));
  case TYPE_S8:
    return from_signed_bytes(between(c, -128, 127));
  default:
    // SPIR-V does not say whether channels have a sign: what the image has is meant.
    return encoded(i, __builtin_astype(colour, uint4));
  }
}

HELPER bool is_inside(image level, place at, int kind) {
  bool inside = (uint)at.x < level->width;
  if (kind == TWO || kind == TWO_ARRAY || kind == THREE)
    inside &= (uint)at.y < level->height;
  if (kind == ONE_ARRAY || kind == TWO_ARRAY)
    inside &= (uint)at.z < level->array_size;
  if (kind == THREE)
    inside &= (uint)at.z < level->depth;
  return inside;
}

#define ENCODE_ANY(T)                                                                                                  \
  static __attribute__((noinline)) words oxcl_image_pixel_of_##T(image i, T##4 colour) { return encoded(i, colour); }
ENCODE_ANY(float)
ENCODE_ANY(int)
ENCODE_ANY(uint)
#undef ENCODE_ANY

// A pixel, of a quick format where it is one.
HELPER void put_as(image i, image level, place at, int kind, float4 colour, int format) {
  __global uchar *row = row_of(level, at, kind);
  bool inside = is_inside(level, at, kind);
  switch (format) {
  case RGBA_UNORM8:
    put_words(row, at.x, from_bytes(to_unsigned(colour, 255.0f)), 4, inside);
    break;
  case R_UNORM8:
    put_words(row, at.x, from_one(to_unsigned(colour, 255.0f).x), 1, inside);
    break;
  case RGBA_FLOAT:
    put_words(row, at.x, from_ints(__builtin_astype(colour, uint4)), 16, inside);
    break;
  case R_FLOAT:
    put_words(row, at.x, from_ints(__builtin_astype(colour, uint4)), 4, inside);
    break;
  default:
    put_words(row, at.x, oxcl_image_pixel_of_float(i, colour), pixel_size(i), inside);
  }
}

HELPER void put(image i, image level, int kind, int4 c, float4 colour) {
  place at = place_of(kind, c);
  switch (quick_format(i)) {
  case RGBA_UNORM8:
    put_as(i, level, at, kind, colour, RGBA_UNORM8);
    break;
  case R_UNORM8:
    put_as(i, level, at, kind, colour, R_UNORM8);
    break;
  case RGBA_FLOAT:
    put_as(i, level, at, kind, colour, RGBA_FLOAT);
    break;
  case R_FLOAT:
    put_as(i, level, at, kind, colour, R_FLOAT);
    break;
  default:
    put_as(i, level, at, kind, colour, ANY_FORMAT);
  }
}
HELPER void put(image i, image level, int kind, int4 c, half4 colour) {
  put(i, level, kind, c, __builtin_convertvector(colour, float4));
}
HELPER void put(image i, image level, int kind, int4 c, float depth) {
  put(i, level, kind, c, (float4)(depth, 0.0f, 0.0f, 0.0f));
}

#define PUT(T)                                                                                                         \
  HELPER void put(image i, image level, int kind, int4 c, T##4 colour) {                                               \
    place at = place_of(kind, c);                                                                                      \
    bool inside = is_inside(level, at, kind);                                                                          \
    put_words(row_of(level, at, kind), at.x, oxcl_image_pixel_of_##T(i, colour), pixel_size(i), inside);               \
  }
PUT(int)
PUT(uint)
#undef PUT

#define WRITE(ACCESS, WRITE_IMAGE, TYPE, KIND, INTS, COLOUR)                                                           \
  OVERLOAD void WRITE_IMAGE(ACCESS TYPE i, INTS c, COLOUR colour) {                                                    \
    image known = oxcl_image(i);                                                                                       \
    put(known, known, KIND, whole(c), colour);                                                                         \
  }
// To a level of the mipmap (cl_khr_mipmap_image_writes); to one that there is not nothing is written.
#define WRITE_AT(ACCESS, WRITE_IMAGE, TYPE, KIND, INTS, COLOUR)                                                        \
  OVERLOAD void WRITE_IMAGE(ACCESS TYPE i, INTS c, int level, COLOUR colour) {                                         \
    image known = oxcl_image(i);                                                                                       \
    if ((uint)level < (uint)levels_of(known))                                                                          \
      put(known, level_of(known, level), KIND, whole(c), colour);                                                      \
  }
#define COLOURS(HOW, ACCESS, TYPE, KIND, INTS)                                                                         \
  HOW(ACCESS, write_imagef, TYPE, KIND, INTS, float4)                                                                  \
  HOW(ACCESS, write_imagei, TYPE, KIND, INTS, int4)                                                                    \
  HOW(ACCESS, write_imageui, TYPE, KIND, INTS, uint4)                                                                  \
  HOW(ACCESS, write_imageh, TYPE, KIND, INTS, half4)
#define EACH(TYPE, KIND, INTS)                                                                                         \
  COLOURS(WRITE, write_only, TYPE, KIND, INTS)                                                                         \
  COLOURS(WRITE, read_write, TYPE, KIND, INTS)
#define EACH_LEVEL(TYPE, KIND, INTS)                                                                                   \
  EACH(TYPE, KIND, INTS)                                                                                               \
  COLOURS(WRITE_AT, write_only, TYPE, KIND, INTS)                                                                      \
  COLOURS(WRITE_AT, read_write, TYPE, KIND, INTS)

EACH(image1d_buffer_t, ONE, int)
EACH_LEVEL(image1d_t, ONE, int)
EACH_LEVEL(image1d_array_t, ONE_ARRAY, int2)
EACH_LEVEL(image2d_t, TWO, int2)
EACH_LEVEL(image2d_array_t, TWO_ARRAY, int4)
EACH_LEVEL(image3d_t, THREE, int4)

#define DEPTH(ACCESS, TYPE, KIND, INTS)                                                                                \
  WRITE(ACCESS, write_imagef, TYPE, KIND, INTS, float)                                                                 \
  WRITE_AT(ACCESS, write_imagef, TYPE, KIND, INTS, float)
DEPTH(write_only, image2d_depth_t, TWO, int2)
DEPTH(read_write, image2d_depth_t, TWO, int2)
DEPTH(write_only, image2d_array_depth_t, TWO_ARRAY, int4)
DEPTH(read_write, image2d_array_depth_t, TWO_ARRAY, int4)
