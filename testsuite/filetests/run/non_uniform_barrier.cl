// Barriers and values across them in work-groups at the edge: every item of the smaller group meets the barrier.
// test: run
// options: -cl-std=CL2.0
// run: rotate_group global=11 local=4 (data=[1,2,3,4,5,6,7,8,9,10,11]) -> data=[5,3,5,7,13,11,13,15,20,19,21]
// run: rotate_group global=37 local=16 (data=range:37)
kernel void rotate_group(global int *data) {
  local int block[16];
  int l = get_local_id(0), n = get_local_size(0);
  int own = data[get_global_id(0)];
  block[l] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = block[(l + n - 1) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  block[l] = own + other;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = block[l];
}
