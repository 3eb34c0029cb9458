// With -cl-uniform-work-group-size both local sizes are the same, and the code need not ask.
// test: run
// options: -cl-std=CL2.0 -cl-uniform-work-group-size
// run: sizes global=8 local=4 (out=zeros:8) -> out=[8,8,8,8,8,8,8,8]
kernel void sizes(global int *out) { out[get_global_id(0)] = get_local_size(0) + get_enqueued_local_size(0); }
