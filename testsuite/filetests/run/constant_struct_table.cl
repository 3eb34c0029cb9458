// test: run
// run: lookup global=3 local=1 (out=zeros:3) -> out=[11,22,33]
typedef struct { int id; float w[2]; } row;
constant row rows[3] = {{1, {4, 6}}, {2, {8, 12}}, {3, {10, 20}}};
kernel void lookup(global float *out) {
  int i = get_global_id(0);
  out[i] = rows[i].id + rows[i].w[0] + rows[i].w[1];
}
