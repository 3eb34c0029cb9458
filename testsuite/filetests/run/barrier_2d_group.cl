// test: run
// run: rotate2 global=8,4 local=4,2 (data=range:32)
kernel void rotate2(global int *data) {
  local int tile[2][4];
  int x = get_local_id(0), y = get_local_id(1);
  int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  tile[y][x] = data[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[at] = tile[1 - y][3 - x];
}
