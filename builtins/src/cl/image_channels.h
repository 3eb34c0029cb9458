// The bytes of a pixel to its channels as they are in memory, channels to what a kernel sees of them, and the way back. Sizes, types
// and orders are the same for all work-items: what is done by one of them does not multiply with what is done by another.

// A pixel's bytes as they are in memory, four in each number, and 0 behind them. No number is wider: many lanes of it are as many
// vectors as of a channel.
typedef uint4 words;

// The pixel `x` of a row. Sizes of pixels are powers of two.
HELPER words words_of(__global const uchar *row, int x, long size) {
  switch (size) {
  case 1:
    return (words)(row[x], 0, 0, 0);
  case 2:
    return (words)(((__global const ushort_any *)row)[x], 0, 0, 0);
  case 4:
    return (words)(((__global const uint_any *)row)[x], 0, 0, 0);
  case 8:
    return (words)(((__global const uint2_any *)row)[x], 0, 0);
  default:
    return ((__global const uint4_any *)row)[x];
  }
}
// Where it is in the image. That is asked last: all before it is the same for all work-items, whichever of them write.
HELPER void put_words(__global uchar *row, int x, words w, long size, bool inside) {
  switch (size) {
  case 1:
    if (inside)
      row[x] = (uchar)w.x;
    break;
  case 2:
    if (inside)
      ((__global ushort_any *)row)[x] = (ushort)w.x;
    break;
  case 4:
    if (inside)
      ((__global uint_any *)row)[x] = w.x;
    break;
  case 8:
    if (inside)
      ((__global uint2_any *)row)[x] = w.xy;
    break;
  default:
    if (inside)
      ((__global uint4_any *)row)[x] = w;
  }
}

// Channels of one, two and four bytes, widened without their signs. By shifts of whole numbers: many lanes then have each channel in a
// vector of its own, with nothing to be taken apart.
HELPER uint4 bytes_in(words w) { return (uint4)(w.x & 255, w.x >> 8 & 255, w.x >> 16 & 255, w.x >> 24); }
HELPER uint4 shorts_in(words w) { return (uint4)(w.x & 0xffff, w.x >> 16, w.y & 0xffff, w.y >> 16); }
// The same with their signs.
HELPER int4 signed_bytes_in(words w) { return __builtin_astype(bytes_in(w) << 24, int4) >> 24; }
HELPER int4 signed_shorts_in(words w) { return __builtin_astype(shorts_in(w) << 16, int4) >> 16; }
HELPER uint4 ints_in(words w) { return w; }
// And the way back, of channels that have no more bits. One behind the other: LLVM would make four shifts that are joined a vector's own,
// which lanes take in turns.
HELPER words from_bytes(uint4 c) { return (words)(((c.w << 8 | c.z) << 8 | c.y) << 8 | c.x, 0, 0, 0); }
HELPER words from_shorts(uint4 c) { return (words)(c.x | c.y << 16, c.z | c.w << 16, 0, 0); }
HELPER words from_signed_bytes(int4 c) { return from_bytes(__builtin_astype(c, uint4) & 255); }
HELPER words from_signed_shorts(int4 c) { return from_shorts(__builtin_astype(c, uint4) & 0xffff); }
HELPER words from_ints(uint4 c) { return c; }
HELPER words from_one(uint all) { return (words)(all, 0, 0, 0); }
HELPER half4 halves_in(words w) { return __builtin_astype(w.xy, half4); }
HELPER words from_halves(half4 c) { return (words)(__builtin_astype(c, uint2), 0, 0); }

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
