#!/usr/bin/env python3
"""Kernels that compute with OpenCL's vectors (pixels, colours, complex numbers, bodies, tiles of matrices), on OpenCL libraries through
PyOpenCL.

    python3 testsuite/peers/vectors.py [--only NAME]... [--runs N] VENDORS [VENDORS...]

As `patterns.py`, by whose side it stands: written for this table, each for what is done to the components of vectors. What is printed and
how it is measured: `sides.py`.
"""

import sys

import numpy

import sides
from sides import empty, reals

kernel = sides.Table("vectors")
make = kernel.make


def numbers(random, count, end, kind=numpy.int32):
    return random.integers(0, end, count).astype(kind)


B = numpy.uint8
F = numpy.float32
I = numpy.int32


@kernel("""kernel void k(global const uchar4 *a, global const uchar4 *b, global uchar4 *o, float t) {
  int g = get_global_id(0);
  o[g] = convert_uchar4_sat_rte(mix(convert_float4(a[g]), convert_float4(b[g]), t));
}""")
def blend(random):
    return (1 << 18,), (64,), [numbers(random, 1 << 20, 256, B), numbers(random, 1 << 20, 256, B), empty(1 << 20, B), F(0.3)]


@kernel("""kernel void k(global const uchar4 *a, global const uchar4 *b, global uchar4 *o) {
  int g = get_global_id(0);
  uint4 p = convert_uint4(a[g]), q = convert_uint4(b[g]); uint al = p.w;
  o[g] = convert_uchar4((p * al + q * (255 - al) + 127) / 255);
}""")
def alpha_blend(random):
    return (1 << 18,), (64,), [numbers(random, 1 << 20, 256, B), numbers(random, 1 << 20, 256, B), empty(1 << 20, B)]


@kernel("""kernel void k(global const float4 *m, global const float4 *v, global float4 *o) {
  int g = get_global_id(0); float4 a = v[g];
  o[g] = (float4)(dot(m[0], a), dot(m[1], a), dot(m[2], a), dot(m[3], a));
}""")
def transformed(random):
    return (1 << 16,), (64,), [reals(random, 16), reals(random, 1 << 18), empty(1 << 18)]


@kernel("""kernel void k(global const float4 *v, global float4 *o) {
  int g = get_global_id(0); o[g] = normalize(v[g]) + cross(v[g], (float4)(0, 1, 0, 0));
}""")
def normals(random):
    return (1 << 16,), (64,), [reals(random, 1 << 18), empty(1 << 18)]


@kernel("""kernel void k(global const float *v, global float *o) {
  int g = get_global_id(0); float3 a = vload3(g, v);
  vstore3(a * length(a) + a.yzx, g, o);
}""")
def threes(random):
    return (1 << 16,), (64,), [reals(random, 3 << 16), empty(3 << 16)]


@kernel("""kernel void k(global const float2 *a, global const float2 *b, global float2 *o, int n) {
  int g = get_global_id(0); float2 s = 0;
  for (int i = 0; i < n; i++) { float2 x = a[g + i], y = b[i]; s += (float2)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }
  o[g] = s;
}""")
def complex_filter(random):
    return (1 << 15,), (64,), [reals(random, (1 << 16)+256), reals(random, 128), empty(1 << 16), I(64)]


@kernel("""kernel void k(global const float8 *a, global const float8 *b, global float8 *o, float s) {
  int g = get_global_id(0); o[g] = a[g] * s + b[g];
}""")
def axpy8(random):
    return (1 << 14,), (64,), [reals(random, 1 << 17), reals(random, 1 << 17), empty(1 << 17), F(2)]


@kernel("""kernel void k(global const float4 *a, global float *o, int n) {
  int g = get_global_id(0); float4 s = 0;
  for (int i = 0; i < n; i++) s += a[i * get_global_size(0) + g];
  o[g] = s.x + s.y + s.z + s.w;
}""")
def sums_by_four(random):
    return (1 << 13,), (64,), [reals(random, (1 << 15) * 32), empty(1 << 13), I(32)]


@kernel("""kernel void k(global const float4 *p, global float4 *o, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1); float4 s = 0;
  for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) s += p[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)] * (i == 0 && j == 0 ? 0.5f : 0.0625f);
  o[y * w + x] = s;
}""")
def blur_of_four(random):
    return (512, 256), (16, 16), [reals(random, 512 * 256 * 4), empty(512 * 256 * 4), I(512), I(256)]


