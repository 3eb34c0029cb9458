// Where a sampler looks: indices of pixels from coordinates (OpenCL C 3.0, section 6.15.15.1, and the OpenCL specification,
// section 8.2).
//
// On exit every index is inside of the image, or one before or past it where the sampler has a border: that pixel is the
// border's colour.

#include "image.h"

// Outside of 0 to `size` - 1.
HELPER bool is_outside(int index, int size) { return (uint)index >= (uint)size; }

// The index of a number that may be anything, NaN included: it is between `low` and `high` first.
HELPER int index_between(float c, float low, float high) {
  return (int)__builtin_elementwise_minnum(__builtin_elementwise_maxnum(c, low), high);
}

// The part of a number behind the point.
HELPER float fraction(float c) { return c - __builtin_elementwise_floor(c); }

// A coordinate that is mirrored at every whole number, between 0 and 1.
HELPER float mirrored(float c) {
  return __builtin_elementwise_abs(c - 2.0f * __builtin_elementwise_roundeven(0.5f * c));
}

// Where a coordinate is, in pixels.
HELPER float in_pixels(float c, int size, uint sampler) {
  uint mode = sampler & ADDRESS;
  if (mode == REPEAT)
    c = fraction(c);
  if (mode == MIRROR)
    c = mirrored(c);
  return sampler & NORMALISED ? c * (float)size : c;
}

// The pixel that a coordinate is in. Without an addressing mode the program promises that there is one.
HELPER int nearest(float c, int size, uint sampler) {
  uint mode = sampler & ADDRESS;
  bool border = mode == TO_BORDER;
  float low = border ? -1.0f : 0.0f;
  float high = border || mode == REPEAT ? (float)size : (float)(size - 1);
  int index = index_between(__builtin_elementwise_floor(in_pixels(c, size, sampler)), low, high);
  return mode == REPEAT && index == size ? 0 : index;
}
HELPER int nearest(int c, int size, uint sampler) {
  uint mode = sampler & ADDRESS;
  if (mode != TO_EDGE && mode != TO_BORDER)
    return c;
  bool border = mode == TO_BORDER;
  return __builtin_elementwise_min(__builtin_elementwise_max(c, border ? -1 : 0), border ? size : size - 1);
}

// The two pixels that a coordinate is between, and how far it is from the first one to the second.
typedef struct {
  int first, second;
  float part;
} between;

HELPER between neighbours(float c, int size, uint sampler) {
  uint mode = sampler & ADDRESS;
  float u = in_pixels(c, size, sampler) - 0.5f;
  float start = __builtin_elementwise_floor(u);
  // One place more on both sides, so that the second is not the first where both are outside.
  int index = index_between(start, -2.0f, (float)size);
  between found = {index, index + 1, u - start};
  if (mode == REPEAT) {
    found.first = index < 0 ? index + size : index;
    found.second = index + 1 > size - 1 ? index + 1 - size : index + 1;
    found.first = __builtin_elementwise_min(__builtin_elementwise_max(found.first, 0), size - 1);
    found.second = __builtin_elementwise_min(__builtin_elementwise_max(found.second, 0), size - 1);
  } else if (mode != TO_BORDER) {
    found.first = __builtin_elementwise_min(__builtin_elementwise_max(index, 0), size - 1);
    found.second = __builtin_elementwise_min(__builtin_elementwise_max(index + 1, 0), size - 1);
  }
  return found;
}

// The element of an array that a coordinate names: the nearest one.
HELPER int element_of(float c, int count) {
  return index_between(__builtin_elementwise_roundeven(c), 0.0f, (float)(count - 1));
}
HELPER int element_of(int c, int count) {
  return __builtin_elementwise_min(__builtin_elementwise_max(c, 0), count - 1);
}

#define NEAREST_PLACE(C)                                                                                               \
  HELPER place nearest_place(image level, int kind, uint sampler, C c) {                                                   \
    place at = {nearest(c.x, level->width, sampler), 0, 0};                                                                \
    if (kind == TWO || kind == TWO_ARRAY || kind == THREE)                                                             \
      at.y = nearest(c.y, level->height, sampler);                                                                         \
    if (kind == ONE_ARRAY)                                                                                             \
      at.z = element_of(c.y, level->array_size);                                                                           \
    if (kind == TWO_ARRAY)                                                                                             \
      at.z = element_of(c.z, level->array_size);                                                                           \
    if (kind == THREE)                                                                                                 \
      at.z = nearest(c.z, level->depth, sampler);                                                                          \
    return at;                                                                                                         \
  }
NEAREST_PLACE(int4)
NEAREST_PLACE(float4)
#undef NEAREST_PLACE

// Whether a place is the border's.
HELPER bool is_border(image level, place at, int kind) {
  bool outside = is_outside(at.x, level->width);
  if (kind == TWO || kind == TWO_ARRAY || kind == THREE)
    outside |= is_outside(at.y, level->height);
  if (kind == THREE)
    outside |= is_outside(at.z, level->depth);
  return outside;
}

// The fourth channel of the border: 1 for orders without a transparent one.
HELPER bool is_border_opaque(uint order) {
  return order == ORDER_R || order == ORDER_RG || order == ORDER_RGB || order == ORDER_LUMINANCE || order == ORDER_SRGB;
}
