#!/usr/bin/env python3
"""Kernels of the kinds that programs are made of (linear algebra, stencils, dynamic programming, graphs, sorting, scans, hashing, particles,
pictures, simulations), on OpenCL libraries through PyOpenCL.

    python3 testsuite/peers/patterns.py [--only NAME]... [--runs N] VENDORS [VENDORS...]

They were written for this table, each for a pattern of accesses and flow rather than for what it computes. What is printed and how it is
measured: `sides.py`.
"""

import sys

import numpy

import sides
from sides import empty, reals

pattern = sides.Table("patterns")
make = pattern.make

I = numpy.int32
F = numpy.float32


# Linear algebra, without local memory.

@pattern("""kernel void k(global const float *a, global const float *x, global float *y, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int j = 0; j < n; j++) s += a[i * n + j] * x[j];
  y[i] = s;
}""")
def row_of_matrix_by_vector(random):
    n = 2048
    return (n,), (256,), [reals(random, n, n), reals(random, n), empty(n), I(n)]


@pattern("""kernel void k(global const float *a, global const float *x, global float *y, int n) {
  int j = get_global_id(0);
  if (j < n) {
    y[j] = 0;
    for (int i = 0; i < n; i++) y[j] += a[i * n + j] * x[i];
  }
}""")
def column_of_matrix_by_vector_in_memory(random):
    n = 2048
    return (n,), (256, ), [reals(random, n, n), reals(random, n), empty(n), I(n)]


@pattern("""kernel void k(global const float *a, global const float *b, global float *c, float alpha, float beta, int n) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < n && j < n) {
    float s = c[i * n + j] * beta;
    for (int l = 0; l < n; l++) s += alpha * a[i * n + l] * b[l * n + j];
    c[i * n + j] = s;
  }
}""")
def product_of_matrices(random):
    n = 512
    return (n, n), (32, 8), [reals(random, n, n), reals(random, n, n), empty(n * n), F(0.3), F(0.5), I(n)]


@pattern("""kernel void k(global const float *a, global const float *b, global float *c, int n) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < n && j < n) {
    c[i * n + j] = 0;
    for (int l = 0; l < n; l++) c[i * n + j] += a[i * n + l] * a[j * n + l] + b[i * n + l] * b[j * n + l];
  }
}""")
def product_with_transposed_in_memory(random):
    n = 384
    return (n, n), (32, 8), [reals(random, n, n), reals(random, n, n), empty(n * n), I(n)]


@pattern("""kernel void k(global const double *a, global const double *b, global double *c, int n) {
  int j = get_global_id(0), i = get_global_id(1);
  double s = 0;
  for (int l = 0; l < n; l++) s += a[i * n + l] * b[l * n + j];
  c[i * n + j] = s;
}""")
def product_of_matrices_of_doubles(random):
    n = 384
    double = numpy.float64
    return (n, n), (16, 16), [reals(random, n, n, kind=double), reals(random, n, n, kind=double), empty(n * n, double), I(n)]


@pattern("""kernel void k(global const float *data, global float *out, int m, int n) {
  int j1 = get_global_id(0);
  if (j1 < m - 1) {
    out[j1 * m + j1] = 1;
    for (int j2 = j1 + 1; j2 < m; j2++) {
      float s = 0;
      for (int i = 0; i < n; i++) s += data[i * m + j1] * data[i * m + j2];
      out[j1 * m + j2] = s;
      out[j2 * m + j1] = s;
    }
  }
}""")
def triangle_of_products(random):
    m, n = 384, 384
    return (m,), (64,), [reals(random, n, m), empty(m * m), I(m), I(n)]


@pattern("""kernel void k(global const float *data, global float *mean, global float *dev, int m, int n) {
  int j = get_global_id(0);
  float s = 0, q = 0;
  for (int i = 0; i < n; i++) s += data[i * m + j];
  s /= n;
  for (int i = 0; i < n; i++) { float d = data[i * m + j] - s; q += d * d; }
  mean[j] = s;
  dev[j] = sqrt(q / n) < 0.005f ? 1.0f : sqrt(q / n);
}""")
def mean_and_deviation_of_columns(random):
    m, n = 2048, 1024
    return (m,), (128,), [reals(random, n, m), empty(m), empty(m), I(m), I(n)]


@pattern("""kernel void k(global const float *a, global const float *b, global float *x, int n, int systems) {
  int s = get_global_id(0);
  float d[64];
  float m = b[s];
  x[s] = a[s] / m;
  for (int i = 1; i < n; i++) {
    d[i & 63] = 0.25f / m;
    m = b[i * systems + s] - 0.25f * d[i & 63];
    x[i * systems + s] = (a[i * systems + s] - 0.25f * x[(i - 1) * systems + s]) / m;
  }
  for (int i = n - 2; i >= 0; i--) x[i * systems + s] -= d[(i + 1) & 63] * x[(i + 1) * systems + s];
}""")
def tridiagonal_systems(random):
    n, systems = 64, 1 << 14
    return (systems,), (64,), [reals(random, n, systems), reals(random, n, systems) + F(1), empty(n * systems), I(n), I(systems)]