@kernel("""kernel void k(global const float4 *p, global const float *t, global float4 *o) {
  int g = get_global_id(0); float w = t[g]; o[g] = mix(p[g], p[g + 1], w);
}""")
def mixed_neighbours(random):
    return (1 << 16,), (64,), [reals(random, (1 << 18)+16), reals(random, 1 << 16), empty(1 << 18)]


@kernel("""kernel void k(global const uchar *in, global uchar4 *o) {
  int g = get_global_id(0); uchar16 v = vload16(g, in);
  o[g] = (uchar4)(v.s0 + v.s4, v.s5 ^ v.s9, max(v.sa, v.s1), v.sf);
}""")
def sixteen_bytes(random):
    return (1 << 16,), (64,), [numbers(random, 1 << 20, 256, B), empty(1 << 18, B)]


@kernel("""kernel void k(global const float4 *x, global const float4 *y, global float *o, int n) {
  int j = get_global_id(0), i = get_global_id(1); float s = 0;
  for (int k = 0; k < n; k++) s += dot(x[i * n + k], y[j * n + k]);
  o[i * get_global_size(0) + j] = s;
}""")
def product_by_dots(random):
    return (256, 256), (16, 16), [reals(random, 256 * 256), reals(random, 256 * 256), empty(65536), I(64)]


@kernel("""kernel void k(global const double4 *x, global double4 *o, double s) {
  int i = get_global_id(0); double4 v = x[i]; for (int k = 0; k < 16; k++) v = fma(v, v, (double4)(s)) * 0.3; o[i] = v;
}""")
def doubles_by_four(random):
    return (1 << 14,), (64,), [reals(random, 1 << 16, kind=numpy.float64), empty(1 << 16, numpy.float64), numpy.float64(0.1)]


@kernel("""kernel void k(global const float4 *x, global float4 *v, global float4 *o, int n, float dt) {
  int g = get_global_id(0); float4 p = x[g], a = 0;
  for (int i = 0; i < n; i++) { float4 d = x[i] - p; float r = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f; a += d * (x[i].w / (r * sqrt(r))); }
  v[g] += a * dt; o[g] = p + v[g] * dt;
}""")
def bodies_of_four(random):
    return (4096,), (64,), [reals(random, 4096 * 4), reals(random, 4096 * 4), empty(4096 * 4), I(512), F(0.01)]


@kernel("""kernel void k(global const int4 *a, global int4 *o) {
  int g = get_global_id(0); int4 v = a[g]; int4 lo = min(v, v.yxwz), hi = max(v, v.yxwz); v = (int4)(lo.x, hi.x, lo.z, hi.z);
  lo = min(v, v.zwxy); hi = max(v, v.zwxy); o[g] = (int4)(lo.x, lo.y, hi.x, hi.y);
}""")
def network_of_four(random):
    return (1 << 17,), (64,), [numbers(random, 1 << 19, 1 << 30), empty(1 << 19, I)]


@kernel("""kernel void k(global const float4 *A, global const float4 *B, global float4 *C, int n) {
  int x = get_global_id(0), y = get_global_id(1), q = n / 4;
  float4 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int i = 0; i < q; i++) {
    float4 a0 = A[(4 * y) * q + i], a1 = A[(4 * y + 1) * q + i], a2 = A[(4 * y + 2) * q + i], a3 = A[(4 * y + 3) * q + i];
    float4 b0 = B[(4 * i) * q + x], b1 = B[(4 * i + 1) * q + x], b2 = B[(4 * i + 2) * q + x], b3 = B[(4 * i + 3) * q + x];
    s0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3; s1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
    s2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3; s3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
  }
  C[(4 * y) * q + x] = s0; C[(4 * y + 1) * q + x] = s1; C[(4 * y + 2) * q + x] = s2; C[(4 * y + 3) * q + x] = s3;
}""")
def tile_of_product(random):
    return (128, 128), (16, 16), [reals(random, 512 * 512), reals(random, 512 * 512), empty(512 * 512), I(512)]


if __name__ == "__main__":
    sys.exit(kernel.main(__doc__))
