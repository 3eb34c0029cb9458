// Copies of lines and planes by a work-group, there and back, and the fence between them (cl_khr_extended_async_copies and
// cl_khr_async_work_group_copy_fence).
// test: run
// options: -cl-std=CL3.0
// run: lines global=4 local=4 (in=range:48, out=zeros:48) -> out=[0,0,0,0,0,0,0,0,0,0,0,0,0,0,11,12,13,0,0,0,0,0,0,0,19,20,21,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
// run: planes global=3 local=3 (in=range:48, out=zeros:24) -> out=[1,2,5,6,9,10,0,0,25,26,29,30,33,34,0,0,0,0,0,0,0,0,0,0]
#ifndef cl_khr_extended_async_copies
#error
#endif
#ifndef cl_khr_async_work_group_copy_fence
#error
#endif

// Two lines of three, 8 apart, to lines of 5, and these to lines 10 apart.
kernel void lines(global const int *in, global int *out) {
  local int tile[16];
  event_t event = async_work_group_copy_2D2D(tile, 2, in, 11, sizeof(int), 3, 2, 8, 5, 0);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  event = async_work_group_copy_2D2D(out, 14, tile, 2, sizeof(int), 3, 2, 5, 10, event);
  wait_group_events(1, &event);
}

// Two planes of three lines of two.
kernel void planes(global const int *in, global int *out) {
  local int tile[24];
  event_t event = async_work_group_copy_3D3D(tile, 0, in, 1, sizeof(int), 2, 3, 2, 4, 24, 2, 6, 0);
  wait_group_events(1, &event);
  event = async_work_group_copy_3D3D(out, 0, tile, 0, sizeof(int), 2, 3, 2, 2, 6, 2, 8, 0);
  wait_group_events(1, &event);
}
