// Pixels as signed integers: read_imagei (OpenCL C 3.0, section 6.15.15.2 and .3).

#include "image_sample.h"
#include "image_channels.h"

#define PIXEL oxcl_image_pixel_int
static __attribute__((noinline)) int4 PIXEL(image i, __global const uchar *p) {
  uint type = i->type, count = i->channels;
  uint4 c = type == TYPE_S32 ? words_of(p, count) : type == TYPE_S16 ? shorts_of(p, count) << 16 : bytes_of(p, count) << 24;
  uint shift = type == TYPE_S32 ? 0 : type == TYPE_S16 ? 16 : 24;
  return arranged(__builtin_astype(c, int4) >> (int)shift, i->order, 1);
}
HELPER int4 border_of(image i) { return (int4)(0, 0, 0, is_border_opaque(i->order) ? 1 : 0); }

#define READ read_imagei
#define T4 int4
#define W4 int4
#define AS_int4(c) (c)
#define QUICK_PIXEL(i, p, format) PIXEL(i, p)
#define LINEAR_TOO 0
#define DEPTH_TOO 0
#include "image_read.inc"
