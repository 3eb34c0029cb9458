// test: run
// run: rotate3 global=2,3,4 local=2,3,2 (data=range:24)
kernel void rotate3(global int *data) {
  local int tile[12];
  int l = get_local_linear_id();
  int at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
  int v = data[at];
  tile[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[at] = tile[11 - l] * 100 + v;
}
// options: -cl-std=CL2.0
