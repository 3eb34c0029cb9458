// Interpolation in one, two and three dimensions, with what is outside by every addressing mode.
// test: run
// bits: 64
// run: row global=5 (in=image/r/float/4[0,8,16,24], s=sampler:clamp_to_edge+linear, at=[0,0.5,1,1.25,9], out=zeros:5) -> out=[0,0,4,6,24]
// run: row global=5 (in=image/intensity/float/4[8,8,16,24], s=sampler:clamp+linear, at=[0,0.5,1.75,4,9], out=zeros:5) -> out=[4,8,10,12,0]
// run: row global=5 (in=image/r/float/4[0,8,16,24], s=sampler:normalised+repeat+linear, at=[0,0.125,0.25,1,-0.5], out=zeros:5) -> out=[12,0,4,12,12]
// run: row global=5 (in=image/r/float/4[0,8,16,24], s=sampler:normalised+mirrored_repeat+linear, at=[0,0.25,1,1.25,-0.25], out=zeros:5) -> out=[0,4,24,20,4]
// run: plane global=4 (in=image/r/float/2x2[0,4,8,12], s=sampler:clamp_to_edge+linear, at=[1,1,0.5,1,1.5,1.5,0,9], out=zeros:4) -> out=[6,4,12,8]
// run: plane global=2 (in=image/rgba/unorm_int8/2x1[0,0,0,0,255,0,0,0], s=sampler:normalised+clamp_to_edge+linear, at=[0.5,0.5,0.75,0.5], out=zeros:2) -> out=[0.5,1]
// run: volume global=3 (in=image/r/float/2x2x2[0,1,2,3,4,5,6,7], s=sampler:clamp_to_edge+linear, at=[1,1,1,0,0.5,0.5,1,0,1,1,0.5,0], out=zeros:3) -> out=[3.5,2,1.5]
// run: rows global=3 (in=image/r/float/2x2[0,1,2,3], s=sampler:clamp_to_edge+linear, at=[1,0,1,0.6,1,7], out=zeros:3) -> out=[0.5,2.5,2.5]
// run: planes global=2 (in=image/r/float/2x1x2[0,1,2,3], s=sampler:clamp_to_edge+linear, at=[1,0,0.4,0,1,0,1.2,0], out=zeros:2) -> out=[0.5,2.5]
// run: depths global=2 (in=image/depth/float/2x1[2,4], s=sampler:clamp_to_edge+linear, at=[1,0,0.75,0], out=zeros:2) -> out=[3,2.5]
kernel void row(read_only image1d_t in, sampler_t s, global const float *at, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, at[i]).x;
}
kernel void plane(read_only image2d_t in, sampler_t s, global const float2 *at, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, at[i]).x;
}
kernel void volume(read_only image3d_t in, sampler_t s, global const float4 *at, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, at[i]).x;
}
kernel void rows(read_only image1d_array_t in, sampler_t s, global const float2 *at, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, at[i]).x;
}
kernel void planes(read_only image2d_array_t in, sampler_t s, global const float4 *at, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, at[i]).x;
}
kernel void depths(read_only image2d_depth_t in, sampler_t s, global const float2 *at, global float *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, s, at[i]);
}
