// A pixel as a kernel reads it in floating point. `PIXEL` is the name of the function for any format, which a unit has for itself.

#include "image_channels.h"
#include "srgb.inc"

#define TO_FLOATS(c) __builtin_convertvector(c, float4)

HELPER float4 linear(uint4 c) {
  return (float4)(linear_of_srgb[c.x], linear_of_srgb[c.y], linear_of_srgb[c.z], (float)c.w * (1.0f / 255.0f));
}

HELPER bool is_srgb(uint order) { return order >= ORDER_SRGB && order <= ORDER_SBGRA; }

static __attribute__((noinline)) float4 PIXEL(image i, __global const uchar *row, int x) {
  uint order = i->order;
  words w = words_of(row, x, pixel_size(i));
  float4 c;
  switch (i->type) {
  case TYPE_UNORM8: {
    uint4 raw = bytes_in(w);
    if (!is_srgb(order)) {
      c = TO_FLOATS(raw) * (1.0f / 255.0f);
      break;
    }
    // Tables are of the three colours, wherever they are in memory.
    float4 all = linear(order == ORDER_SBGRA ? raw.zyxw : raw);
    return order == ORDER_SRGBA || order == ORDER_SBGRA ? all : (float4)(all.xyz, 1.0f);
  }
  case TYPE_FLOAT:
    c = __builtin_astype(ints_in(w), float4);
    break;
  case TYPE_UNORM16:
    c = TO_FLOATS(shorts_in(w)) * (1.0f / 65535.0f);
    break;
  case TYPE_HALF:
    c = TO_FLOATS(halves_in(w));
    break;
  case TYPE_SNORM8:
    c = __builtin_elementwise_max(TO_FLOATS(signed_bytes_in(w)) * (1.0f / 127.0f), (float4)-1.0f);
    break;
  case TYPE_SNORM16:
    c = __builtin_elementwise_max(TO_FLOATS(signed_shorts_in(w)) * (1.0f / 32767.0f), (float4)-1.0f);
    break;
  // Packed: red is in the highest bits.
  case TYPE_565: {
    uint v = w.x;
    c = (float4)((float)(v >> 11) * (1.0f / 31.0f), (float)(v >> 5 & 63) * (1.0f / 63.0f), (float)(v & 31) * (1.0f / 31.0f), 1.0f);
    break;
  }
  case TYPE_555: {
    uint v = w.x;
    c = (float4)((float)(v >> 10 & 31), (float)(v >> 5 & 31), (float)(v & 31), 31.0f) * (1.0f / 31.0f);
    break;
  }
  case TYPE_101010: {
    uint v = w.x;
    c = (float4)((float)(v >> 20 & 1023), (float)(v >> 10 & 1023), (float)(v & 1023), 1023.0f) * (1.0f / 1023.0f);
    break;
  }
  case TYPE_101010_2: {
    uint v = w.x;
    c = (float4)((float)(v >> 22), (float)(v >> 12 & 1023), (float)(v >> 2 & 1023), 0.0f) * (1.0f / 1023.0f);
    c.w = (float)(v & 3) * (1.0f / 3.0f);
    break;
  }
  default:
    return (float4)0.0f;
  }
  return arranged(c, order, 1.0f);
}

// The same where the format is known.
HELPER float4 quick_pixel(image i, __global const uchar *row, int x, int format) {
  switch (format) {
  case RGBA_UNORM8:
    return TO_FLOATS(bytes_in(words_of(row, x, 4))) * (1.0f / 255.0f);
  case R_UNORM8:
    return (float4)((float)row[x] * (1.0f / 255.0f), 0.0f, 0.0f, 1.0f);
  case RGBA_FLOAT:
    return __builtin_astype(words_of(row, x, 16), float4);
  case R_FLOAT:
    return (float4)(__builtin_astype(((__global const uint_any *)row)[x], float), 0.0f, 0.0f, 1.0f);
  default:
    return PIXEL(i, row, x);
  }
}

HELPER float4 border_of(image i) { return (float4)(0.0f, 0.0f, 0.0f, is_border_opaque(i->order) ? 1.0f : 0.0f); }
