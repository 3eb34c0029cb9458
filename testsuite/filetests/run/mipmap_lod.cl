// Reads of mipmaps at levels of detail, in every kind of image: the nearest level, the two that it is between, and what a sampler limits it to.
// test: run
// bits: 64
// options: -cl-std=CL3.0
// run: row global=7 (in=image/r/float/4/3[0,1,2,3,10,11,20], s=sampler:normalised+clamp_to_edge, at=[0.7,0.7,0.7,0.7,0.7,0.2,0.7], lod=[0,0.5,0.6,1,9,1,-3], out=zeros:7) -> out=[2,2,11,11,20,10,2]
// run: row global=6 (in=image/r/float/4/3[0,1,2,3,10,11,20], s=sampler:normalised+clamp_to_edge+mip_linear, at=[0.7,0.7,0.7,0.7,0.7,0.7], lod=[0,0.25,0.5,1.5,2,9], out=zeros:6) -> out=[2,4.25,6.5,15.5,20,20]
// run: row global=4 (in=image/r/float/4/3[0,1,2,3,10,11,20], s=sampler:normalised+clamp_to_edge+linear+mip_linear, at=[0.5,0.5,0.5,0.25], lod=[0,1,0.5,0.5], out=zeros:4) -> out=[1.5,10.5,6,5.25]
// run: row global=5 (in=image/r/float/4/3[0,1,2,3,10,11,20], s=sampler:normalised+clamp_to_edge+mip_linear+lod_min=0.5+lod_max=1.25, at=[0.7,0.7,0.7,0.7,0.7], lod=[0,0.5,1,2,9], out=zeros:5) -> out=[6.5,6.5,11,13.25,13.25]
// run: row global=3 (in=image/r/unorm_int16/4[0,65535,0,65535], s=sampler:normalised+clamp_to_edge+mip_linear, at=[0.3,0.3,0.6], lod=[0,5,1], out=zeros:3) -> out=[1,1,0]
// run: row global=2 (in=image/r/half_float/2/2[1,2,4], s=sampler:normalised+clamp+linear+mip_linear, at=[0,0.5], lod=[1,0.5], out=zeros:2) -> out=[2,2.75]
// run: rows global=3 (in=image/r/float/2x2/2[0,1,2,3,10,20], s=sampler:normalised+clamp_to_edge, at=[0.2,0,0.8,1,0.8,1], lod=[1,1,0], out=zeros:3) -> out=[10,20,3]
// run: plane global=4 (in=image/rgba/unorm_int8/2x3/2[0,0,0,0,51,0,0,0,102,0,0,0,153,0,0,0,204,0,0,0,255,0,0,0,51,9,9,9], s=sampler:normalised+clamp_to_edge+mip_linear, at=[0.7,0.1,0.2,0.5,0.2,0.9,0.2,0.9], lod=[0,0,1,0.5], out=zeros:4) -> out=[0.2,0.4,0.2,0.5]
// ulp: 1
// run: planes global=3 (in=image/r/float/2x2x2/2[0,1,2,3,4,5,6,7,10,20], s=sampler:normalised+clamp_to_edge, at=[0.7,0.7,1,0,0.7,0.7,1,0,0.7,0.7,0,0], lod=[0,1,1], out=zeros:3) -> out=[7,20,10]
// run: volume global=3 (in=image/r/float/2x2x3/2[0,1,2,3,4,5,6,7,8,9,10,11,20], s=sampler:normalised+clamp_to_edge+mip_linear, at=[0.2,0.7,0.9,0,0.2,0.7,0.9,0,0.2,0.7,0.9,0], lod=[0,1,0.5], out=zeros:3) -> out=[10,20,15]
// run: depths global=2 (in=image/depth/float/2x1/2[2,4,7], s=sampler:normalised+clamp_to_edge+linear, at=[0.5,0.5,0.7,0.5], lod=[0,3], out=zeros:2) -> out=[3,7]
// run: whole global=3 (in=image/rgba/signed_int16/2x1/2[1,2,3,4,-5,-6,-7,-8,100,200,300,-400], s=sampler:normalised+clamp_to_edge+linear+mip_linear, lod=[0,1,0.4], out=zeros:12) -> out=[-5,-6,-7,-8,100,200,300,-400,-5,-6,-7,-8]
// run: naturals global=2 (in=image/rg/unsigned_int8/2x1/2[1,2,3,4,100,200], s=sampler:normalised+clamp_to_edge, lod=[0,1], out=zeros:8) -> out=[3,4,0,1,100,200,0,1]
// run: fixed global=3 (in=image/r/float/2x2/2[1,2,3,4,9], lod=[0,0.7,8], out=zeros:3) -> out=[1,9,9]
#ifndef cl_khr_mipmap_image
#error
#endif
#define LEVELS(name, access, type, coordinate)                                                                              \
  kernel void name(access type in, sampler_t s, global const coordinate *at, global const float *lod, global float *out) {  \
    int i = get_global_id(0);                                                                                               \
    out[i] = read_imagef(in, s, at[i], lod[i]).x;                                                                           \
  }
LEVELS(row, read_only, image1d_t, float)
LEVELS(rows, read_only, image1d_array_t, float2)
LEVELS(plane, read_write, image2d_t, float2)
LEVELS(planes, read_only, image2d_array_t, float4)
LEVELS(volume, read_only, image3d_t, float4)
kernel void depths(read_only image2d_depth_t in, sampler_t s, global const float2 *at, global const float *lod, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, at[i], lod[i]);
}
kernel void whole(read_only image2d_t in, sampler_t s, global const float *lod, global int4 *out) {
  int i = get_global_id(0);
  out[i] = read_imagei(in, s, (float2)(0.9f, 0.1f), lod[i]);
}
kernel void naturals(read_only image2d_t in, sampler_t s, global const float *lod, global uint4 *out) {
  int i = get_global_id(0);
  out[i] = read_imageui(in, s, (float2)(0.9f, 0.1f), lod[i]);
}
// A literal takes the nearest of all levels.
kernel void fixed(read_only image2d_t in, global const float *lod, global float *out) {
  const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, (float2)(0.1f, 0.1f), lod[i]).x;
}
