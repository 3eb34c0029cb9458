// test: run
// run: bits global=4 local=2 (in=float[1,-2,0.5,0], out=zeros:4) -> out=[1065353216,-1073741824,1056964608,0]
kernel void bits(global const float *in, global int *out) {
  union { float f; int i; } u;
  int k = get_global_id(0);
  u.f = in[k];
  out[k] = k & 1 ? as_int(in[k]) : u.i;
}
