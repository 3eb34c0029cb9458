// An image that a kernel reads and writes: each work-item its own pixel, then its neighbour's behind a barrier.
// test: run
// bits: 64
// options: -cl-std=CL3.0
// run: twice global=4 local=4 (io=image/r/unsigned_int32/4[1,2,3,4]) -> io=[4,6,8,2]
// run: twice global=4 local=2 (io=image/rgba/unsigned_int8/4[1,0,0,9,2,0,0,9,3,0,0,9,4,0,0,9]) -> io=[4,0,0,1,2,0,0,1,8,0,0,1,6,0,0,1]
#ifndef __opencl_c_read_write_images
#error
#endif
kernel void twice(read_write image1d_t io) {
  int x = get_global_id(0);
  uint4 own = read_imageui(io, x);
  own.x *= 2;
  own.w = 1;
  write_imageui(io, x, own);
  work_group_barrier(CLK_IMAGE_MEM_FENCE);
  int first = x - get_local_id(0);
  uint4 next = read_imageui(io, first + (get_local_id(0) + 1) % get_local_size(0));
  work_group_barrier(CLK_IMAGE_MEM_FENCE);
  write_imageui(io, x, next);
}
