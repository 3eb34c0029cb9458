// The nearest pixel by every addressing mode, with samplers as arguments and as literals, and coordinates far outside.
// test: run
// bits: 64
// ulp: 0
// run: given global=7 (in=image/r/float/4x1[1,2,3,4], s=sampler:clamp_to_edge, at=[-9,-0.1,0,1.999,3.5,4,1e30], out=zeros:7) -> out=[1,1,1,2,4,4,4]
// run: given global=7 (in=image/r/float/4x1[1,2,3,4], s=sampler:clamp, at=[-9,-0.1,0,1.999,3.5,4,1e30], out=zeros:7) -> out=[0,0,1,2,4,0,0]
// run: given global=7 (in=image/r/float/4x1[1,2,3,4], s=sampler:none, at=[0,0.5,1,1.5,2.99,3,3.99], out=zeros:7) -> out=[1,1,2,2,3,4,4]
// run: given global=8 (in=image/r/float/4x1[1,2,3,4], s=sampler:normalised+repeat, at=[0,0.25,0.99,1,1.3,-0.1,-2,7.5], out=zeros:8) -> out=[1,2,4,1,2,4,1,3]
// run: given global=8 (in=image/r/float/4x1[1,2,3,4], s=sampler:normalised+mirrored_repeat, at=[0,0.25,0.99,1.01,1.3,-0.1,-2,2.3], out=zeros:8) -> out=[1,2,4,4,3,1,1,2]
// run: given global=5 (in=image/r/float/4x1[1,2,3,4], s=sampler:normalised+clamp_to_edge, at=[-1,0,0.5,0.99,9], out=zeros:5) -> out=[1,1,3,4,4]
// run: whole global=6 (in=image/rg/unsigned_int8/2x2[1,5,2,6,3,7,4,8], s=sampler:clamp, x=[-1,0,1,2,0,1], y=[0,0,0,0,1,2], out=zeros:24) -> out=[0,0,0,1,1,5,0,1,2,6,0,1,0,0,0,1,3,7,0,1,0,0,0,1]
// run: whole global=4 (in=image/rgba/unsigned_int8/1x2[1,2,3,4,5,6,7,8], s=sampler:clamp_to_edge, x=[-1,0,1,-5], y=[-1,0,1,2], out=zeros:16) -> out=[1,2,3,4,1,2,3,4,5,6,7,8,5,6,7,8]
// run: literals global=5 (in=image/a/float/3x1[1,2,3], at=[-0.5,0.5,1.5,2.5,3.5], out=zeros:15) -> out=[0,1,3,1,1,1,2,2,2,3,3,3,0,3,1]
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
float helped(read_only image2d_t in, sampler_t s, float2 at) { return read_imagef(in, s, at).w; }
kernel void given(read_only image2d_t in, sampler_t s, global const float *at, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, (float2)(at[i], 0)).x;
}
kernel void whole(read_only image2d_t in, sampler_t s, global const int *x, global const int *y, global uint4 *out) {
  int i = get_global_id(0);
  out[i] = read_imageui(in, s, (int2)(x[i], y[i]));
}
kernel void literals(read_only image2d_t in, global const float *at, global float *out) {
  const sampler_t own = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
  int i = get_global_id(0);
  out[3 * i] = helped(in, border, (float2)(at[i], 0));
  out[3 * i + 1] = i == 0 ? 1 : helped(in, edge, (float2)(at[i], 0));
  out[3 * i + 2] = helped(in, own, (float2)(at[i] / 3.0f, 0));
}
