// Kernels of random programs over images: each changes the pixels that its work-items name, and no others.

constant sampler_t EDGE = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

#define ONE(v) (v).x
#define TWO(v) (v).xy
#define FOUR(v) (v)

#define PLACE (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0)

// Pixels of another image, from a little further on; and a pixel that is turned around in its place.
#define KERNELS(KIND, AT)                                                                                              \
  kernel void move_##KIND(read_only KIND##_t in, write_only KIND##_t out, int by) {                                    \
    int4 at = PLACE;                                                                                                   \
    write_imagef(out, AT(at), read_imagef(in, EDGE, AT(at + by)));                                                     \
  }                                                                                                                    \
  kernel void sampled_##KIND(read_only KIND##_t in, sampler_t how, write_only KIND##_t out, int by) {                  \
    int4 at = PLACE;                                                                                                   \
    write_imagef(out, AT(at), read_imagef(in, how, AT(convert_float4(at + by))).wzyx);                                 \
  }                                                                                                                    \
  kernel void turn_##KIND(read_write KIND##_t both) {                                                                  \
    int4 at = PLACE;                                                                                                   \
    write_imagef(both, AT(at), 1.0f - read_imagef(both, AT(at)));                                                      \
  }                                                                                                                    \
  /* The same between levels of mipmaps, and in one. */                                                                \
  kernel void level_##KIND(read_only KIND##_t in, sampler_t how, write_only KIND##_t out, int by, int from, int to) {  \
    int4 at = PLACE;                                                                                                   \
    write_imagef(out, AT(at), to, read_imagef(in, how, AT(convert_float4(at + by)), (float)from).wzyx);                \
  }                                                                                                                    \
  kernel void turn_level_##KIND(read_write KIND##_t both, int level) {                                                 \
    int4 at = PLACE;                                                                                                   \
    write_imagef(both, AT(at), level, 1.0f - read_imagef(both, EDGE, AT(convert_float4(at)), (float)level));           \
  }
KERNELS(image1d, ONE)
KERNELS(image1d_array, TWO)
KERNELS(image2d, TWO)
KERNELS(image2d_array, FOUR)
KERNELS(image3d, FOUR)

kernel void turn_image1d_buffer(read_write image1d_buffer_t both) {
  int at = get_global_id(0);
  write_imagef(both, at, 1.0f - read_imagef(both, at));
}

// A plane's pixels in a buffer, and back.
kernel void pack(read_only image2d_t in, global uint *out, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  uchar4 bytes = convert_uchar4_sat_rte(255.0f * read_imagef(in, (int2)(x, y)));
  out[y * width + x] ^= as_uint(bytes);
}
kernel void unpack(global const uint *in, write_only image2d_t out, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imagef(out, (int2)(x, y), convert_float4(as_uchar4(in[y * width + x])) / 255.0f);
}
