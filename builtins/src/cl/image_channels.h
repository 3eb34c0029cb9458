// The bytes of a pixel to its channels as they are in memory, channels to what a kernel sees of them, and the way back. Sizes, types
// and orders are the same for all work-items: what is done by one of them does not multiply with what is done by another.

// A pixel's bytes as they are in memory: in `four` where there are 16, else in `two`, and 0 behind them.
typedef struct {
  ulong two;
  uint4 four;
} words;

// The pixel `x` of a row. Sizes of pixels are powers of two.
HELPER words words_of(__global const uchar *row, int x, long size) {
  words w = {0, 0};
  switch (size) {
  case 1:
    w.two = row[x];
    break;
  case 2:
    w.two = ((__global const ushort_any *)row)[x];
    break;
  case 4:
    w.two = ((__global const uint_any *)row)[x];
    break;
  case 8:
    w.two = ((__global const ulong_any *)row)[x];
    break;
  default:
    w.four = ((__global const uint4_any *)row)[x];
  }
  return w;
}
HELPER void put_words(__global uchar *row, int x, words w, long size) {
  switch (size) {
  case 1:
    row[x] = (uchar)w.two;
    break;
  case 2:
    ((__global ushort_any *)row)[x] = (ushort)w.two;
    break;
  case 4:
    ((__global uint_any *)row)[x] = (uint)w.two;
    break;
  case 8:
    ((__global ulong_any *)row)[x] = w.two;
    break;
  default:
    ((__global uint4_any *)row)[x] = w.four;
  }
}

// Channels of one, two and four bytes, widened without their signs. By shifts of whole numbers: many lanes then have each channel in a
// vector of its own, with nothing to be taken apart.
HELPER uint4 bytes_in(words w) {
  uint all = (uint)w.two;
  return (uint4)(all & 255, all >> 8 & 255, all >> 16 & 255, all >> 24);
}
HELPER uint4 shorts_in(words w) {
  uint low = (uint)w.two, high = (uint)(w.two >> 32);
  return (uint4)(low & 0xffff, low >> 16, high & 0xffff, high >> 16);
}
// The same with their signs.
HELPER int4 signed_bytes_in(words w) { return __builtin_astype(bytes_in(w) << 24, int4) >> 24; }
HELPER int4 signed_shorts_in(words w) { return __builtin_astype(shorts_in(w) << 16, int4) >> 16; }
HELPER uint4 ints_in(words w, long size) {
  return size == 16 ? w.four : (uint4)(__builtin_astype(w.two, uint2), 0, 0);
}
// And the way back: the lowest bits count.
HELPER words from_bytes(uint4 c) {
  return (words){__builtin_astype(__builtin_convertvector(c, uchar4), uint), 0};
}
HELPER words from_shorts(uint4 c) {
  return (words){__builtin_astype(__builtin_convertvector(c, ushort4), ulong), 0};
}
HELPER words from_ints(uint4 c) { return (words){__builtin_astype(c.xy, ulong), c}; }
HELPER words from_one(uint all) { return (words){all, 0}; }

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
