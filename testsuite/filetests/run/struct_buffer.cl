// A buffer of structs with padding.
// test: run
// run: bodies global=3 local=3 (b=int[1,0,1065353216,2,0,1073741824,3,0,1077936128], out=zeros:3) -> out=[2,4,6]
typedef struct { char tag; int pad; float mass; } body;
kernel void bodies(global const body *b, global float *out) {
  int i = get_global_id(0);
  out[i] = b[i].tag + b[i].mass;
}
