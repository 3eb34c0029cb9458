// test: run
// run: ids global=4,2 local=2,1 offset=3,5 (out=zeros:32)
kernel void ids(global int *out) {
  int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  int row = (y * get_global_size(0) + x) * 4;
  out[row] = get_global_id(0) * 100 + get_global_id(1);
  out[row + 1] = get_local_id(0) * 10 + get_local_id(1);
  out[row + 2] = get_group_id(0) * 10 + get_group_id(1);
  out[row + 3] = get_work_dim();
}
