// test: run
// Rows and columns of an index, put together again: by division, by shifts and masks, of numbers below zero, and what only looks so.
// run: k global=64 local=16 (in=int:random:64:3, out=int:zeros:512, w=7) 
// run: k global=60 local=12 (in=int:random:60:4, out=int:zeros:480, w=64)
// run: k global=5 local=5 (in=int[-9,-1,0,7,-2147483648], out=int:zeros:40, w=3)

kernel void k(global const int *in, global int *out, int w) {
  int i = get_global_id(0), x = in[i];
  uint u = x;
  size_t g = get_global_id(0);
  int row = i / w, column = i % w;
  out[8 * i] = in[row * w + column];
  out[8 * i + 1] = in[(i >> 3) * 8 + (i & 7)];
  out[8 * i + 2] = (x / w) * w + x % w;
  out[8 * i + 3] = (x >> 4) * 16 + (x & 15);
  out[8 * i + 4] = (u / 8) * 8 + u % 8 + (u & 7);
  out[8 * i + 5] = in[(g / 16) << 4 | g % 16];
  // The other way round, other divisors, and a sign where there is none.
  out[8 * i + 6] = column * w + row + (x / 8) * 8 + (x & 7) + (x >> 3) * 4 + (x & 7);
  out[8 * i + 7] = (x / w) * 5 + x % w + (int)(u / 5 * 5) + x % 5;
}