@pattern("""kernel void k(global const float *in, global float *out) {
  int i = get_global_id(0);
  float m[16], r[16];
  for (int j = 0; j < 16; j++) m[j] = in[i * 16 + j] + (j % 5 == 0 ? 4.0f : 0.0f);
  for (int j = 0; j < 16; j++) r[j] = j % 5 == 0 ? 1.0f : 0.0f;
  for (int c = 0; c < 4; c++) {
    float p = 1.0f / m[c * 4 + c];
    for (int j = 0; j < 4; j++) { m[c * 4 + j] *= p; r[c * 4 + j] *= p; }
    for (int o = 0; o < 4; o++) if (o != c) {
      float f = m[o * 4 + c];
      for (int j = 0; j < 4; j++) { m[o * 4 + j] -= f * m[c * 4 + j]; r[o * 4 + j] -= f * r[c * 4 + j]; }
    }
  }
  for (int j = 0; j < 16; j++) out[i * 16 + j] = r[j];
}""")
def small_matrix_for_each_item(random):
    n = 1 << 16
    return (n,), (64,), [reals(random, n, 16), empty(n * 16)]


@pattern("""#define T 32
kernel void k(global float *a, global float *out, int n) {
  local float t[T][T + 1];
  int x = get_local_id(0), g = get_group_id(0);
  for (int y = 0; y < T; y++) t[y][x] = a[(g * T + y) * T + x] + (x == y ? 40.0f : 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < T - 1; i++) {
    if (x > i) {
      for (int j = 0; j < i; j++) t[x][i] -= t[x][j] * t[j][i];
      t[x][i] /= t[i][i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x > i) for (int j = 0; j < i + 1; j++) t[i + 1][x] -= t[i + 1][j] * t[j][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < T; y++) out[(g * T + y) * T + x] = t[y][x];
}""")
def factor_tile_in_local_memory(random):
    groups = 512
    return (groups * 32,), (32,), [reals(random, groups, 32, 32), empty(groups * 1024), I(groups)]


@pattern("""#define T 16
kernel void k(global const float *a, global float *out, int n, int step) {
  local float row[T][T], column[T][T];
  int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
  row[y][x] = a[(step + y) * n + gx];
  column[y][x] = a[gy * n + step + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  float s = 0;
  for (int i = 0; i < T; i++) s += column[y][i] * row[i][x];
  out[gy * n + gx] = a[gy * n + gx] - s;
}""")
def update_by_tiles(random):
    n = 1024
    return (n, n), (16, 16), [reals(random, n, n), empty(n * n), I(n), I(64)]


# Stencils.

@pattern("""kernel void k(global const float *a, global float *b, int n) {
  int k = get_global_id(0), j = get_global_id(1), i = get_global_id(2);
  if (i < n - 1 && j < n - 1 && k < n - 1 && i > 0 && j > 0 && k > 0) {
    int p = (i * n + j) * n + k;
    b[p] = 0.5f * a[p] + 0.1f * (a[p - 1] + a[p + 1] + a[p - n] + a[p + n] + a[p - n * n] + a[p + n * n]);
  }
}""")
def stencil_of_volume(random):
    n = 192
    return (n, n, n), (64, 4, 1), [reals(random, n, n, n), empty(n ** 3), I(n)]


@pattern("""kernel void k(global const float *a, global float *b, int n, int i) {
  int k = get_global_id(0), j = get_global_id(1);
  if (j < n - 1 && k < n - 1 && j > 0 && k > 0) {
#define A(x, y, z) a[((x) * n + (y)) * n + (z)]
    b[(i * n + j) * n + k] = 2.0f * A(i - 1, j - 1, k - 1) - 5.0f * A(i - 1, j - 1, k + 1) + 3.0f * A(i, j - 1, k) - 6.0f * A(i, j, k)
      + 4.0f * A(i, j + 1, k) - 7.0f * A(i + 1, j + 1, k - 1) + 8.0f * A(i + 1, j - 1, k + 1) + A(i + 1, j + 1, k);
  }
}""")
def layer_of_volume(random):
    n = 768
    return (n, n), (32, 8), [reals(random, 3, n, n), empty(3 * n * n), I(n), I(1)]


@pattern("""kernel void k(global const float *ex, global const float *ey, global float *hz, int nx, int ny) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < nx && j < ny)
    hz[i * ny + j] = 0.3f * hz[i * ny + j] - 0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}""")
def field_update_in_place(random):
    n = 1024
    return (n, n), (32, 8), [reals(random, n, n + 1), reals(random, n + 1, n), empty(n * n), I(n), I(n)]


@pattern("""#define T 16
#define IN(x, lo, hi) ((x) >= (lo) && (x) <= (hi))
kernel void k(global const float *power, global const float *from, global float *to, int n, int rounds) {
  local float t[T][T], p[T][T], next[T][T];
  int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  int inner = T - rounds * 2;
  int top = inner * by - rounds, left = inner * bx - rounds;
  int row = top + ty, column = left + tx, index = n * row + column;
  if (IN(row, 0, n - 1) && IN(column, 0, n - 1)) { t[ty][tx] = from[index]; p[ty][tx] = power[index]; }
  barrier(CLK_LOCAL_MEM_FENCE);
  int y0 = top < 0 ? -top : 0, y1 = top + T - 1 > n - 1 ? T - 1 - (top + T - n) : T - 1;
  int x0 = left < 0 ? -left : 0, x1 = left + T - 1 > n - 1 ? T - 1 - (left + T - n) : T - 1;
  int N = ty - 1 < y0 ? y0 : ty - 1, S = ty + 1 > y1 ? y1 : ty + 1, W = tx - 1 < x0 ? x0 : tx - 1, E = tx + 1 > x1 ? x1 : tx + 1;
  bool done = false;
  for (int i = 0; i < rounds; i++) {
    done = false;
    if (IN(tx, i + 1, T - i - 2) && IN(ty, i + 1, T - i - 2) && IN(tx, x0, x1) && IN(ty, y0, y1)) {
      done = true;
      next[ty][tx] = t[ty][tx] + 0.1f * (p[ty][tx] + (t[S][tx] + t[N][tx] - 2.0f * t[ty][tx]) * 0.2f
        + (t[ty][E] + t[ty][W] - 2.0f * t[ty][tx]) * 0.3f + (1.0f - t[ty][tx]) * 0.05f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == rounds - 1) break;
    if (done) t[ty][tx] = next[ty][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (done) to[index] = next[ty][tx];
}""")
def heat_by_tiles_with_halo(random):
    n, rounds = 512, 2
    tiles = (n + 11) // 12
    return (tiles * 16, tiles * 16), (16, 16), [reals(random, n, n), reals(random, n, n), empty(n * n), I(n), I(rounds)]


