// test: run
// Vectors that are loaded, computed with element by element, and stored: lanes keep them as memory has them. Rows that are no multiple
// of W, elements of each size, what is the same for all lanes, comparisons, and vectors that are taken apart somewhere.
// run: axpy global=70 local=7 (a=random:280:1, b=random:280:2, s=(1.5,2,-3,0.25))
// run: product global=24,8 local=8,2 (a=random:4096:3, b=random:3072:4, c=zeros:3072, n=8)
// run: limits global=33 local=33 (in=random:132:5, out=zeros:132)
// run: pixels global=50 local=10 (in=range:200, out=zeros:200, gain=3)
// run: sixteen global=20 local=4 (a=range:320, b=random:320:7, out=zeros:320)
// run: half_of_them global=40 local=8 (a=random:160:8, out=zeros:160, sums=zeros:40)
// run: between_barriers global=32 local=16 (a=random:128:9, out=zeros:128)
// run: guarded global=30 local=10 (a=random:120:10, out=zeros:120, n=17)
// run: chosen global=30 local=10 (a=random:120:11, out=zeros:120, n=17)
kernel void axpy(global float4 *a, global const float4 *b, float4 s) {
  int g = get_global_id(0);
  a[g] = fma(b[g], s, -a[g]) + s.x;
}

kernel void product(global const float4 *a, global const float4 *b, global float4 *c, int n) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
  float4 s = 0, t = 1;
  for (int i = 0; i < n; i++) {
    float4 p = a[2 * y * n + i], q = a[(2 * y + 1) * n + i], r = b[i * w + x];
    s += p.x * r + p.y;
    t = q.z * r - t;
  }
  c[2 * y * w + x] = s;
  c[(2 * y + 1) * w + x] = t;
}

kernel void limits(global const float4 *in, global float4 *out) {
  int g = get_global_id(0);
  float4 v = in[g] * 4 - 2;
  int4 low = v < 0.25f;
  out[g] = select(fmin(v, 1.0f), fabs(v) * 0.5f, low) + sqrt(fmax(v, 0.0f));
}

kernel void pixels(global const uchar4 *in, global uchar4 *out, int gain) {
  int g = get_global_id(0);
  int4 v = convert_int4(in[g]) * gain + 7;
  out[g] = convert_uchar4(clamp(v >> 1, 0, 255)) ^ (uchar4)(1, 2, 4, 8);
}

kernel void sixteen(global const short16 *a, global const short16 *b, global short16 *out) {
  int g = get_global_id(0);
  out[g] = add_sat(a[g], max(b[g], (short)3)) - rotate(a[g], (short)2);
}

// What is taken apart is kept by components, the rest of the kernel is not.
kernel void half_of_them(global const float4 *a, global float4 *out, global float *sums) {
  int g = get_global_id(0);
  float4 v = a[g];
  sums[g] = v.x + v.y * v.z - v.w;
  out[g] = a[g ^ 1].wzyx + v;
}

kernel void between_barriers(global const float4 *a, global float4 *out) {
  local float4 tile[16];
  int g = get_global_id(0), l = get_local_id(0);
  float4 v = a[g] * 2;
  tile[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = v + tile[15 - l];
}

kernel void guarded(global const float4 *a, global float4 *out, int n) {
  int g = get_global_id(0);
  if (g < n) out[g] = a[g] * a[g] + 1;
}

kernel void chosen(global const float4 *a, global float4 *out, int n) {
  int g = get_global_id(0);
  float4 v = a[g];
  if (v.x > 0.5f) v = v * 3 - 1;
  float4 w = n > 3 ? v : v * 2;
  out[g] = w;
}
