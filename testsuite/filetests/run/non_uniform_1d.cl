// The last work-group of a launch is smaller where the local size does not divide the global size.
// test: run
// options: -cl-std=CL2.0
// run: sizes global=10 local=4 offset=3 (out=zeros:40) -> out=[4,4,10,3, 4,4,10,4, 4,4,10,5, 4,4,10,6, 4,4,10,7, 4,4,10,8, 4,4,10,9, 4,4,10,10, 2,4,10,11, 2,4,10,12]
// run: sizes global=8 local=4 offset=0 (out=zeros:32) -> out=[4,4,8,0, 4,4,8,1, 4,4,8,2, 4,4,8,3, 4,4,8,4, 4,4,8,5, 4,4,8,6, 4,4,8,7]
// run: sizes global=3 local=7 (out=zeros:12) -> out=[3,7,3,0, 3,7,3,1, 3,7,3,2]
// run: sizes global=37 local=16 (out=zeros:148)
kernel void sizes(global int *out) {
  size_t i = get_global_id(0) - get_global_offset(0);
  out[4 * i] = get_local_size(0);
  out[4 * i + 1] = get_enqueued_local_size(0);
  out[4 * i + 2] = get_global_size(0);
  out[4 * i + 3] = get_global_id(0);
}
