// Vectors of doubles.
// test: run
// bits: 64
// run: show global=1 (f=[0.5,1.5])
// prints: |0.5,1.5|
// prints: |1.50|0.5|
kernel void show(global const double *f) {
  printf("%.1v2lf\n", vload2(0, f));
  printf("%.2f|%.1f\n", f[1], (float)f[0]);
}
