// A hint to unroll a loop of the kernel reaches the work-group function (see the snapshot).
// test: run
// run: k global=4 (out=zeros:4, n=64) -> out=[2016,2016,2016,2016]
kernel void k(global int *out, int n) {
  int s = 0;
  __attribute__((opencl_unroll_hint(8)))
  for (int i = 0; i < n; i++) s += i;
  out[get_global_id(0)] = s;
}
