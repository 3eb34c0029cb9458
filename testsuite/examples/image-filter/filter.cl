// Filters for photographs: noise is taken out, and edges stay (a bilateral filter); then what is left is made sharper.

// A weighted mean of the neighbourhood: the farther a neighbour is, and the more its colour differs, the less it counts.
kernel void smooth(global const float4 *in, global float4 *out, int radius, float far, float different) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float4 here = in[y * width + x], sum = 0;
  float weights = 0;
  for (int j = -radius; j <= radius; j++) {
    for (int i = -radius; i <= radius; i++) {
      float4 there = in[clamp(y + j, 0, height - 1) * width + clamp(x + i, 0, width - 1)];
      float3 change = there.xyz - here.xyz;
      float weight = exp(-(i * i + j * j) / (2 * far * far) - dot(change, change) / (2 * different * different));
      sum += weight * there;
      weights += weight;
    }
  }
  out[y * width + x] = sum / weights;
}

// Adds to each pixel by how much it differs from the mean of its neighbours.
kernel void sharpen(global const float4 *in, global float4 *out, float amount) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float4 here = in[y * width + x];
  float4 around = in[y * width + max(x - 1, 0)] + in[y * width + min(x + 1, width - 1)] + in[max(y - 1, 0) * width + x] +
                  in[min(y + 1, height - 1) * width + x];
  out[y * width + x] = clamp(here + amount * (here - around / 4), 0.0f, 1.0f);
}

// A photograph in bad light: noise that looks random, the same each time.
kernel void spoil(global const float4 *in, global float4 *out, float amount) {
  int x = get_global_id(0), y = get_global_id(1), at = y * (int)get_global_size(0) + x;
  float4 noise;
  uint seed = at * 747796405u + 2891336453u;
  for (int c = 0; c < 3; c++) {
    seed = (seed >> ((seed >> 28) + 4) ^ seed) * 277803737u;
    ((float *)&noise)[c] = (seed >> 8) * 0x1p-24f - 0.5f;
  }
  noise.w = 0;
  out[at] = clamp(in[at] + amount * noise, 0.0f, 1.0f);
}
