// test: run args
// run: weigh global=4 local=2 (in=[1,2,3,4], w=[2,3], out=zeros:4) -> out=[2,6,6,12]
kernel void weigh(global const int *in, constant int *w, global int *out) {
  int i = get_global_id(0);
  out[i] = in[i] * w[i & 1];
}
