// Variables at program scope keep what kernels write from launch to launch, and all kernels of a program share them.
// test: run
// options: -cl-std=CL3.0
// run: count global=4 (out=zeros:4)
// run: count global=4 (out=zeros:4)
// run: show global=1 (out=zeros:9) -> out=[8, 1, 3, 0, 200, 3, 5, 7, 42]
#ifndef __opencl_c_program_scope_global_variables
#error
#endif
global int counter = 0;
global struct { char c; short s; float f; } record = {1, 3, 0.5f};
global uchar bytes[300] = {[4] = 200};
static global int primes[] = {3, 5, 7};
void add(int n) { atomic_add(&counter, n); }
kernel void count(global int *out) {
  add(1);
  if (get_global_id(0) == 0)
    record.f += 1.0f;
}
kernel void show(global int *out) {
  static global int kept = 41;
  out[0] = counter;
  out[1] = record.c;
  out[2] = record.s;
  out[3] = bytes[3];
  out[4] = bytes[4];
  for (int i = 0; i < 3; i++)
    out[5 + i] = primes[i];
  out[8] = ++kept;
}
