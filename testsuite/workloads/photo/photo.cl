// A photograph as an image: noise is taken out and edges stay, then it is made smaller. Pixels are read through samplers, so nothing
// here knows where rows begin, what is at the border, or what type the channels have.

constant sampler_t at_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// Noise that looks random, the same each time.
kernel void spoil(read_only image2d_t in, write_only image2d_t out, float amount) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  uint seed = (at.y * get_image_width(in) + at.x) * 747796405u + 2891336453u;
  float4 noise = 0;
  seed = (seed >> ((seed >> 28) + 4) ^ seed) * 277803737u;
  noise.x = (seed >> 8) * 0x1p-24f - 0.5f;
  seed = (seed >> ((seed >> 28) + 4) ^ seed) * 277803737u;
  noise.y = (seed >> 8) * 0x1p-24f - 0.5f;
  seed = (seed >> ((seed >> 28) + 4) ^ seed) * 277803737u;
  noise.z = (seed >> 8) * 0x1p-24f - 0.5f;
  write_imagef(out, at, read_imagef(in, at_edge, at) + amount * noise);
}

// A bilateral filter: the farther a neighbour is, and the more its colour differs, the less it counts.
kernel void smooth(read_only image2d_t in, write_only image2d_t out, int radius, float far, float different) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 here = read_imagef(in, at_edge, at), sum = 0;
  float weights = 0;
  for (int j = -radius; j <= radius; j++) {
    for (int i = -radius; i <= radius; i++) {
      float4 there = read_imagef(in, at_edge, at + (int2)(i, j));
      float3 change = there.xyz - here.xyz;
      float weight = exp(-(i * i + j * j) / (2 * far * far) - dot(change, change) / (2 * different * different));
      sum += weight * there;
      weights += weight;
    }
  }
  write_imagef(out, at, sum / weights);
}

// Another size: four pixels of the source are mixed for each one, by the sampler.
kernel void resize(read_only image2d_t in, write_only image2d_t out, sampler_t mixing) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 part = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(out));
  write_imagef(out, at, read_imagef(in, mixing, part));
}
