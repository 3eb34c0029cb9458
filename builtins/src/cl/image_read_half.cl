// Pixels as halves: read_imageh (cl_khr_fp16, section 9.4.7 of the extensions).

#include "image_level.h"

#define PIXEL oxcl_image_pixel_half
#include "image_pixel.h"

#define READ read_imageh
#define T4 half4
#define W4 float4
#define AS_half4(c) __builtin_convertvector(c, half4)
#define QUICK_PIXEL quick_pixel
#define LINEAR_TOO 1
#define DEPTH_TOO 0
#include "image_read.inc"
