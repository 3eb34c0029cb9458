// test: run
// run: copies global=8 local=4 (in=range:8, out=zeros:8) -> out=[3,2,1,0,7,6,5,4]
kernel void copies(global const int *in, global int *out) {
  local int tile[4], back[4];
  size_t base = get_group_id(0) * 4;
  event_t e = async_work_group_copy(tile, in + base, 4, 0);
  wait_group_events(1, &e);
  back[get_local_id(0)] = tile[3 - get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(out + base, back, 4, 0);
  wait_group_events(1, &e);
}
