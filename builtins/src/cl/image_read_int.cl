// Pixels as signed integers: read_imagei (OpenCL C 3.0, section 6.15.15.2 and .3).

#include "image_level.h"
#include "image_channels.h"

static __attribute__((noinline)) int4 oxcl_image_pixel_int(image i, __global const uchar *row, int x) {
  words w = words_of(row, x, pixel_size(i));
  int4 c;
  switch (i->type) {
  case TYPE_S32:
    c = __builtin_astype(ints_in(w), int4);
    break;
  case TYPE_S16:
    c = signed_shorts_in(w);
    break;
  default:
    c = signed_bytes_in(w);
  }
  return arranged(c, i->order, 1);
}
HELPER int4 border_of(image i) { return (int4)(0, 0, 0, is_border_opaque(i->order) ? 1 : 0); }

#define READ read_imagei
#define T4 int4
#define W4 int4
#define AS_int4(c) (c)
#define QUICK_PIXEL(i, row, x, format) ((void)(format), oxcl_image_pixel_int(i, row, x))
#define LINEAR_TOO 0
#define DEPTH_TOO 0
#include "image_read.inc"