@pattern("""kernel void k(global const float *f, global float *g, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1), n = w * h, i = y * w + x;
  int l = x ? i - 1 : i + w - 1, r = x < w - 1 ? i + 1 : i - w + 1, u = y ? i - w : i + n - w, d = y < h - 1 ? i + w : i - n + w;
  float c = f[i], e = f[n + l], b = f[2 * n + u], s = f[3 * n + r], t = f[4 * n + d];
  float rho = c + e + b + s + t, ux = (e - s) / rho, uy = (b - t) / rho, q = 1 - 1.5f * (ux * ux + uy * uy);
  g[i] = c + 0.6f * (rho * 0.333f * q - c);
  g[n + i] = e + 0.6f * (rho * 0.166f * (q + 3 * ux + 4.5f * ux * ux) - e);
  g[2 * n + i] = b + 0.6f * (rho * 0.166f * (q + 3 * uy + 4.5f * uy * uy) - b);
  g[3 * n + i] = s + 0.6f * (rho * 0.166f * (q - 3 * ux + 4.5f * ux * ux) - s);
  g[4 * n + i] = t + 0.6f * (rho * 0.166f * (q - 3 * uy + 4.5f * uy * uy) - t);
}""")
def lattice_of_streams(random):
    w = h = 512
    return (w, h), (64, 4), [reals(random, 5, h, w), empty(5 * w * h), I(w), I(h)]


@pattern("""kernel void k(global const float *p, global const int *up, global const int *down, global const int *left, global const int *right,
              global float *out, int w, float q0) {
  int e = get_global_id(0), x = e % w, y = e / w;
  float c = p[e], n = p[up[y] * w + x] - c, s = p[down[y] * w + x] - c, a = p[y * w + left[x]] - c, b = p[y * w + right[x]] - c;
  float g2 = (n * n + s * s + a * a + b * b) / (c * c), l = (n + s + a + b) / c;
  float num = 0.5f * g2 - l * l / 16, den = 1 + 0.25f * l, q = num / (den * den);
  float k = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
  out[e] = k < 0 ? 0 : k > 1 ? 1 : k;
}""")
def neighbours_by_table(random):
    w = h = 1024
    at = numpy.arange(w, dtype=I)
    low, high = numpy.maximum(at - 1, 0).astype(I), numpy.minimum(at + 1, w - 1).astype(I)
    return (w * h,), (256,), [reals(random, h, w), low, high, low, high, empty(w * h), I(w), F(0.05)]


