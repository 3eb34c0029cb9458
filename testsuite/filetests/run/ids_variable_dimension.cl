// The dimension is not a constant, and differs between work-items.
// test: run
// run: vary global=4,2,2 local=2,1,2 (out=zeros:16)
kernel void vary(global int *out) {
  size_t at = (get_global_id(2) * 2 + get_global_id(1)) * 4 + get_global_id(0);
  out[at] = get_global_id(at % 3) * 10 + get_local_size(at % 4);
}
