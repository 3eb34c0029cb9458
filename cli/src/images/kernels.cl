// The kernels of `oxcl bench images`: each on images, and the same on buffers with what an image would do written out.
// They are OpenCL C 1.2, for any implementation.

constant sampler_t EDGE = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t SMOOTH = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// A pixel of four bytes.
float4 from_bytes(uchar4 bytes) { return convert_float4(bytes) * (1.0f / 255.0f); }
uchar4 to_bytes(float4 colour) { return convert_uchar4_sat_rte(colour * 255.0f); }

// 3x3 convolution.
kernel void convolution_image(read_only image2d_t in, write_only image2d_t out, constant float *weights) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      sum += weights[3 * y + x + 4] * read_imagef(in, EDGE, at + (int2)(x, y));
  write_imagef(out, at, sum);
}
kernel void convolution_buffer(global const uchar4 *in, global uchar4 *out, constant float *weights, int width, int height) {
  int x0 = get_global_id(0), y0 = get_global_id(1);
  float4 sum = 0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++) {
      int from_x = clamp(x0 + x, 0, width - 1), from_y = clamp(y0 + y, 0, height - 1);
      sum += weights[3 * y + x + 4] * from_bytes(in[from_y * width + from_x]);
    }
  out[y0 * width + x0] = to_bytes(sum);
}

// Bilinear resizing: where a result's pixel is, from 0 to 1, and what is there.
kernel void resize_image(read_only image2d_t in, write_only image2d_t out, float step_x, float step_y) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 place = (convert_float2(at) + 0.5f) * (float2)(step_x, step_y);
  write_imagef(out, at, read_imagef(in, SMOOTH, place));
}
kernel void resize_buffer(global const uchar4 *in, global uchar4 *out, float step_x, float step_y, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float u = (x + 0.5f) * step_x * width - 0.5f, v = (y + 0.5f) * step_y * height - 0.5f;
  float left = floor(u), top = floor(v), part_x = u - left, part_y = v - top;
  int x0 = clamp((int)left, 0, width - 1), x1 = clamp((int)left + 1, 0, width - 1);
  int y0 = clamp((int)top, 0, height - 1), y1 = clamp((int)top + 1, 0, height - 1);
  float4 above = mix(from_bytes(in[y0 * width + x0]), from_bytes(in[y0 * width + x1]), part_x);
  float4 below = mix(from_bytes(in[y1 * width + x0]), from_bytes(in[y1 * width + x1]), part_x);
  out[y * get_global_size(0) + x] = to_bytes(mix(above, below, part_y));
}

// Pixels at random places.
kernel void gather_image(read_only image2d_t in, global const int2 *places, write_only image2d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  int2 place = places[y * get_global_size(0) + x];
  write_imagef(out, (int2)(x, y), read_imagef(in, EDGE, place));
}
kernel void gather_buffer(global const uchar4 *in, global const int2 *places, global uchar4 *out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1), at = y * get_global_size(0) + x;
  int2 place = clamp(places[at], (int2)(0), (int2)(width - 1, height - 1));
  out[at] = to_bytes(from_bytes(in[place.y * width + place.x]));
}

// A volume seen from another side: one float a pixel, between eight.
float4 turned(int x, int y, int z, float step) {
  float a = (x + 0.5f) * step - 0.5f, b = (y + 0.5f) * step - 0.5f, c = (z + 0.5f) * step - 0.5f;
  return (float4)(0.8f * a - 0.6f * b, 0.6f * a + 0.8f * b, c, 0) + 0.5f;
}
kernel void volume_image(read_only image3d_t in, write_only image2d_t out, float step, int side) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imagef(out, (int2)(x, y), (float4)(read_imagef(in, SMOOTH, turned(x, y % side, y / side, step)).x, 0, 0, 1));
}
kernel void volume_buffer(global const float *in, global float *out, float step, int side) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 place = turned(x, y % side, y / side, step) * side - 0.5f;
  float4 first = floor(place), part = place - first;
  int4 low = clamp(convert_int4(first), 0, side - 1), high = clamp(convert_int4(first) + 1, 0, side - 1);
  low.y *= side, high.y *= side, low.z *= side * side, high.z *= side * side;
  float near_top = mix(in[low.z + low.y + low.x], in[low.z + low.y + high.x], part.x);
  float near_low = mix(in[low.z + high.y + low.x], in[low.z + high.y + high.x], part.x);
  float far_top = mix(in[high.z + low.y + low.x], in[high.z + low.y + high.x], part.x);
  float far_low = mix(in[high.z + high.y + low.x], in[high.z + high.y + high.x], part.x);
  out[y * get_global_size(0) + x] = mix(mix(near_top, near_low, part.y), mix(far_top, far_low, part.y), part.z);
}

// Another format: four shorts, red first, to four bytes, blue first.
kernel void format_image(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, EDGE, at));
}
kernel void format_buffer(global const ushort4 *in, global uchar4 *out) {
  int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  out[at] = to_bytes(convert_float4(in[at]) * (1.0f / 65535.0f)).zyxw;
}
