// Scalars of half print as other floating values do, vectors by the length modifier h.
// test: run
// run: show global=1 (f=[1,2.5,-3,65504])
// prints: |2.50 -3|
// prints: |1,2.5,-3,65504|
// prints: |1.000,2.500|
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void show(global const half *f) {
  printf("%.2f %g\n", f[1], f[2]);
  printf("%v4hg\n", vload4(0, f));
  printf("%.3v2hf\n", vload2(0, f));
}
