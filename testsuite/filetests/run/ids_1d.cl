// Every work-item function in one dimension, with an offset.
// test: run
// run: ids global=6 local=3 offset=10 (out=zeros:72) -> out=[10,0,0,2,3,6,10,1,0,0,1,1, 11,1,0,2,3,6,10,1,1,1,1,1, 12,2,0,2,3,6,10,1,2,2,1,1, 13,0,1,2,3,6,10,1,3,0,1,1, 14,1,1,2,3,6,10,1,4,1,1,1, 15,2,1,2,3,6,10,1,5,2,1,1]
// options: -cl-std=CL2.0
kernel void ids(global int *out) {
  int row = (get_global_id(0) - get_global_offset(0)) * 12;
  out[row + 0] = get_global_id(0);
  out[row + 1] = get_local_id(0);
  out[row + 2] = get_group_id(0);
  out[row + 3] = get_num_groups(0);
  out[row + 4] = get_local_size(0);
  out[row + 5] = get_global_size(0);
  out[row + 6] = get_global_offset(0);
  out[row + 7] = get_work_dim();
  out[row + 8] = get_global_linear_id();
  out[row + 9] = get_local_linear_id();
  out[row + 10] = get_global_size(1);
  out[row + 11] = get_local_size(2);
}
