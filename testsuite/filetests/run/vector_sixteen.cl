// test: run
// run: sum global=2 local=1 (in=range:32, out=zeros:2) -> out=[120,376]
kernel void sum(global const int16 *in, global int *out) {
  size_t i = get_global_id(0);
  int8 a = in[i].lo + in[i].hi;
  int4 b = a.lo + a.hi;
  int2 c = b.even + b.odd;
  out[i] = c.x + c.y;
}
