// test: run args
// run: fixed global=8 local=4 (out=zeros:8) -> out=[4,4,4,4,4,4,4,4]
__attribute__((reqd_work_group_size(4, 1, 1)))
kernel void fixed(global int *out) { out[get_global_id(0)] = get_local_size(0); }
