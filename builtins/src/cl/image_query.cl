// What a kernel may ask of an image (OpenCL C 3.0, section 6.15.15.5, and cl_khr_mipmap_image). Sizes are those of a mipmap's first level.

#include "image.h"

#define ASK(ACCESS, TYPE)                                                                                              \
  OVERLOAD int get_image_width(ACCESS TYPE i) { return (int)oxcl_image(i)->width; }                                    \
  OVERLOAD int get_image_channel_data_type(ACCESS TYPE i) { return (int)oxcl_image(i)->type; }                         \
  OVERLOAD int get_image_channel_order(ACCESS TYPE i) { return (int)oxcl_image(i)->order; }
#define ASK_LEVELS(ACCESS, TYPE)                                                                                       \
  OVERLOAD int get_image_num_mip_levels(ACCESS TYPE i) { return levels_of(oxcl_image(i)); }
#define ASK_HEIGHT(ACCESS, TYPE)                                                                                       \
  OVERLOAD int get_image_height(ACCESS TYPE i) { return (int)oxcl_image(i)->height; }
#define ASK_SIZE(ACCESS, TYPE)                                                                                         \
  ASK_HEIGHT(ACCESS, TYPE)                                                                                             \
  OVERLOAD int2 get_image_dim(ACCESS TYPE i) {                                                                         \
    image known = oxcl_image(i);                                                                                       \
    return (int2)((int)known->width, (int)known->height);                                                              \
  }
#define ASK_COUNT(ACCESS, TYPE)                                                                                        \
  OVERLOAD size_t get_image_array_size(ACCESS TYPE i) { return oxcl_image(i)->array_size; }

#define EACH(ACCESS)                                                                                                   \
  ASK(ACCESS, image1d_t)                                                                                               \
  ASK(ACCESS, image1d_buffer_t)                                                                                        \
  ASK(ACCESS, image1d_array_t)                                                                                         \
  ASK(ACCESS, image2d_t)                                                                                               \
  ASK(ACCESS, image2d_array_t)                                                                                         \
  ASK(ACCESS, image2d_depth_t)                                                                                         \
  ASK(ACCESS, image2d_array_depth_t)                                                                                   \
  ASK(ACCESS, image3d_t)                                                                                               \
  ASK_LEVELS(ACCESS, image1d_t)                                                                                        \
  ASK_LEVELS(ACCESS, image1d_array_t)                                                                                  \
  ASK_LEVELS(ACCESS, image2d_t)                                                                                        \
  ASK_LEVELS(ACCESS, image2d_array_t)                                                                                  \
  ASK_LEVELS(ACCESS, image2d_depth_t)                                                                                  \
  ASK_LEVELS(ACCESS, image2d_array_depth_t)                                                                            \
  ASK_LEVELS(ACCESS, image3d_t)                                                                                        \
  ASK_SIZE(ACCESS, image2d_t)                                                                                          \
  ASK_SIZE(ACCESS, image2d_array_t)                                                                                    \
  ASK_SIZE(ACCESS, image2d_depth_t)                                                                                    \
  ASK_SIZE(ACCESS, image2d_array_depth_t)                                                                              \
  ASK_HEIGHT(ACCESS, image3d_t)                                                                                        \
  ASK_COUNT(ACCESS, image1d_array_t)                                                                                   \
  ASK_COUNT(ACCESS, image2d_array_t)                                                                                   \
  ASK_COUNT(ACCESS, image2d_array_depth_t)                                                                             \
  OVERLOAD int get_image_depth(ACCESS image3d_t i) { return (int)oxcl_image(i)->depth; }                               \
  OVERLOAD int4 get_image_dim(ACCESS image3d_t i) {                                                                    \
    image known = oxcl_image(i);                                                                                       \
    return (int4)((int)known->width, (int)known->height, (int)known->depth, 0);                                        \
  }
EACH(read_only)
EACH(write_only)
EACH(read_write)
