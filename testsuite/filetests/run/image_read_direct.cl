// Pixels by whole coordinates and without a sampler, of images of every kind and in several formats.
// test: run
// bits: 64
// options: -cl-std=CL3.0
// ulp: 1
// run: plane global=4,2 (in=image/rgba/unorm_int8/4x2:range:32, out=zeros:32) -> out=[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31]
// run: ints global=3 (in=image/rg/signed_int16/3[-1,2,-3,4,-32768,32767], out=zeros:12) -> out=[-1,2,0,1,-3,4,0,1,-32768,32767,0,1]
// run: rows global=2,2 (in=image/r/unsigned_int32/2x2[7,8,9,4294967295], out=zeros:16) -> out=[7,0,0,1,8,0,0,1,9,0,0,1,4294967295,0,0,1]
// run: volume global=2,1,2 (in=image/bgra/unsigned_int8/2x1x2[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16], out=zeros:16) -> out=[3,2,1,4,7,6,5,8,11,10,9,12,15,14,13,16]
// run: planes global=1,2,2 (in=image/a/half_float/1x2x2[0.5,-2,3,4], out=zeros:16) -> out=[0,0,0,0.5,0,0,0,-2,0,0,0,3,0,0,0,4]
// run: in_buffer global=2 (in=image/argb/signed_int8/2[-4,1,2,3,-8,5,6,7], out=zeros:8) -> out=[1,2,3,-4,5,6,7,-8]
// run: depth global=2,1 (in=image/depth/float/2x1[0.25,7], deep=image/depth/unorm_int16/1x1x2[0,65535], out=zeros:4) -> out=[0.25,0,7,1]
#ifndef cl_khr_depth_images
#error
#endif
kernel void plane(read_only image2d_t in, global float4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  out[at.y * get_image_width(in) + at.x] = read_imagef(in, at) * 255.0f;
}
kernel void ints(read_only image1d_t in, global int4 *out) {
  int x = get_global_id(0);
  out[x] = read_imagei(in, x);
}
kernel void rows(read_only image1d_array_t in, global uint4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  out[at.y * get_image_width(in) + at.x] = read_imageui(in, at);
}
kernel void volume(read_only image3d_t in, global uint4 *out) {
  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  out[(at.z * get_image_height(in) + at.y) * get_image_width(in) + at.x] = read_imageui(in, at);
}
kernel void planes(read_only image2d_array_t in, global float4 *out) {
  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  out[(at.z * get_image_height(in) + at.y) * get_image_width(in) + at.x] = read_imagef(in, at);
}
kernel void in_buffer(read_only image1d_buffer_t in, global int4 *out) {
  int x = get_global_id(0);
  out[x] = read_imagei(in, x);
}
kernel void depth(read_only image2d_depth_t in, read_only image2d_array_depth_t deep, global float2 *out) {
  int x = get_global_id(0);
  out[x] = (float2)(read_imagef(in, (int2)(x, 0)), read_imagef(deep, (int4)(0, 0, x, 0)));
}
