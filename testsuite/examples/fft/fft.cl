// A fast Fourier transform after Stockham: each step halves the length of the parts and doubles their number, and what comes out is
// in order without a permutation.

// Two tones: one of 5 periods, one of 12 and half as loud.
kernel void signal(global float2 *x, uint count) {
  size_t i = get_global_id(0);
  float t = (float)i / count;
  x[i] = (float2)(cospi(2 * 5 * t) + 0.5f * sinpi(2 * 12 * t), 0);
}

// One step, from parts of length n, of which there are s: a work-item for each pair.
kernel void step(global const float2 *x, global float2 *y, uint n, uint s) {
  size_t i = get_global_id(0);
  size_t p = i / s, q = i % s;
  float2 a = x[q + s * p], b = x[q + s * (p + n / 2)], d = a - b;
  float c, w = sincos(-2 * M_PI_F * p / n, &c);
  y[q + s * (2 * p)] = a + b;
  y[q + s * (2 * p + 1)] = (float2)(d.x * c - d.y * w, d.x * w + d.y * c);
}

// How loud each tone is.
kernel void loudness(global const float2 *x, global float *out, uint count) {
  size_t i = get_global_id(0);
  out[i] = length(x[i]) * 2 / count;
}
