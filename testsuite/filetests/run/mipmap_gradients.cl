// Levels of mipmaps that are found by the steps of coordinates: the larger of two is one pixel of the level.
// test: run
// bits: 64
// options: -cl-std=CL3.0
// run: row global=5 (in=image/r/float/8/4[0,1,2,3,4,5,6,7,10,11,12,13,20,21,30], s=sampler:normalised+clamp_to_edge, x=[0.125,0.25,-0.5,0,0], y=[0,0.1,0.25,4,0], out=zeros:5) -> out=[4,12,21,30,4]
// run: row global=2 (in=image/r/float/8/4[0,1,2,3,4,5,6,7,10,11,12,13,20,21,30], s=sampler:normalised+clamp_to_edge+mip_linear, x=[0.17677669,0.5], y=[0,0], out=zeros:2) -> out=[8,21]
// ulp: 64
// run: rows global=2 (in=image/r/float/4x2/2[0,1,2,3,4,5,6,7,10,11,12,13], s=sampler:normalised+clamp_to_edge, x=[0.25,0.5], y=[0.25,0.1], out=zeros:2) -> out=[6,13]
// run: plane global=4 (in=image/r/float/4x2/3[0,1,2,3,4,5,6,7,10,11,20], s=sampler:normalised+clamp_to_edge, x=[0.25,0,0.3,0,0.4,0.6,0,0], y=[0,0.5,0,1,0,0,0,0], out=zeros:4) -> out=[6,11,11,6]
// run: planes global=2 (in=image/r/float/2x2x2/2[0,1,2,3,4,5,6,7,10,20], s=sampler:normalised+clamp_to_edge, x=[0.5,0,1,0], y=[0,0,0,0], out=zeros:2) -> out=[7,20]
// run: volume global=3 (in=image/r/float/2x2x4/3[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,20,21,30], s=sampler:normalised+clamp_to_edge, x=[0.5,0,0,9,0,0,0.5,9,0,0,0,9], y=[0,0,0,9,0,0,0.25,9,0,0,1,9], out=zeros:3) -> out=[11,21,30]
// run: whole global=2 (in=image/r/signed_int32/2x1/2[1,2,30], s=sampler:normalised+clamp_to_edge, x=[0.5,0,1,0], out=zeros:2) -> out=[2,30]
#ifndef cl_khr_mipmap_image
#error
#endif
kernel void row(read_only image1d_t in, sampler_t s, global const float *x, global const float *y, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, 0.6f, x[i], y[i]).x;
}
kernel void rows(read_only image1d_array_t in, sampler_t s, global const float *x, global const float *y, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, (float2)(0.6f, 1.0f), x[i], y[i]).x;
}
kernel void plane(read_only image2d_t in, sampler_t s, global const float2 *x, global const float2 *y, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, (float2)(0.6f, 0.6f), x[i], y[i]).x;
}
kernel void planes(read_only image2d_array_t in, sampler_t s, global const float2 *x, global const float2 *y, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, (float4)(0.6f, 0.6f, 1.0f, 0.0f), x[i], y[i]).x;
}
kernel void volume(read_only image3d_t in, sampler_t s, global const float4 *x, global const float4 *y, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, (float4)(0.6f, 0.6f, 0.6f, 0.0f), x[i], y[i]).x;
}
kernel void whole(read_only image2d_t in, sampler_t s, global const float2 *x, global int *out) {
  int i = get_global_id(0);
  out[i] = read_imagei(in, s, (float2)(0.6f, 0.6f), x[i], (float2)(0.0f)).x;
}
