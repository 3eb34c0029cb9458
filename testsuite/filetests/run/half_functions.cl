// test: run
// The functions of half are those of float, rounded once more.
// bits: 64, the code of all of them is long
// run: one global=64 local=16 (in=zeros:1, out=zeros:64)
// run: pairs global=64 local=16 (in=random:128:5, out=zeros:256, n=zeros:64)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void one(global const half *in, global float *out) {
  int g = get_global_id(0);
  half x = (half)((g - 32) * 0.437f) + in[0];
  half cosine, whole;
  int n, sign;
  float sum = sin(x) + cos(x) * 2 + tan(x) + exp(x * 0.25h) + exp2(x * 0.5h) + expm1(x * 0.125h);
  sum += atan(x) + tanh(x) + sinh(x * 0.25h) + asinh(x) + erf(x) + erfc(x) + cbrt(x) + cospi(x) + sinpi(x);
  half a = fabs(x) + 0.01h;
  sum += log(a) + log2(a) + log10(a) + log1p(a) + rsqrt(a) + lgamma(a) + tgamma(fmin(a, 6.0h)) + logb(a) + ilogb(a);
  half u = a / (a + 1.0h);
  sum += asin(u) + acos(u) + atanh(u) + asinpi(u) + acospi(u) + atanpi(x) + acosh(1.0h + a);
  sum += sincos(x, &cosine) + (float)cosine + frexp(x, &n) + n + modf(x, &whole) + whole;
  sum += fract(x, &whole) + whole + lgamma_r(x - 0.3h, &sign) + sign;
  sum += degrees(x) + radians(x) + sign * 0.5f + sign + ceil(x) + round(x) + half_exp(0.0f);
  out[g] = isnan(sum) ? 0.0f : sum;
}

kernel void pairs(global const half *in, global float *out, global int *n) {
  int g = get_global_id(0);
  half x = in[2 * g] * 8.0h, y = in[2 * g + 1] + 0.125h;
  int quotient;
  float4 r;
  r.x = pow(x, y) + powr(x, y) + pown(y, 3) + rootn(x, 3) + atan2(x, y) + atan2pi(y, x) + hypot(x, y);
  r.y = fmod(x, y) + remainder(x, y) + remquo(x, y, &quotient) + fdim(x, y) + maxmag(x, y) + minmag(x, y);
  r.z = mix(x, y, 0.25h) + smoothstep(0.0h, 8.0h, x) + step(y, x) + clamp(x, y, 2.0h) + max(x, y) - min(x, y) + sign(y - x);
  r.w = ldexp(x, -3) + mad(x, y, 1.0h) + nextafter(x, y);
  vstore4(r, g, out);
  n[g] = quotient;
}
