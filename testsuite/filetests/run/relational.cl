// test: run
// run: rel global=1 local=1 (in=float[1,2], out=zeros:8) -> out=[1,-1,0,1,1,2,1,0]
kernel void rel(global const float *in, global int *out) {
  float nanv = nan(0u);
  out[0] = isless(in[0], in[1]);
  out[1] = isless((float2)(in[0], in[1]), (float2)(in[1], in[0])).x;
  out[2] = isequal(nanv, nanv);
  out[3] = isnan(nanv);
  out[4] = all((int2)(-1, -5));
  out[5] = select(1, 2, in[0] < in[1]);
  out[6] = any((int4)(0, 0, -1, 0));
  out[7] = signbit(in[0]);
}
