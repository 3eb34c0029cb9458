// test: run regions
// run: reverse global=8 local=4 (data=[1,2,3,4,5,6,7,8]) -> data=[4,3,2,1,8,7,6,5]
// run: reverse global=6 local=1 (data=[1,2,3,4,5,6]) -> data=[1,2,3,4,5,6]
kernel void reverse(global int *data) {
  local int tile[64];
  size_t l = get_local_id(0), n = get_local_size(0);
  tile[l] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tile[n - 1 - l];
}