@pattern("""kernel void k(global float *a, int n, int colour) {
  int x = 2 * get_global_id(0) + ((get_global_id(1) + colour) & 1), y = get_global_id(1);
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    a[y * n + x] = 0.25f * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}""")
def every_second_point_in_place(random):
    n = 1024
    return (n // 2, n), (64, 4), [reals(random, n, n), I(n), I(0)]


# Dynamic programming.

@pattern("""#define T 16
kernel void k(global const int *reference, global int *items, int columns, int penalty) {
  local int t[T + 1][T + 1], r[T][T];
  int bx = get_group_id(0), tx = get_local_id(0);
  int base = (columns + 1) * (T + 1) * bx;
  for (int y = 0; y < T; y++) r[y][tx] = reference[base + columns * (y + 1) + tx + 1];
  t[tx + 1][0] = items[base + columns * (tx + 1)];
  t[0][tx + 1] = items[base + tx + 1];
  if (tx == 0) t[0][0] = items[base];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 0; m < T; m++) {
    if (tx <= m) {
      int x = tx + 1, y = m - tx + 1;
      t[y][x] = max(t[y - 1][x - 1] + r[y - 1][x - 1], max(t[y][x - 1] - penalty, t[y - 1][x] - penalty));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int m = T - 2; m >= 0; m--) {
    if (tx <= m) {
      int x = tx + T - m, y = T - tx;
      t[y][x] = max(t[y - 1][x - 1] + r[y - 1][x - 1], max(t[y][x - 1] - penalty, t[y - 1][x] - penalty));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < T; y++) items[base + columns * (y + 1) + tx + 1] = t[y + 1][tx + 1];
}""")
def diagonals_of_tile(random):
    columns = 17 * 256 + 1
    table = numpy.zeros(columns * columns, I)
    return (256 * 16,), (16,), [random.integers(-4, 5, columns * columns, I), table, I(columns), I(10)]


@pattern("""kernel void k(global const int *wall, global const int *from, global int *to, int columns, int rounds, local int *prev, local int *next) {
  int size = get_local_size(0), tx = get_local_id(0), inner = size - rounds * 2, left = inner * (int)get_group_id(0) - rounds, x = left + tx;
  int lo = left < 0 ? -left : 0, hi = left + size - 1 > columns - 1 ? size - 1 - (left + size - columns) : size - 1;
  int W = tx - 1 < lo ? lo : tx - 1, E = tx + 1 > hi ? hi : tx + 1;
  bool valid = tx >= lo && tx <= hi, done = false;
  if (x >= 0 && x <= columns - 1) prev[tx] = from[x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < rounds; i++) {
    done = false;
    if (tx >= i + 1 && tx <= size - i - 2 && valid) {
      done = true;
      next[tx] = min(min(prev[W], prev[tx]), prev[E]) + wall[columns * i + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == rounds - 1) break;
    if (done) prev[tx] = next[tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (done) to[x] = next[tx];
}""")
def row_by_row_with_halo(random):
    columns, rounds, size = 100_000, 20, 256
    groups = (columns + size - 2 * rounds - 1) // (size - 2 * rounds)
    wall = random.integers(0, 10, rounds * columns, I)
    local = ("local", 4 * size)
    return (groups * size,), (size,), [wall, random.integers(0, 10, columns, I), empty(columns, I), I(columns), I(rounds), local, local]


@pattern("""kernel void k(global const uchar *a, global const uchar *b, global int *out, int n) {
  int g = get_global_id(0);
  int row[33];
  for (int j = 0; j <= 32; j++) row[j] = j;
  for (int i = 0; i < n; i++) {
    int corner = row[0];
    row[0] = i + 1;
    uchar c = a[g * n + i];
    for (int j = 0; j < 32; j++) {
      int best = min(min(row[j], row[j + 1]) + 1, corner + (c != b[j]));
      corner = row[j + 1];
      row[j + 1] = best;
    }
  }
  out[g] = row[32];
}""")
def distance_of_strings(random):
    items, n = 1 << 13, 32
    return (items,), (64,), [random.integers(0, 4, items * n, numpy.uint8), random.integers(0, 4, 32, numpy.uint8), empty(items, I), I(n)]


# Graphs, trees and tables.

@pattern("""kernel void k(global const int2 *node, global const int *edges, global const uchar *mask, global const uchar *visited,
              global uchar *update, global int *cost, int n) {
  int t = get_global_id(0);
  if (t < n && mask[t])
    for (int i = node[t].x; i < node[t].x + node[t].y; i++) {
      int to = edges[i];
      if (!visited[to]) { cost[to] = 7; update[to] = 1; }
    }
}""")
def frontier_of_graph(random):
    n = 1 << 18
    degrees = random.integers(0, 12, n)
    node = numpy.stack([numpy.concatenate([[0], numpy.cumsum(degrees)[:-1]]), degrees], 1).astype(I)
    edges = random.integers(0, n, int(degrees.sum()), I)
    bits = lambda part: (random.random(n) < part).astype(numpy.uint8)
    return (n,), (256,), [node, edges, bits(0.3), bits(0.5), empty(n, numpy.uint8), empty(n, I), I(n)]


@pattern("""kernel void k(global const uint *keys, global const uint *sorted, global uint *found, uint n) {
  uint key = keys[get_global_id(0)], low = 0, high = n;
  while (low < high) {
    uint middle = (low + high) / 2;
    if (sorted[middle] < key) low = middle + 1; else high = middle;
  }
  found[get_global_id(0)] = low;
}""")
def binary_search(random):
    n, items = 1 << 16, 1 << 18
    table = numpy.sort(random.integers(0, 1 << 32, n, numpy.uint32))
    return (items,), (64,), [random.integers(0, 1 << 32, items, numpy.uint32), table, empty(items, numpy.uint32), numpy.uint32(n)]


@pattern("""kernel void k(global const uchar *text, constant uint *table, global uint *out, int n) {
  int g = get_global_id(0);
  uint c = ~0u;
  for (int i = 0; i < n; i++) c = table[(c ^ text[g * n + i]) & 255] ^ (c >> 8);
  out[g] = ~c;
}""")
def checksum_by_table(random):
    items, n = 1 << 15, 64
    table = random.integers(0, 1 << 32, 256, numpy.uint32)
    return (items,), (64,), [random.integers(0, 256, items * n, numpy.uint8), table, empty(items, numpy.uint32), I(n)]


@pattern("""kernel void k(global const float *value, global const int *index, global const float *x, global float *y, int width, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int j = 0; j < width; j++) {
    int at = index[j * n + i];
    if (at >= 0) s += value[j * n + i] * x[at];
  }
  y[i] = s;
}""")
def sparse_by_columns(random):
    n, width = 1 << 16, 24
    index = random.integers(-n // 8, n, width * n, I)
    return (n,), (128,), [reals(random, width * n), index, reals(random, n), empty(n), I(width), I(n)]


# Sorting, scans, reductions, histograms.

@pattern("""kernel void k(global uint *keys, uint distance, uint size) {
  uint t = get_global_id(0), low = t & (distance - 1), i = 2 * t - low;
  uint a = keys[i], b = keys[i + distance];
  if ((a > b) == ((t & (size / 2)) == 0)) { keys[i] = b; keys[i + distance] = a; }
}""")
def step_of_bitonic_sort(random):
    n = 1 << 21
    return (n // 2,), (256,), [random.integers(0, 1 << 32, n, numpy.uint32), numpy.uint32(1 << 10), numpy.uint32(1 << 14)]


@pattern("""kernel void k(global const float *in, global float *out, global float *sums, local float *t) {
  int l = get_local_id(0), n = 2 * get_local_size(0), g = get_group_id(0), d, offset = 1;
  t[2 * l] = in[g * n + 2 * l];
  t[2 * l + 1] = in[g * n + 2 * l + 1];
  for (d = n >> 1; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
    offset *= 2;
  }
  if (l == 0) { sums[g] = t[n - 1]; t[n - 1] = 0; }
  for (d = 1; d < n; d *= 2) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) {
      int a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
      float v = t[a];
      t[a] = t[b];
      t[b] += v;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g * n + 2 * l] = t[2 * l];
  out[g * n + 2 * l + 1] = t[2 * l + 1];
}""")
def scan_up_and_down(random):
    n = 1 << 19
    return (n // 2,), (128,), [reals(random, n), empty(n), empty(n // 256), ("local", 1024)]


@pattern("""#define W 16
kernel void k(global const float *in, global const float *weight, global float *partial, int hid) {
  local float node[W], m[W][W];
  int by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  int index = (hid + 1) * W * by + (hid + 1) * ty + tx + 1 + hid + 1;
  if (tx == 0) node[ty] = in[W * by + ty + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  m[ty][tx] = weight[index];
  barrier(CLK_LOCAL_MEM_FENCE);
  m[ty][tx] *= node[ty];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 1; i <= W; i *= 2) {
    if (ty % i == 0 && i > 1) m[ty][tx] += m[ty + i / 2][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tx == 0) partial[by * hid + ty] = m[tx][ty];
}""")
def tree_of_sums_across_rows(random):
    n = 1 << 14
    return (16, n), (16, 16), [reals(random, n + 1), reals(random, (n + 1) * 17), empty(n), I(16)]


@pattern("""kernel void k(global const uint *keys, global uint *counts, int shift, local uint *bins) {
  int l = get_local_id(0), size = get_local_size(0), g = get_group_id(0);
  for (int i = l; i < 16 * size; i += size) bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 64; i++) bins[((keys[(g * 64 + i) * size + l] >> shift) & 15) * size + l]++;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) {
    uint s = 0;
    for (int i = 0; i < size; i++) s += bins[l * size + i];
    counts[l * get_num_groups(0) + g] = s;
  }
}""")
def digits_counted_by_item(random):
    groups, size = 128, 64
    return (groups * size,), (size,), [random.integers(0, 1 << 32, groups * size * 64, numpy.uint32), empty(16 * groups, numpy.uint32), I(4),
                                       ("local", 16 * size * 4)]


@pattern("""kernel void k(global const float *x, global float *out, int n) {
  local float t[256];
  int l = get_local_id(0);
  float s = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) s = fmax(s, fabs(x[i]));
  t[l] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 128) t[l] = fmax(t[l], t[l + 128]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 64) t[l] = fmax(t[l], t[l + 64]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 32) t[l] = fmax(t[l], t[l + 32]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) for (int i = 1; i < 32; i++) t[0] = fmax(t[0], t[i]);
  if (l == 0) out[get_group_id(0)] = t[0];
}""")
def largest_by_strides(random):
    n = 1 << 21
    return (64 * 256,), (256,), [reals(random, n), empty(64), I(n)]


@pattern("""kernel void k(global const int *x, global int *hist, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&hist[x[i]]);
}""")
def histogram_in_global_memory(random):
    n = 1 << 19
    return (4096,), (64,), [random.integers(0, 1024, n, I), empty(1024, I), I(n)]


@pattern("""#define B(i) ((i) + ((i) >> 4))
void butterfly(float2 *a, float2 *b) { float2 t = *a - *b; *a += *b; *b = t; }
float2 turn(float2 a, float2 w) { return (float2)(a.x * w.x - a.y * w.y, a.x * w.y + a.y * w.x); }
kernel void k(global const float2 *in, global float2 *out) {
  local float re[B(256)], im[B(256)];
  int l = get_local_id(0), base = get_group_id(0) * 256;
  float2 v[4];
  for (int i = 0; i < 4; i++) v[i] = in[base + l + 64 * i];
  for (int stride = 64, step = 1; ; stride >>= 2, step <<= 2) {
    butterfly(&v[0], &v[2]);
    butterfly(&v[1], &v[3]);
    v[3] = (float2)(v[3].y, -v[3].x);
    butterfly(&v[0], &v[1]);
    butterfly(&v[2], &v[3]);
    if (stride == 1) break;
    float angle = -6.2831853f / (4 * stride) * (l % stride);
    float2 w = (float2)(native_cos(angle), native_sin(angle)), w2 = turn(w, w);
    v[2] = turn(v[2], w);
    v[1] = turn(v[1], w2);
    v[3] = turn(v[3], turn(w, w2));
    int to = (l / stride) * 4 * stride + l % stride;
    int order[4] = {0, 2, 1, 3};
    for (int i = 0; i < 4; i++) { int p = B(to + order[i] * stride); re[p] = v[i].x; im[p] = v[i].y; }
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = stride >> 2, from = (l / next) * 4 * next + l % next;
    for (int i = 0; i < 4; i++) { int p = B(from + i * next); v[i] = (float2)(re[p], im[p]); }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < 4; i++) out[base + 4 * l + i] = v[i];
}""")
def butterflies_through_local_memory(random):
    n = 1 << 19
    return (n // 4,), (64,), [reals(random, n, 2), empty(2 * n)]


@pattern("""kernel void k(global const float2 *in, global float2 *out, int p) {
  int i = get_global_id(0), t = get_global_size(0), m = i & (p - 1), j = ((i - m) << 1) + m;
  float angle = -3.14159265f * m / p, c, s = sincos(angle, &c);
  float2 a = in[i], b = in[i + t], w = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
  out[j] = a + w;
  out[j + p] = a - w;
}""")
def butterflies_in_global_memory(random):
    n = 1 << 20
    return (n // 2,), (128,), [reals(random, n, 2), empty(2 * n), I(64)]


# Distances, particles, random numbers.

@pattern("""kernel void k(global const float *feature, global const float *clusters, global int *member, int n, int m, int d) {
  int p = get_global_id(0), index = 0;
  float least = FLT_MAX;
  if (p < n) {
    for (int i = 0; i < m; i++) {
      float s = 0;
      for (int l = 0; l < d; l++) s += (feature[l * n + p] - clusters[i * d + l]) * (feature[l * n + p] - clusters[i * d + l]);
      if (s < least) { least = s; index = i; }
    }
    member[p] = index;
  }
}""")
def nearest_of_clusters(random):
    n, m, d = 1 << 16, 8, 24
    return (n,), (256,), [reals(random, d, n), reals(random, m, d), empty(n, I), I(n), I(m), I(d)]


@pattern("""typedef struct { float lat, lng; } Place;
kernel void k(global const Place *places, global float *out, int n, float lat, float lng) {
  int i = get_global_id(0);
  if (i < n) {
    global const Place *p = places + i;
    out[i] = sqrt((lat - p->lat) * (lat - p->lat) + (lng - p->lng) * (lng - p->lng));
  }
}""")
def distance_of_structures(random):
    n = 1 << 19
    return (n,), (256,), [reals(random, n, 2), empty(n), I(n), F(0.7), F(0.9)]


@pattern("""typedef struct { float x, y, z, m, vx, vy, vz, pad; } Body;
kernel void k(global const Body *in, global Body *out, int n) {
  int i = get_global_id(0);
  Body b = in[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float dx = in[j].x - b.x, dy = in[j].y - b.y, dz = in[j].z - b.z, r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
    float s = in[j].m * r * r * r;
    ax += dx * s; ay += dy * s; az += dz * s;
  }
  b.vx += ax * 0.01f; b.vy += ay * 0.01f; b.vz += az * 0.01f;
  b.x += b.vx * 0.01f; b.y += b.vy * 0.01f; b.z += b.vz * 0.01f;
  out[i] = b;
}""")
def bodies_as_structures(random):
    n = 4096
    return (n,), (64,), [reals(random, n, 8), empty(8 * n), I(n)]


@pattern("""kernel void k(global const float4 *position, global const int *list, global float4 *force, int most, float limit, int n) {
  int i = get_global_id(0);
  float4 p = position[i], f = 0;
  for (int j = 0; j < most; j++) {
    float4 q = position[list[j * n + i]];
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz + 0.1f;
    if (r2 < limit) {
      float r = 1.0f / r2, r6 = r * r * r, s = r * r6 * (1.5f * r6 - 2.0f);
      f.x += dx * s; f.y += dy * s; f.z += dz * s;
    }
  }
  force[i] = f;
}""")
def neighbours_by_list(random):
    n, most = 1 << 14, 64
    return (n,), (128,), [reals(random, n, 4), random.integers(0, n, n * most, I), empty(4 * n), I(most), F(0.6), I(n)]


@pattern("""kernel void k(global const double4 *rv, global const double *qv, global const int *boxes, global double4 *fv, int near) {
  local double4 r[64];
  local double q[64];
  int b = get_group_id(0), t = get_local_id(0);
  double4 mine = rv[b * 64 + t], f = 0;
  for (int k = 0; k < near; k++) {
    int o = boxes[b * near + k];
    r[t] = rv[o * 64 + t];
    q[t] = qv[o * 64 + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 64; j++) {
      double r2 = mine.w + r[j].w - (mine.x * r[j].x + mine.y * r[j].y + mine.z * r[j].z);
      double u2 = 0.5 * r2, vij = exp(-u2), fs = 2 * vij;
      f.w += q[j] * vij;
      f.x += q[j] * fs * (mine.x - r[j].x);
      f.y += q[j] * fs * (mine.y - r[j].y);
      f.z += q[j] * fs * (mine.z - r[j].z);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  fv[b * 64 + t] = f;
}""")
def particles_by_boxes_in_doubles(random):
    boxes, near = 128, 8
    double = numpy.float64
    return (boxes * 64,), (64,), [reals(random, boxes * 64, 4, kind=double), reals(random, boxes * 64, kind=double),
                                  random.integers(0, boxes, boxes * near, I), empty(boxes * 64 * 4, double), I(near)]


@pattern("""kernel void k(global const float *s, global const float *x, global float *out, int paths, int steps) {
  int i = get_global_id(0);
  uint state = i * 747796405u + 2891336453u;
  float sum = 0;
  for (int p = 0; p < paths; p++) {
    float price = s[i];
    for (int t = 0; t < steps; t++) {
      state = state * 1664525u + 1013904223u;
      float u = (state >> 8) * (1.0f / 16777216.0f) + 1e-7f;
      state = state * 1664525u + 1013904223u;
      float v = (state >> 8) * (1.0f / 16777216.0f);
      price *= exp(-0.0005f + 0.02f * sqrt(-2.0f * log(u)) * cos(6.2831853f * v));
    }
    sum += fmax(price - x[i], 0.0f);
  }
  out[i] = sum / paths;
}""")
def random_walks(random):
    n = 1 << 12
    return (n,), (64,), [reals(random, n), reals(random, n), empty(n), I(16), I(32)]


@pattern("""kernel void k(global const float *s, global const float *x, global float *out, int steps) {
  int i = get_global_id(0);
  float v[65], u = exp(0.05f), d = 1 / u, p = (exp(0.001f) - d) / (u - d);
  for (int j = 0; j <= steps; j++) v[j] = fmax(s[i] * pown(u, 2 * j - steps) - x[i], 0.0f);
  for (int t = steps - 1; t >= 0; t--)
    for (int j = 0; j <= t; j++) v[j] = 0.999f * (p * v[j + 1] + (1 - p) * v[j]);
  out[i] = v[0];
}""")
def tree_of_prices(random):
    n = 1 << 12
    return (n,), (64,), [reals(random, n), reals(random, n), empty(n), I(64)]


# Arrays of each work-item.

@pattern("""typedef struct { float distance; int from; } Found;
kernel void k(global const float *place, global int *out, int n) {
  Found best[8];
  int i = get_global_id(0);
  float own = place[i];
  for (int j = 0; j < 8; j++) { best[j].distance = FLT_MAX; best[j].from = -1; }
  for (int j = 0; j < n; j++) {
    float d = (place[j] - own) * (place[j] - own);
    if (d < best[7].distance) {
      int at = 7;
      while (at > 0 && best[at - 1].distance > d) { best[at] = best[at - 1]; at--; }
      best[at].distance = d;
      best[at].from = j;
    }
  }
  for (int j = 0; j < 8; j++) out[i * 8 + j] = best[j].from;
}""")
def eight_nearest_in_order(random):
    n = 2048
    return (n,), (64,), [reals(random, n), empty(8 * n, I), I(n)]


@pattern("""kernel void k(global const uchar *in, global int *out, int n) {
  int count[32] = {0}, i = get_global_id(0), size = get_global_size(0);
  for (int j = 0; j < n; j++) count[in[j * size + i] >> 3]++;
  for (int j = 0; j < 32; j++) out[j * size + i] = count[j];
}""")
def histogram_of_each_item(random):
    items, n = 1 << 13, 64
    return (items,), (64,), [random.integers(0, 256, items * n, numpy.uint8), empty(32 * items, I), I(n)]


@pattern("""kernel void k(global const float4 *in, global float4 *out, int n) {
  float4 window[16], s = 0;
  int i = get_global_id(0), size = get_global_size(0);
  for (int j = 0; j < 16; j++) window[j] = 0;
  for (int j = 0; j < n; j++) {
    float4 x = in[j * size + i];
    s += x - window[j & 15];
    window[j & 15] = x;
    out[j * size + i] = s * 0.0625f;
  }
}""")
def window_of_vectors(random):
    items, n = 1 << 12, 48
    return (items,), (64,), [reals(random, items * n, 4), empty(4 * items * n), I(n)]


@pattern("""kernel void k(global const float *in, global const float *weight, global float *out, int filters, int n) {
  local float t[64];
  float sum[32];
  int i = get_global_id(0), l = get_local_id(0);
  for (int f = 0; f < filters; f++) sum[f] = 0;
  for (int r = 0; r < n; r++) {
    t[l] = in[r * get_global_size(0) + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float v = t[l] + t[(l + 1) & 63] + t[(l + 2) & 63];
    for (int f = 0; f < filters; f++) sum[f] += v * weight[r * filters + f];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int f = 0; f < filters; f++) out[f * get_global_size(0) + i] = sum[f];
}""")
def sums_across_barriers(random):
    items, filters, n = 1 << 12, 32, 32
    return (items,), (64,), [reals(random, items * n), reals(random, n * filters), empty(filters * items), I(filters), I(n)]


@pattern("""kernel void k(global const uchar *text, global int *out, int n) {
  uchar stack[32];
  int i = get_global_id(0), top = 0, most = 0;
  for (int j = 0; j < n; j++) {
    uchar c = text[i * n + j];
    if (c < 128 && top < 32) stack[top++] = c;
    else if (top > 0 && (stack[top - 1] ^ c) & 1) top--;
    most = max(most, top);
  }
  out[i] = most * 256 + (top ? stack[top - 1] : 0);
}""")
def stack_of_each_item(random):
    items, n = 1 << 13, 64
    return (items,), (64,), [random.integers(0, 256, items * n, numpy.uint8), empty(items, I), I(n)]


# Pictures and bits.

@pattern("""#define S(a, b) { uchar t = min(a, b); b = max(a, b); a = t; }
kernel void k(global const uchar *in, global uchar *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  uchar p[9];
  for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) p[j * 3 + i] = in[(y + j - 1) * w + x + i - 1];
  S(p[1], p[2]) S(p[4], p[5]) S(p[7], p[8]) S(p[0], p[1]) S(p[3], p[4]) S(p[6], p[7]) S(p[1], p[2]) S(p[4], p[5]) S(p[7], p[8])
  S(p[0], p[3]) S(p[5], p[8]) S(p[4], p[7]) S(p[3], p[6]) S(p[1], p[4]) S(p[2], p[5]) S(p[4], p[7]) S(p[4], p[2]) S(p[6], p[4]) S(p[4], p[2])
  out[y * w + x] = p[4];
}""")
def median_of_nine(random):
    w = h = 1024
    return (w, h), (64, 4), [random.integers(0, 256, w * h, numpy.uint8), empty(w * h, numpy.uint8), I(w), I(h)]


@pattern("""kernel void k(global const uchar4 *in, global uchar4 *out, int w, int h, float sigma) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 c = convert_float4(in[y * w + x]), sum = 0;
  float all = 0;
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++) {
      float4 q = convert_float4(in[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)]), d = q - c;
      float weight = native_exp(-(i * i + j * j) * 0.2f - dot(d, d) * sigma);
      sum += q * weight;
      all += weight;
    }
  out[y * w + x] = convert_uchar4_sat_rte(sum / all);
}""")
def bilateral_of_colours(random):
    w = h = 512
    return (w, h), (32, 4), [random.integers(0, 256, 4 * w * h, numpy.uint8), empty(4 * w * h, numpy.uint8), I(w), I(h), F(0.0004)]


@pattern("""kernel void k(global const float *in, global float *out, int w, int h) {
  local float t[16][17];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  t[ly][lx] = in[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(get_group_id(0) * 16 + ly) * h + get_group_id(1) * 16 + lx] = t[lx][ly];
}""")
def transpose_by_tiles(random):
    w = h = 1024
    return (w, h), (16, 16), [reals(random, h, w), empty(w * h), I(w), I(h)]


@pattern("""#define R 8
kernel void k(global const float *in, constant float *c, global float *out, int w) {
  local float t[4][80];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  t[ly][lx + R] = in[y * w + x];
  if (lx < R) t[ly][lx] = x >= R ? in[y * w + x - R] : 0;
  if (lx >= 64 - R) t[ly][lx + 2 * R] = x + R < w ? in[y * w + x + R] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  float s = 0;
  for (int i = -R; i <= R; i++) s += c[R + i] * t[ly][lx + R + i];
  out[y * w + x] = s;
}""")
def row_filter_with_apron(random):
    w, h = 1024, 1024
    return (w, h), (64, 4), [reals(random, h, w), reals(random, 17), empty(w * h), I(w)]


@pattern("""kernel void k(global const float *block, global float *out, int w) {
  local float t[8][9];
  int x = get_local_id(0), y = get_local_id(1), at = (get_group_id(1) * 8 + y) * w + get_group_id(0) * 8 + x;
  t[y][x] = block[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  float s = 0;
  for (int i = 0; i < 8; i++) s += t[y][i] * native_cos((2 * i + 1) * x * 0.19634954f);
  barrier(CLK_LOCAL_MEM_FENCE);
  t[y][x] = s * (x ? 0.5f : 0.35355339f);
  barrier(CLK_LOCAL_MEM_FENCE);
  s = 0;
  for (int i = 0; i < 8; i++) s += t[i][x] * native_cos((2 * i + 1) * y * 0.19634954f);
  out[at] = s * (y ? 0.5f : 0.35355339f);
}""")
def cosines_of_blocks(random):
    w = h = 512
    return (w, h), (8, 8), [reals(random, h, w), empty(w * h), I(w)]


@pattern("""#define ROUND(a, b, c, d, k) { a += b; d = rotate(d ^ a, 16u); c += d; b = rotate(b ^ c, 12u); a += b + (k); d = rotate(d ^ a, 8u); c += d; b = rotate(b ^ c, 7u); }
kernel void k(global const uint *in, global uint *out, int rounds) {
  uint s[8];
  int g = get_global_id(0);
  for (int i = 0; i < 8; i++) s[i] = in[g * 8 + i];
  for (int r = 0; r < rounds; r++) {
    ROUND(s[0], s[1], s[2], s[3], r)
    ROUND(s[4], s[5], s[6], s[7], s[r & 3])
    uint t = s[0]; s[0] = s[4]; s[4] = t;
  }
  for (int i = 0; i < 8; i++) out[g * 8 + i] = s[i];
}""")
def rounds_of_cipher(random):
    n = 1 << 16
    return (n,), (64,), [random.integers(0, 1 << 32, n * 8, numpy.uint32), empty(n * 8, numpy.uint32), I(20)]


@pattern("""constant uchar box[256] = {""" + ",".join(str((i * 167 + 41) & 255 ^ (i >> 3)) for i in range(256)) + """};
kernel void k(global const uchar16 *in, global uchar16 *out, uchar16 key) {
  uchar16 s = in[get_global_id(0)];
  for (int r = 0; r < 10; r++) {
    s ^= key + (uchar)r;
    uchar b[16];
    vstore16(s, 0, b);
    for (int i = 0; i < 16; i++) b[i] = box[b[i]];
    s = vload16(0, b).s05af49e38d27c16b;
  }
  out[get_global_id(0)] = s;
}""")
def substitution_of_bytes(random):
    n = 1 << 15
    key = numpy.frombuffer(bytes(range(16)), numpy.uint8).tobytes()
    return (n,), (64,), [random.integers(0, 256, 16 * n, numpy.uint8), empty(16 * n, numpy.uint8), key]


@pattern("""kernel void k(global const ulong *a, global const ulong *b, global ulong *out, int words) {
  int i = get_global_id(0), n = get_global_size(0);
  ulong carry = 0;
  for (int w = 0; w < words; w++) {
    ulong lo = a[w * n + i] * b[w * n + i], hi = mul_hi(a[w * n + i], b[w * n + i]), s = lo + carry;
    carry = hi + (s < lo) + popcount(s);
    out[w * n + i] = s;
  }
}""")
def long_multiplication(random):
    n, words = 1 << 15, 16
    wide = lambda: random.integers(0, 1 << 63, n * words, numpy.uint64)
    return (n,), (128,), [wide(), wide(), empty(n * words, numpy.uint64), I(words)]


if __name__ == "__main__":
    sys.exit(pattern.main(__doc__))
