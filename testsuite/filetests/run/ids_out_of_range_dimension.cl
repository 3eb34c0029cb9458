// Dimensions beyond the launch and beyond three have defined values.
// test: run
// run: beyond global=2 local=1 (out=zeros:16, d=3) -> out=[0,0,0,1,1,1,0,0, 0,0,0,1,1,1,0,0]
// run: beyond global=2 local=1 (out=zeros:16, d=1) -> out=[0,0,0,1,1,1,0,0, 0,0,0,1,1,1,0,0]
kernel void beyond(global int *out, uint d) {
  int row = get_global_id(0) * 8;
  out[row + 0] = get_global_id(d);
  out[row + 1] = get_local_id(d);
  out[row + 2] = get_group_id(d);
  out[row + 3] = get_num_groups(d);
  out[row + 4] = get_local_size(d);
  out[row + 5] = get_global_size(d);
  out[row + 6] = get_global_offset(d);
}
