// Blocks of images that a sub-group reads and writes together: bytes, row by row, whatever the format is. Outside of the image reads
// find its nearest row and pixel, and writes nothing.
// test: run
// options: -cl-std=CL3.0
// bits: 64
// run: rows global=4 local=4 (in=image/r/unsigned_int32/5x3:range:15, out=image/r/unsigned_int32/5x3:zeros:15, corner=zeros:8) -> out=[0,7,8,9,9,0,12,13,14,14,0,0,0,0,7], corner=[0,0,0,0,0,0,1,1]
// run: edges global=4 local=4 (in=image/rg/unsigned_int8/2x2[1,2,3,4,5,6,7,8], out=zeros:12) -> out=[513,2,117966598,513,1,117966600,1027,2,117966600,1027,3,117966600]
// run: types global=4 local=4 (in=image/r/unsigned_int32/8x16:range:128, out=image/r/unsigned_int32/8x16:zeros:128) -> out=[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95,96,97,98,99,100,101,102,103,104,105,106,107,108,109,110,111,112,113,114,115,116,117,118,119,120,121,122,123,124,125,126,127]
// run: both global=4 local=4 (plane=image/r/unsigned_int8/8x2:range:16) -> plane=[0,3,6,9,4,5,6,7,24,27,30,33,12,13,14,15]
#define SIZE4 __attribute__((intel_reqd_sub_group_size(4)))
SIZE4 kernel void rows(read_only image2d_t in, write_only image2d_t out, global uint2 *corner) {
  uint2 x = intel_sub_group_block_read2(in, (int2)(8, 1));
  intel_sub_group_block_write2(out, (int2)(4, 0), x);
  // Of this one pixel is inside.
  intel_sub_group_block_write_ui2(out, (int2)(16, 2), x);
  intel_sub_group_block_write(out, (int2)(0, -1), x.x);
  corner[get_local_id(0)] = intel_sub_group_block_read_ui2(in, (int2)(-8, -1));
}
SIZE4 kernel void edges(read_only image2d_t in, global uint *out) {
  global uint *own = out + 3 * get_local_id(0);
  own[0] = intel_sub_group_block_read_us(in, (int2)(-2, 0));
  own[1] = intel_sub_group_block_read_uc(in, (int2)(-1, -5));
  own[2] = intel_sub_group_block_read(in, (int2)(1, 1));
}
SIZE4 kernel void types(read_only image2d_t in, write_only image2d_t out) {
  intel_sub_group_block_write_ul8(out, (int2)(0, 0), intel_sub_group_block_read_ul8(in, (int2)(0, 0)));
  int2 at = (int2)(0, 8);
  intel_sub_group_block_write_ui8(out, at, intel_sub_group_block_read_ui8(in, at));
  at.x = 16;
  intel_sub_group_block_write_us8(out, at, intel_sub_group_block_read_us8(in, at));
  at.x = 24;
  intel_sub_group_block_write_uc8(out, at, intel_sub_group_block_read_uc8(in, at));
  at = (int2)(28, 0);
  intel_sub_group_block_write_uc16(out, at, intel_sub_group_block_read_uc16(in, at));
}
SIZE4 kernel void both(read_write image2d_t plane) {
  uchar2 x = intel_sub_group_block_read_uc2(plane, (int2)(0, 0));
  intel_sub_group_block_write_uc2(plane, (int2)(0, 0), x * (uchar2)3);
}
