// Which level of a mipmap a read takes (cl_khr_mipmap_image, and for what it leaves open, level by level, OpenGL 4.6, section 8.14).
//
// A sampler's bits for it: whether levels are mixed, and between which levels of detail it stays. Each of these is a float's 24 highest bits
// behind its sign, and the larger one is taken from the largest float: so a literal, which has none of them, stays between 0 and that.

#include "image_sample.h"

// Levels are mixed.
enum { MIP_LINEAR = 0x40 };
enum { LOWEST_LOD = 16, HIGHEST_LOD = 40, LOD_BITS = 0xffffff, LARGEST_LOD = 0x7f7fffff >> 7 };

HELPER float lod_from(uint bits) { return __builtin_astype(bits << 7, float); }

// A level of detail in what the sampler and the image have; NaN is the lowest one.
HELPER float clamped_lod(image i, ulong sampler, float lod) {
  float low = lod_from((uint)(sampler >> LOWEST_LOD) & LOD_BITS);
  float high = lod_from(LARGEST_LOD - (uint)(sampler >> HIGHEST_LOD));
  lod = __builtin_elementwise_minnum(__builtin_elementwise_maxnum(lod, low), high);
  return __builtin_elementwise_minnum(lod, (float)(levels_of(i) - 1));
}

// The level that is nearest to a level of detail; the larger picture of two that are as near.
HELPER int nearest_level(float lod) { return (int)__builtin_elementwise_ceil(lod - 0.5f); }

// The logarithm to base 2 to about a millionth; exact for powers of two, very small for 0, and large for what is no number.
HELPER float rough_log2(float x) {
  int bits = __builtin_astype(x, int), root_of_half = 0x3f3504f3;
  int exponent = (bits - root_of_half) >> 23;
  float m = __builtin_astype(bits - (exponent << 23), float);
  // log(m) = 2 atanh(s), with s of at most 0.172.
  float s = (m - 1.0f) / (m + 1.0f), z = s * s;
  return (float)exponent + s * (2.88539f + z * (0.961797f + z * (0.577078f + z * 0.412199f)));
}

// The level of detail for steps in pixels of the first level: the larger one of the two is about one pixel of the level. Steps of
// coordinates are fractions of the image where the sampler's are. There is no such thing for an array's elements.
HELPER float lod_of_steps(image i, int kind, uint sampler, float4 x, float4 y) {
  bool has_rows = kind == TWO || kind == TWO_ARRAY || kind == THREE;
  float4 used = (float4)(1.0f, has_rows ? 1.0f : 0.0f, kind == THREE ? 1.0f : 0.0f, 0.0f);
  if (sampler & NORMALISED)
    used *= (float4)((float)i->width, (float)i->height, (float)i->depth, 0.0f);
  // What is not there may be anything.
  float4 zero = 0.0f;
  x = used == zero ? zero : x * used;
  y = used == zero ? zero : y * used;
  float4 xs = x * x, ys = y * y;
  float most = __builtin_elementwise_maxnum(xs.x + xs.y + xs.z, ys.x + ys.y + ys.z);
  return 0.5f * rough_log2(most);
}
