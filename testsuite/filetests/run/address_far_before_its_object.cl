// An address that is 2 GiB before its object, in code that nobody runs: no code can name it, and none has to.
// test: run
// bits: 64, addresses have 64 bits
// run: k global=2 local=2 (out=zeros:2, n=1) -> out=[58,58]
// run: far global=2 local=2 (out=zeros:2, n=1) -> out=[185,185]
constant uchar table[5] = {51, 58, 185, 8, 102};
kernel void k(global int *out, int n) {
  int i = get_global_id(0);
  out[i] = n > 1000 ? table[-2147483647 - 1] : table[n];
}
__attribute__((noinline)) int read(constant uchar *p, int n) { return n > 1000 ? p[0] : table[n + 1]; }
kernel void far(global int *out, int n) {
  constant uchar *p = n > 1000 ? &table[-2147483647 - 1] : &table[2];
  out[get_global_id(0)] = read(p, n);
}
