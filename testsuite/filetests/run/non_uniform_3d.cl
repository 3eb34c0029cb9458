// Work-groups at every face, edge and corner of the index space, with linear ids and the number of groups.
// test: run
// options: -cl-std=CL3.0
// run: ids global=7,5,3 local=4,2,2 (groups=zeros:105, linear=zeros:105, items=zeros:105)
// run: ids global=5,3,4 local=5,2,4 (groups=zeros:60, linear=zeros:60, items=zeros:60)
kernel void ids(global int *groups, global int *linear, global int *items) {
  size_t at = get_global_linear_id();
  groups[at] = get_num_groups(0) * 100 + get_num_groups(1) * 10 + get_num_groups(2);
  linear[at] = get_local_linear_id();
  items[at] = get_local_size(0) * get_local_size(1) * get_local_size(2);
}
