// The bytes of a pixel to its channels as they are in memory, and channels to what a kernel sees of them.

// The channels as they are in memory, widened to 32 bits without their signs; those that there are not are 0. Elements of
// 4 and of 8 bytes are read at once.
HELPER uint4 bytes_of(__global const uchar *p, uint count) {
  if (count == 4) {
    uint all = *(__global const uint_any *)p;
    return (uint4)(all & 255, all >> 8 & 255, all >> 16 & 255, all >> 24);
  }
  if (count == 1)
    return (uint4)(p[0], 0, 0, 0);
  uint both = *(__global const ushort_any *)p;
  return (uint4)(both & 255, both >> 8, count == 3 ? p[2] : 0, 0);
}
HELPER uint4 shorts_of(__global const uchar *p, uint count) {
  __global const ushort_any *s = (__global const ushort_any *)p;
  if (count == 1)
    return (uint4)(s[0], 0, 0, 0);
  uint first = *(__global const uint_any *)p;
  if (count == 4) {
    uint last = ((__global const uint_any *)p)[1];
    return (uint4)(first & 0xffff, first >> 16, last & 0xffff, last >> 16);
  }
  return (uint4)(first & 0xffff, first >> 16, count == 3 ? s[2] : 0, 0);
}
HELPER uint4 words_of(__global const uchar *p, uint count) {
  __global const uint_any *w = (__global const uint_any *)p;
  if (count == 4)
    return *(__global const uint4_any *)p;
  if (count == 1)
    return (uint4)(w[0], 0, 0, 0);
  return (uint4)(w[0], w[1], count == 3 ? w[2] : 0, 0);
}

// Channels in memory to red, green, blue and alpha; `one` is 1.
#define ARRANGE(T4, T)                                                                                                 \
  HELPER T4 arranged(T4 c, uint order, T one) {                                                                        \
    T zero = (T)0;                                                                                                     \
    switch (order) {                                                                                                   \
    case ORDER_RGBA:                                                                                                   \
    case ORDER_SRGBA:                                                                                                  \
      return c;                                                                                                        \
    case ORDER_BGRA:                                                                                                   \
    case ORDER_SBGRA:                                                                                                  \
      return c.zyxw;                                                                                                   \
    case ORDER_ARGB:                                                                                                   \
      return c.yzwx;                                                                                                   \
    case ORDER_ABGR:                                                                                                   \
      return c.wzyx;                                                                                                   \
    case ORDER_RGB:                                                                                                    \
    case ORDER_RGBX:                                                                                                   \
    case ORDER_SRGB:                                                                                                   \
    case ORDER_SRGBX:                                                                                                  \
      return (T4)(c.xyz, one);                                                                                         \
    case ORDER_RG:                                                                                                     \
    case ORDER_RGX:                                                                                                    \
      return (T4)(c.x, c.y, zero, one);                                                                                \
    case ORDER_RA:                                                                                                     \
      return (T4)(c.x, zero, zero, c.y);                                                                               \
    case ORDER_A:                                                                                                      \
      return (T4)(zero, zero, zero, c.x);                                                                              \
    case ORDER_INTENSITY:                                                                                              \
      return c.xxxx;                                                                                                   \
    case ORDER_LUMINANCE:                                                                                              \
      return (T4)(c.xxx, one);                                                                                         \
    default:                                                                                                           \
      return (T4)(c.x, zero, zero, one);                                                                               \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The way back. */                                                                                                  \
  HELPER T4 in_memory(T4 c, uint order) {                                                                              \
    switch (order) {                                                                                                   \
    case ORDER_BGRA:                                                                                                   \
    case ORDER_SBGRA:                                                                                                  \
      return c.zyxw;                                                                                                   \
    case ORDER_ARGB:                                                                                                   \
      return c.wxyz;                                                                                                   \
    case ORDER_ABGR:                                                                                                   \
      return c.wzyx;                                                                                                   \
    case ORDER_RA:                                                                                                     \
      return c.xwzy;                                                                                                   \
    case ORDER_A:                                                                                                      \
      return c.wxyz;                                                                                                   \
    default:                                                                                                           \
      return c;                                                                                                        \
    }                                                                                                                  \
  }
ARRANGE(float4, float)
ARRANGE(int4, int)
ARRANGE(uint4, uint)
#undef ARRANGE
