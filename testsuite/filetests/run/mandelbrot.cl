// test: run
// run: mandel global=32,16 local=8,4 (out=zeros:512, w=32, h=16, limit=64)
kernel void mandel(global int *out, int w, int h, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  float cx = -2.0f + 3.0f * px / w, cy = -1.0f + 2.0f * py / h, x = 0, y = 0;
  int i = 0;
  for (; i < limit && x * x + y * y <= 4.0f; i++) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  out[py * w + px] = i;
}
