// What is written in each format: rounding, saturation, and the order of channels.
// test: run
// bits: 64
// run: floats global=2 (out=image/rgba/unorm_int8/2x1:zeros:8) -> out=[64,0,255,0,64,0,255,0]
// run: floats global=1 (out=image/bgra/unorm_int8/1x1:zeros:4) -> out=[255,0,64,0]
// run: floats global=1 (out=image/argb/snorm_int8/1x1:zeros:4) -> out=[0,32,-64,127]
// run: floats global=1 (out=image/abgr/snorm_int8/1x1:zeros:4) -> out=[0,127,-64,32]
// run: floats global=1 (out=image/rg/snorm_int16/1x1:zeros:2) -> out=[8192,-16384]
// run: floats global=1 (out=image/ra/unorm_int16/1x1:all:9:2) -> out=[16384,0]
// run: floats global=1 (out=image/r/half_float/1x1:zeros:1) -> out=[0.25]
// run: floats global=1 (out=image/rg/float/1x1:zeros:2) -> out=[0.25,-0.5]
// run: floats global=1 (out=image/a/unorm_int8/1x1:all:9:1) -> out=[0]
// run: floats global=1 (out=image/luminance/unorm_int8/1x1:zeros:1) -> out=[64]
// run: floats global=1 (out=image/rgb/unorm_short_565/1x1:zeros:1) -> out=[16415]
// run: floats global=1 (out=image/rgb/unorm_short_555/1x1:zeros:1) -> out=[8223]
// run: floats global=1 (out=image/rgbx/unorm_int_101010/1x1:zeros:1) -> out=[268436479]
// run: floats global=1 (out=image/rgba/unorm_int_101010_2/1x1:zeros:1) -> out=[1073745916]
// run: ints global=1 (out=image/rgba/signed_int8/1x1:zeros:4) -> out=[-128,127,5,-1]
// run: ints global=1 (out=image/rgba/signed_int16/1x1:zeros:4) -> out=[-300,300,5,-1]
// run: ints global=1 (out=image/rg/signed_int32/1x1:zeros:2) -> out=[-300,300]
// run: uints global=1 (out=image/rgba/unsigned_int8/1x1:zeros:4) -> out=[255,3,5,255]
// run: uints global=1 (out=image/rg/unsigned_int16/1x1:zeros:2) -> out=[65535,3]
// run: uints global=1 (out=image/r/unsigned_int32/1x1:zeros:1) -> out=[70000]
// run: depths global=1 (out=image/depth/unorm_int16/1x1[0], deep=image/depth/float/1x1x2[1,1]) -> out=[32768], deep=[1,0.5]
kernel void floats(write_only image2d_t out) {
  write_imagef(out, (int2)(get_global_id(0), 0), (float4)(0.25f, -0.5f, 1.5f, NAN));
}
kernel void ints(write_only image2d_t out) {
  write_imagei(out, (int2)(get_global_id(0), 0), (int4)(-300, 300, 5, -1));
}
kernel void uints(write_only image2d_t out) {
  write_imageui(out, (int2)(get_global_id(0), 0), (uint4)(70000, 3, 5, 300));
}
kernel void depths(write_only image2d_depth_t out, write_only image2d_array_depth_t deep) {
  write_imagef(out, (int2)(0, 0), 0.5f);
  write_imagef(deep, (int4)(0, 0, 1, 0), 0.5f);
}
