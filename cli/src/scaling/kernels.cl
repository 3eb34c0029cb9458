// The kernels of `oxcl bench scaling`: much arithmetic for each byte, so that processors wait for each other as little as they can.

// Prices of a call and a put: s is the stock's price, x the strike, t the years. One option for each work-item.
float below(float d) {
  // The normal distribution's integral by Abramowitz and Stegun, 26.2.17.
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float tail = 0.39894228f * exp(-0.5f * d * d) *
               (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

kernel void options(global float2 *price, global const float4 *option) {
  size_t i = get_global_id(0);
  float s = option[i].x, x = option[i].y, t = option[i].z;
  const float rate = 0.02f, volatility = 0.3f;
  float spread = volatility * sqrt(t);
  float d = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
  float now = x * exp(-rate * t), a = below(d), b = below(d - spread);
  price[i] = (float2)(s * a - now * b, now * (1.0f - b) - s * (1.0f - a));
}

// How many steps each point of the plane takes to leave a circle, at most 256.
kernel void mandelbrot(global int *steps) {
  size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  float re = -2.0f + 2.5f * x / width, im = -1.25f + 2.5f * y / get_global_size(1);
  float a = 0, b = 0;
  int step = 0;
  while (step < 256 && a * a + b * b < 4.0f) {
    float next = a * a - b * b + re;
    b = 2.0f * a * b + im;
    a = next;
    step++;
  }
  steps[y * width + x] = step;
}

// The pull of all bodies on each; w is the mass.
kernel void bodies(global float4 *pull, global const float4 *body, int count) {
  size_t i = get_global_id(0);
  float4 here = body[i];
  float3 sum = 0;
  for (int k = 0; k < count; k++) {
    float4 there = body[k];
    float3 way = there.xyz - here.xyz;
    float inverse = rsqrt(dot(way, way) + 0.0001f);
    sum += way * (there.w * inverse * inverse * inverse);
  }
  pull[i] = (float4)(sum, 0);
}
