// In OpenCL C 2.0 variables at program scope need no address space, and generic pointers lead to them.
// test: run
// memories: one
// options: -cl-std=CL2.0
// run: bump global=6 local=3 (out=zeros:6) -> out=[6,6,6,6,6,6]
int total = 5;
int *pointer = &total;
kernel void bump(global int *out) {
  int before = *pointer;
  out[get_global_id(0)] = before + 1;
}
