// Variables that are aligned to 128 bytes and more, which LLVM's SPIR-V back end writes as 4294967168 and 0, and a structure
// whose first member is reached through its address.
// test: run
// run: k global=4 local=2 (in=range:16, out=zeros:16) -> out=[3,0,0,1,5,0,0,2,7,0,0,3,9,0,0,4]
typedef struct {
  int first;
  long16 wide;
} both;
int off(const void *p, int bytes) { return (int)((uintptr_t)p % bytes); }
kernel void k(global const long16 *in, global int *out) {
  int i = get_global_id(0);
  long16 a = in[0];
  a.s3 += i;
  both pair = {i, a};
  int more[4] __attribute__((aligned(512)));
  int most[4] __attribute__((aligned(256)));
  more[i & 3] = i;
  most[i & 3] = 1;
  pair.first += most[i];
  out[i * 4] = (int)pair.wide.s3 + more[i];
  out[i * 4 + 1] = off(&a, 128) + off(&pair, 128);
  out[i * 4 + 2] = off(more, 512) + off(most, 256);
  out[i * 4 + 3] = pair.first;
}
