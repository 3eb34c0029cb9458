// test: run
// run: swizzle global=2 local=2 (in=[1,2,3,4,5,6,7,8], out=zeros:8) -> out=[4,3,2,1,8,7,6,5]
kernel void swizzle(global const int4 *in, global int4 *out) {
  size_t i = get_global_id(0);
  int4 v = in[i];
  v.xw = v.wx;
  v.yz = v.zy;
  out[i] = v;
}
