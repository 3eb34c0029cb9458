// A pixel as a kernel reads it in floating point. `PIXEL` is the name of the function, which a unit has for itself.

#include "image_channels.h"
#include "srgb.inc"

// The values of signed bytes and shorts that were widened without their signs.
HELPER float4 of_bytes(uint4 c) { return __builtin_convertvector(__builtin_astype(c << 24, int4) >> 24, float4); }
HELPER float4 of_shorts(uint4 c) { return __builtin_convertvector(__builtin_astype(c << 16, int4) >> 16, float4); }

HELPER float4 linear(uint4 c) {
  return (float4)(linear_of_srgb[c.x], linear_of_srgb[c.y], linear_of_srgb[c.z], (float)c.w * (1.0f / 255.0f));
}

HELPER bool is_srgb(uint order) { return order >= ORDER_SRGB && order <= ORDER_SBGRA; }

// Kept apart: what a program calls often, it has once.
static __attribute__((noinline)) float4 PIXEL(image i, __global const uchar *p) {
  uint order = i->order, count = i->channels;
  float4 c;
  switch (i->type) {
  case TYPE_UNORM8: {
    uint4 raw = bytes_of(p, count);
    if (!is_srgb(order)) {
      c = __builtin_convertvector(raw, float4) * (1.0f / 255.0f);
      break;
    }
    // Tables are of the three colours, wherever they are in memory.
    float4 all = linear(order == ORDER_SBGRA ? raw.zyxw : raw);
    return order == ORDER_SRGBA || order == ORDER_SBGRA ? all : (float4)(all.xyz, 1.0f);
  }
  case TYPE_FLOAT:
    c = __builtin_astype(words_of(p, count), float4);
    break;
  case TYPE_UNORM16:
    c = __builtin_convertvector(shorts_of(p, count), float4) * (1.0f / 65535.0f);
    break;
  case TYPE_HALF: {
    __global const half_any *h = (__global const half_any *)p;
    c = (float4)((float)h[0], count > 1 ? (float)h[1] : 0.0f, count > 2 ? (float)h[2] : 0.0f,
                 count > 3 ? (float)h[3] : 0.0f);
    break;
  }
  case TYPE_SNORM8:
    c = __builtin_elementwise_max(of_bytes(bytes_of(p, count)) * (1.0f / 127.0f), (float4)-1.0f);
    break;
  case TYPE_SNORM16:
    c = __builtin_elementwise_max(of_shorts(shorts_of(p, count)) * (1.0f / 32767.0f), (float4)-1.0f);
    break;
  // Packed: red is in the highest bits.
  case TYPE_565: {
    uint v = *(__global const ushort_any *)p;
    c = (float4)((float)(v >> 11) * (1.0f / 31.0f), (float)(v >> 5 & 63) * (1.0f / 63.0f), (float)(v & 31) * (1.0f / 31.0f), 1.0f);
    break;
  }
  case TYPE_555: {
    uint v = *(__global const ushort_any *)p;
    c = (float4)((float)(v >> 10 & 31), (float)(v >> 5 & 31), (float)(v & 31), 31.0f) * (1.0f / 31.0f);
    break;
  }
  case TYPE_101010: {
    uint v = *(__global const uint_any *)p;
    c = (float4)((float)(v >> 20 & 1023), (float)(v >> 10 & 1023), (float)(v & 1023), 1023.0f) * (1.0f / 1023.0f);
    break;
  }
  case TYPE_101010_2: {
    uint v = *(__global const uint_any *)p;
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
HELPER float4 quick_pixel(image i, __global const uchar *p, int format) {
  switch (format) {
  case RGBA_UNORM8:
    return __builtin_convertvector(bytes_of(p, 4), float4) * (1.0f / 255.0f);
  case R_UNORM8:
    return (float4)((float)p[0] * (1.0f / 255.0f), 0.0f, 0.0f, 1.0f);
  case RGBA_FLOAT:
    return __builtin_astype(words_of(p, 4), float4);
  case R_FLOAT:
    return (float4)(__builtin_astype(*(__global const uint_any *)p, float), 0.0f, 0.0f, 1.0f);
  default:
    return PIXEL(i, p);
  }
}

HELPER float4 border_of(image i) { return (float4)(0.0f, 0.0f, 0.0f, is_border_opaque(i->order) ? 1.0f : 0.0f); }
