// Which pixels a kernel reads and writes is recorded where all are at sums of ids and constants, and nothing else reaches the image.
// test: args
// options: -cl-std=CL3.0
kernel void plain(write_only image2d_t out) {
  write_imagef(out, (int2)(get_global_id(0), get_global_id(1)), (float4)(1));
}
kernel void twice(write_only image2d_array_t out) {
  int x = get_global_id(0), y = get_group_id(1) * 4 + get_local_id(1);
  write_imageui(out, (int4)(2 * x, y, 3, 0), (uint4)(1));
  if (x < get_image_width(out)) write_imageui(out, (int4)(x, y, 0, 0) - (int4)(1, 0, 0, 0), (uint4)(2));
}
kernel void row(write_only image1d_t out) { write_imagei(out, (int)get_global_id(0) + 7, (int4)(1)); }
kernel void from_vector(write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at.yx, (float4)(1));
}
constant sampler_t EDGE = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void both_ways(read_write image2d_t both) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(both, at, read_imagef(both, at + (int2)(4, 0)));
}
kernel void by_samplers(read_only image2d_t in, sampler_t how, read_only image1d_t row, read_only image2d_depth_t depth, global float4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  out[at.x] = read_imagef(in, EDGE, at - 1) + read_imagef(in, how, at + 1) + read_imagef(row, how, at.x) + read_imagef(depth, at);
}
// Nothing is recorded of these.
kernel void between_pixels(read_only image2d_t in, sampler_t how, read_only image1d_t row, global float4 *out) {
  float x = get_global_id(0);
  out[get_global_id(0)] = read_imagef(in, how, (float2)(x, 0)) + read_imagef(row, how, 3.0f);
}
kernel void by_argument(write_only image2d_t out, int x) { write_imagef(out, (int2)(x, 0), (float4)(1)); }
kernel void by_content(write_only image2d_t out, global const int *places) {
  write_imagef(out, (int2)(places[get_global_id(0)], 0), (float4)(1));
}
kernel void in_a_loop(write_only image1d_t out) {
  for (int x = 0; x < 4; ++x) write_imagef(out, x, (float4)(1));
}
kernel void one_plain_one_not(write_only image2d_t out, int x) {
  write_imagef(out, (int2)(get_global_id(0), get_global_id(1)), (float4)(1));
  write_imagef(out, (int2)(x, 0), (float4)(2));
}
__attribute__((noinline)) void put(write_only image2d_t out, int x) { write_imagef(out, (int2)(x, 0), (float4)(1)); }
kernel void by_a_function(write_only image2d_t out) { put(out, get_global_id(0)); }
__attribute__((intel_reqd_sub_group_size(8))) kernel void blocks(write_only image2d_t out) {
  intel_sub_group_block_write(out, (int2)(0, 0), 1u);
}
