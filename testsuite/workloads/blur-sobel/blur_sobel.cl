// A Gaussian blur in two passes, then the edges of what is left. Pixels outside of the picture repeat its border.

kernel void blur_rows(global const float4 *source, global float4 *target, constant float *weights, int radius) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  float4 sum = (float4)(0.0f);
  for (int d = -radius; d <= radius; d++)
    sum += weights[d + radius] * source[y * width + clamp(x + d, 0, width - 1)];
  target[y * width + x] = sum;
}

kernel void blur_columns(global const float4 *source, global float4 *target, constant float *weights, int radius) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float4 sum = (float4)(0.0f);
  for (int d = -radius; d <= radius; d++)
    sum += weights[d + radius] * source[clamp(y + d, 0, height - 1) * width + x];
  target[y * width + x] = sum;
}

float luma(float4 pixel) {
  return dot(pixel.xyz, (float3)(0.299f, 0.587f, 0.114f));
}

kernel void sobel(global const float4 *source, global float *edges, float gain) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  float window[3][3];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      window[j][i] = luma(source[clamp(y + j - 1, 0, height - 1) * width + clamp(x + i - 1, 0, width - 1)]);
  float across = window[0][2] - window[0][0] + 2.0f * (window[1][2] - window[1][0]) + window[2][2] - window[2][0];
  float down = window[2][0] - window[0][0] + 2.0f * (window[2][1] - window[0][1]) + window[2][2] - window[0][2];
  edges[y * width + x] = fmin(gain * sqrt(across * across + down * down), 1.0f);
}
