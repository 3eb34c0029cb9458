// test: run
// bits: 64, processors do not say where their memories lie
// options: -cl-std=CL3.0
// run: k global=2 (out=zeros:2) -> out=[1,1]
// Generic pointers say which memory they lead to.
#ifndef __opencl_c_generic_address_space
#error
#endif
kernel void k(global int *out) {
  int mine = 0;
  int *p = out, *q = &mine;
  out[get_global_id(0)] = to_global(p) != 0 && to_private(q) != 0 && to_local(p) == 0;
}
