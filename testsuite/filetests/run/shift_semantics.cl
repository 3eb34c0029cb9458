// A shift counts modulo the width of its left side.
// test: run
// run: shifts global=4 local=2 (n=int[33,-1,4,32], out=zeros:8) -> out=[2,-2147483648,16,1,1073741824,1,134217728,-2147483648]
kernel void shifts(global const int *n, global int *out) {
  int i = get_global_id(0);
  out[i] = 1 << n[i];
  out[4 + i] = (int)(0x80000000u >> n[i]);
}
