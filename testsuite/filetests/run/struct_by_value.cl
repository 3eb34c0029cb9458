// test: run args
// run: apply global=4 local=2 (p=int[3,7], out=zeros:4) -> out=[7,10,13,16]
struct params { int scale; int bias; };
kernel void apply(struct params p, global int *out) {
  int i = get_global_id(0);
  out[i] = i * p.scale + p.bias;
}
