// test: run
// ulp: 4
// run: maths global=64 local=16 (in=random:64:5, out=zeros:64)
kernel void maths(global const float *in, global float *out) {
  int i = get_global_id(0);
  float x = in[i] * 4 + 0.1f;
  out[i] = sqrt(x) + exp(-x) + log(x) + sin(x) * cos(x) + pow(x, 1.5f) + fmax(x, 2.0f) + floor(x) + fabs(-x);
}
