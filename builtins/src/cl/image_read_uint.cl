// Pixels as unsigned integers: read_imageui (OpenCL C 3.0, section 6.15.15.2 and .3).

#include "image_sample.h"
#include "image_channels.h"

#define PIXEL oxcl_image_pixel_uint
static __attribute__((noinline)) uint4 PIXEL(image i, __global const uchar *p) {
  uint type = i->type, count = i->channels;
  uint4 c = type == TYPE_U32 ? words_of(p, count) : type == TYPE_U16 ? shorts_of(p, count) : bytes_of(p, count);
  return arranged(c, i->order, 1u);
}
HELPER uint4 border_of(image i) { return (uint4)(0, 0, 0, is_border_opaque(i->order) ? 1 : 0); }

#define READ read_imageui
#define T4 uint4
#define W4 uint4
#define AS_uint4(c) (c)
#define QUICK_PIXEL(i, p, format) PIXEL(i, p)
#define LINEAR_TOO 0
#define DEPTH_TOO 0
#include "image_read.inc"
