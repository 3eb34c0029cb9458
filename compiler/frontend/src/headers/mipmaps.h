// Reads and writes of levels of images that a kernel both reads and writes (cl_khr_mipmap_image), which clang does not know by
// itself. It knows nothing of a name by itself that a header declares, so all overloads are here. Comes before sources that name
// `read_write`.

#if defined(__IMAGE_SUPPORT__) && defined(__opencl_c_read_write_images) && defined(cl_khr_mipmap_image)

#define __oxcl_m __attribute__((overloadable))
#define __oxcl_read __attribute__((overloadable, pure))

// Each for one type of image: its whole coordinates, those for a sampler, and their steps.
#define __oxcl_images(M, suffix, pixel)                                                                                \
  M(image1d_t, int, float, float, suffix, pixel)                                                                       \
  M(image1d_array_t, int2, float2, float, suffix, pixel)                                                               \
  M(image2d_t, int2, float2, float2, suffix, pixel)                                                                    \
  M(image2d_array_t, int4, float4, float2, suffix, pixel)                                                              \
  M(image3d_t, int4, float4, float4, suffix, pixel)
#define __oxcl_rows(M, suffix, pixel) M(image1d_buffer_t, int, float, float, suffix, pixel)
#define __oxcl_depths(M)                                                                                               \
  M(image2d_depth_t, int2, float2, float2, f, float)                                                                   \
  M(image2d_array_depth_t, int4, float4, float2, f, float)

#define __oxcl_directly(type, ints, floats, steps, suffix, pixel)                                                      \
  pixel __oxcl_read read_image##suffix(read_only type, ints);                                                          \
  pixel __oxcl_read read_image##suffix(read_write type, ints);                                                         \
  void __oxcl_m write_image##suffix(write_only type, ints, pixel);                                                     \
  void __oxcl_m write_image##suffix(read_write type, ints, pixel);
#define __oxcl_sampled(type, ints, floats, steps, suffix, pixel)                                                       \
  pixel __oxcl_read read_image##suffix(read_only type, sampler_t, ints);                                               \
  pixel __oxcl_read read_image##suffix(read_only type, sampler_t, floats);
#define __oxcl_level(access, type, floats, steps, suffix, pixel)                                                       \
  pixel __oxcl_read read_image##suffix(access type, sampler_t, floats, float);                                         \
  pixel __oxcl_read read_image##suffix(access type, sampler_t, floats, steps, steps);
#define __oxcl_levels(type, ints, floats, steps, suffix, pixel)                                                        \
  __oxcl_level(read_only, type, floats, steps, suffix, pixel) __oxcl_level(read_write, type, floats, steps, suffix, pixel)
#ifdef cl_khr_mipmap_image_writes
#define __oxcl_written(type, ints, floats, steps, suffix, pixel)                                                       \
  void __oxcl_m write_image##suffix(write_only type, ints, int, pixel);                                                \
  void __oxcl_m write_image##suffix(read_write type, ints, int, pixel);
#else
#define __oxcl_written(type, ints, floats, steps, suffix, pixel)
#endif

#define __oxcl_pixels(suffix, pixel)                                                                                   \
  __oxcl_images(__oxcl_directly, suffix, pixel) __oxcl_rows(__oxcl_directly, suffix, pixel)                            \
  __oxcl_images(__oxcl_sampled, suffix, pixel) __oxcl_images(__oxcl_levels, suffix, pixel)                             \
  __oxcl_images(__oxcl_written, suffix, pixel)
__oxcl_pixels(f, float4) __oxcl_pixels(i, int4) __oxcl_pixels(ui, uint4)
#ifdef cl_khr_depth_images
__oxcl_depths(__oxcl_directly) __oxcl_depths(__oxcl_sampled) __oxcl_depths(__oxcl_levels) __oxcl_depths(__oxcl_written)
#endif
#endif
