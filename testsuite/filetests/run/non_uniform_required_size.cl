// A required work-group size is the enqueued one: the last group may be smaller all the same.
// test: run
// options: -cl-std=CL2.0
// run: fill global=6 (out=zeros:6) -> out=[4,4,4,4,2,2]
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fill(global int *out) {
  out[get_global_id(0)] = get_local_size(0);
}
