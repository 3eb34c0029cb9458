// test: run
// run: cmp global=2 local=2 (a=[1,5,3,7,2,2,2,2], b=[4,4,4,4,1,2,3,4], out=zeros:8) -> out=[4,5,4,7,2,2,3,4]
kernel void cmp(global const int4 *a, global const int4 *b, global int4 *out) {
  size_t i = get_global_id(0);
  int4 m = a[i] > b[i];
  out[i] = (m & a[i]) | (~m & b[i]);
}
