// Pixels as floats: read_imagef (OpenCL C 3.0, section 6.15.15.2 and .3).

#include "image_level.h"

#define PIXEL oxcl_image_pixel_float
#include "image_pixel.h"

#define READ read_imagef
#define T4 float4
#define W4 float4
#define AS_float4(c) (c)
#define AS_float(c) ((c).x)
#define QUICK_PIXEL quick_pixel
#define LINEAR_TOO 1
#define DEPTH_TOO 1
#include "image_read.inc"
