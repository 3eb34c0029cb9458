// test: run
// run: stencil global=16,12 local=8,4 (in=random:192:9, out=zeros:192, w=16, h=12)
// ulp: 2
kernel void stencil(global const float *restrict in, global float *restrict out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    out[y * w + x] = in[y * w + x];
    return;
  }
  out[y * w + x] = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}
