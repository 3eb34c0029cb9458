// Pointers at program scope without an initial value, and with that of none.
// test: run
// options: -cl-std=CL3.0
// run: nulls global=3 (out=zeros:3) -> out=[7,7,7]
global int *nowhere;
global int *global none = 0;
typedef struct pair {
  int value;
  global int *at;
} pair;
global pair both = {7, 0};
kernel void nulls(global int *out) {
  out[get_global_id(0)] = nowhere == 0 && none == 0 && both.at == 0 ? both.value : 1;
}
