// Writes to levels of mipmaps, in every kind of image, and how many there are; what has no level writes to the first one, and reads it.
// test: run
// bits: 64
// options: -cl-std=CL3.0
// run: row global=4 (out=image/r/float/4/3[1,2,3,4,5,6,7], level=1) -> out=[1,2,3,4,100,101,7]
// run: row global=4 (out=image/r/float/4/3[1,2,3,4,5,6,7], level=2) -> out=[1,2,3,4,5,6,100]
// run: row global=4 (out=image/r/float/4/3[1,2,3,4,5,6,7], level=3) -> out=[1,2,3,4,5,6,7]
// run: row global=4 (out=image/r/unorm_int16/4[1,2,3,4], level=-1) -> out=[1,2,3,4]
// run: rows global=2,2 (out=image/rg/signed_int8/2x2/2:zeros:12, level=1) -> out=[0,0,0,0,0,0,0,0,-5,7,-5,7]
// run: plane global=4,4 (out=image/rgba/unorm_int8/3x2/2:zeros:28, level=0) -> out=[0,0,255,51,51,0,255,51,102,0,255,51,0,51,255,51,51,51,255,51,102,51,255,51,0,0,0,0]
// run: planes global=2,2,2 (out=image/r/unsigned_int16/2x2x2/2:zeros:10, level=1) -> out=[0,0,0,0,0,0,0,0,1,2]
// run: volume global=4,2,4 (out=image/r/half_float/4x2x4/2:zeros:36, level=1) -> out=[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,10,11]
// run: depths global=1 (out=image/depth/float/2x1[1,1], level=0) -> out=[1,0.5]
// run: both global=4 local=4 (io=image/r/unsigned_int32/4/2[1,2,3,4,5,6]) -> io=[1,2,3,4,3,7]
// run: first global=2 (io=image/r/float/2/2[1,2,5]) -> io=[11,12,5]
// run: counts global=1 (row=image/r/float/8/4:zeros:15, plane=image/r/float/2x1/2:zeros:3, volume=image/r/float/1x1x1:zeros:1, depth=image/depth/float/2x1:zeros:2, out=zeros:8) -> out=[4,2,1,1,8,2,1,1]
#ifndef cl_khr_mipmap_image_writes
#error
#endif
kernel void row(write_only image1d_t out, int level) {
  int x = get_global_id(0);
  write_imagef(out, x, level, (float4)(100 + x));
}
kernel void rows(write_only image1d_array_t out, int level) {
  write_imagei(out, (int2)(get_global_id(0), get_global_id(1)), level, (int4)(-5, 7, 8, 9));
}
kernel void plane(write_only image2d_t out, int level) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imagef(out, (int2)(x, y), level, (float4)(x * 0.2f, y * 0.2f, 1.5f, 0.2f));
}
kernel void planes(write_only image2d_array_t out, int level) {
  int z = get_global_id(2);
  write_imageui(out, (int4)(get_global_id(0), get_global_id(1), z, 0), level, (uint4)(1 + z));
}
kernel void volume(write_only image3d_t out, int level) {
  int x = get_global_id(0), z = get_global_id(2);
  write_imagef(out, (int4)(x, get_global_id(1), z, 0), level, (float4)(x + 10 * z));
}
kernel void depths(write_only image2d_depth_t out, int level) { write_imagef(out, (int2)(1, 0), level, 0.5f); }
// The next level of a mipmap: sums of two pixels.
kernel void both(read_write image1d_t io) {
  const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  int x = get_global_id(0);
  uint4 own = read_imageui(io, s, (x + 0.5f) / 4, 0.0f);
  uint4 next = read_imageui(io, s, (x + 1.5f) / 4, 0.0f);
  if (x % 2 == 0)
    write_imageui(io, x / 2, 1, own + next);
}
kernel void first(read_write image1d_t io) {
  int x = get_global_id(0);
  write_imagef(io, x, read_imagef(io, x) + 10.0f);
}
kernel void counts(read_only image1d_t row, write_only image2d_t plane, read_only image3d_t volume, read_only image2d_depth_t depth,
                   global int *out) {
  out[0] = get_image_num_mip_levels(row);
  out[1] = get_image_num_mip_levels(plane);
  out[2] = get_image_num_mip_levels(volume);
  out[3] = get_image_num_mip_levels(depth);
  // Sizes are those of the first level.
  out[4] = get_image_width(row);
  out[5] = get_image_width(plane);
  out[6] = get_image_depth(volume);
  out[7] = get_image_height(depth);
}
