// Pixels as unsigned integers: read_imageui (OpenCL C 3.0, section 6.15.15.2 and .3).

#include "image_level.h"
#include "image_channels.h"

static __attribute__((noinline)) uint4 oxcl_image_pixel_uint(image i, __global const uchar *row, int x) {
  words w = words_of(row, x, pixel_size(i));
  uint4 c;
  switch (i->type) {
  case TYPE_U32:
    c = ints_in(w);
    break;
  case TYPE_U16:
    c = shorts_in(w);
    break;
  default:
    c = bytes_in(w);
  }
  return arranged(c, i->order, 1u);
}
HELPER uint4 border_of(image i) { return (uint4)(0, 0, 0, is_border_opaque(i->order) ? 1 : 0); }

#define READ read_imageui
#define T4 uint4
#define W4 uint4
#define AS_uint4(c) (c)
#define QUICK_PIXEL(i, row, x, format) ((void)(format), oxcl_image_pixel_uint(i, row, x))
#define LINEAR_TOO 0
#define DEPTH_TOO 0
#include "image_read.inc"
