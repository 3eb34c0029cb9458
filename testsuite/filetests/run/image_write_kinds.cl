// Writing to images of every kind, also outside of them, where nothing happens.
// test: run
// bits: 64
// options: -cl-std=CL3.0
// run: plane global=4,3 (out=image/r/float/3x2:zeros:6) -> out=[0,1,2,10,11,12]
// run: row global=5 (out=image/r/signed_int32/4:zeros:4) -> out=[1,2,3,4]
// run: rows global=2,3 (out=image/r/unsigned_int16/2x2:zeros:4) -> out=[0,1,10,11]
// run: planes global=1,2,3 (out=image/r/unorm_int8/1x2x2:all:7:4) -> out=[0,51,102,153]
// run: volume global=2,2,3 (out=image/rg/half_float/1x2x2:zeros:8) -> out=[0,0,1,0,0,1,1,1]
// run: in_buffer global=3 (out=image/rgba/signed_int8/2:zeros:8) -> out=[0,1,2,3,1,2,3,4]
#ifndef cl_khr_3d_image_writes
#error
#endif
#ifndef __opencl_c_3d_image_writes
#error
#endif
#ifndef __opencl_c_images
#error
#endif
kernel void plane(write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, (float4)(at.y * 10 + at.x, 0, 0, 0));
  write_imagef(out, (int2)(-1, 0), (float4)(99));
}
kernel void row(write_only image1d_t out) {
  int x = get_global_id(0);
  write_imagei(out, x, (int4)(x + 1));
}
kernel void rows(write_only image1d_array_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(out, at, (uint4)(at.y * 10 + at.x));
}
kernel void planes(write_only image2d_array_t out) {
  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  write_imagef(out, at, (float4)((at.z * 2 + at.y) * 0.2f));
}
kernel void volume(write_only image3d_t out) {
  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  write_imageh(out, at, (half4)(at.y, at.z, 0, 0));
}
kernel void in_buffer(write_only image1d_buffer_t out) {
  int x = get_global_id(0);
  write_imagei(out, x, (int4)(x, x + 1, x + 2, x + 3));
}
