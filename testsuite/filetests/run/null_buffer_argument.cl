// A null pointer is a value like any other.
// test: run
// run: maybe global=4 local=2 (in=null, out=zeros:4) -> out=[7,7,7,7]
kernel void maybe(global const int *in, global int *out) {
  int i = get_global_id(0);
  out[i] = in ? in[i] : 7;
}
