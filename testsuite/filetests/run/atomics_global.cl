// test: run
// run: histogram global=64 local=16 (in=range:64, bins=zeros:4) -> bins=[16,16,16,16]
kernel void histogram(global const int *in, global int *bins) {
  atomic_inc(&bins[in[get_global_id(0)] & 3]);
}
