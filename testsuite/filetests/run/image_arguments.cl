// What is recorded of images and samplers as parameters.
// test: args
// options: -cl-std=CL3.0
kernel void mix(read_only image2d_t in, write_only image3d_t out, read_write image1d_array_t both, sampler_t sampler,
                read_only image2d_depth_t unused, global float *sums) {
  int x = get_global_id(0);
  sums[x] += read_imagef(in, sampler, (float2)(x, 0)).x + read_imagef(both, (int2)(x, 0)).x;
  write_imagef(out, (int4)(x, 0, 0, 0), (float4)(1));
  write_imagef(both, (int2)(x, 0), (float4)(1));
}
