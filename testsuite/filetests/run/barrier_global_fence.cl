// Global memory passes between work-items of a group through a barrier.
// test: run
// run: fence global=8 local=4 (data=range:8) -> data=[1,2,3,0,5,6,7,4]
kernel void fence(global int *data) {
  int g = get_global_id(0), l = get_local_id(0);
  int next = data[get_group_id(0) * 4 + ((l + 1) & 3)];
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[g] = next;
}
