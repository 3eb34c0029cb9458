#!/usr/bin/env python3
"""Kernels whose neighbours read and write elements that lie a few apart (complex numbers, pixels, fields of structures), on OpenCL libraries
through PyOpenCL.

    python3 testsuite/peers/strides.py [--only NAME]... [--runs N] VENDORS [VENDORS...]

As `patterns.py`, by whose side it stands. What is printed and how it is measured: `sides.py`.
"""

import sys

import numpy

import sides
from sides import empty, reals

kernel = sides.Table("strides")
make = kernel.make

B = numpy.uint8
I = numpy.int32
ITEMS = 1 << 16


@kernel("""kernel void k(global const float *a, global const float *b, global float *c) {
  int i = get_global_id(0);
  float ar = a[2 * i], ai = a[2 * i + 1], br = b[2 * i], bi = b[2 * i + 1];
  c[2 * i] = ar * br - ai * bi;
  c[2 * i + 1] = ar * bi + ai * br;
}""")
def product_of_complex_numbers(random):
    return (ITEMS,), (64,), [reals(random, 2 * ITEMS), reals(random, 2 * ITEMS), empty(2 * ITEMS)]


@kernel("""kernel void k(global const uchar *a, global uchar *c) {
  int i = get_global_id(0);
  c[i] = (a[3 * i] * 77 + a[3 * i + 1] * 150 + a[3 * i + 2] * 29) >> 8;
}""")
def gray_of_three_bytes(random):
    return (ITEMS,), (64,), [random.integers(0, 256, 3 * ITEMS).astype(B), empty(ITEMS, B)]


@kernel("""kernel void k(global const float *p, global float *c) {
  int i = get_global_id(0);
  c[i] = p[4 * i] * p[4 * i + 3];
}""")
def two_fields_of_four(random):
    return (ITEMS,), (64,), [reals(random, 4 * ITEMS), empty(ITEMS)]


@kernel("""kernel void k(global const float *p, global float *c) {
  int i = get_global_id(0);
  float x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2], r = 1 / sqrt(x * x + y * y + z * z);
  c[3 * i] = x * r;
  c[3 * i + 1] = y * r;
  c[3 * i + 2] = z * r;
}""")
def points_divided_by_their_length(random):
    return (ITEMS,), (64,), [reals(random, 3 * ITEMS), empty(3 * ITEMS)]


@kernel("""kernel void k(global const float *p, global float *c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  global const float *q = p + 2 * y * n + 2 * x;
  c[y * n / 2 + x] = (q[0] + q[1] + q[n] + q[n + 1]) * 0.25f;
}""")
def half_the_size_of_an_image(random):
    return (256, 256), (64, 1), [reals(random, 1 << 18), empty(1 << 16), I(512)]


@kernel("""typedef struct { double x, y, mass; } Body;
kernel void k(global Body *b, double t) {
  int i = get_global_id(0);
  double x = b[i].x, y = b[i].y;
  b[i].x = x + y * t;
  b[i].y = y - x * t;
  b[i].mass = b[i].mass * 0.5;
}""")
def structures_of_three_doubles(random):
    return (ITEMS,), (64,), [random.random(3 * ITEMS), numpy.float64(0.25)]


@kernel("""kernel void k(global const short *s, global short *left, global short *right) {
  int i = get_global_id(0);
  left[i] = s[2 * i];
  right[i] = s[2 * i + 1];
}""")
def samples_of_two_channels(random):
    numbers = random.integers(-1000, 1000, 2 * ITEMS).astype(numpy.int16)
    return (ITEMS,), (64,), [numbers, empty(ITEMS, numpy.int16), empty(ITEMS, numpy.int16)]


@kernel("""kernel void k(global const float *p, global float *c) {
  int i = get_global_id(0);
  float s = 0;
  for (int m = 0; m < 8; m++) s = s * 0.5f + p[8 * i + m];
  c[i] = s;
}""")
def polynomials_of_eight(random):
    return (ITEMS,), (64,), [reals(random, 8 * ITEMS), empty(ITEMS)]


if __name__ == "__main__":
    sys.exit(kernel.main(__doc__))
