// Every way that pixels are decoded and encoded, by many lanes: neighbours in a row, the same pixel again at the edge, and pixels that are
// apart.
// test: run
// bits: 64
// ulp: 4
// run: move global=40 (in=image/rgba/unorm_int8/40x1:random:160:1, out=image/abgr/snorm_int8/40x1:zeros:160, by=-2)
// run: move global=40 (in=image/bgra/unorm_int8/40x1:random:160:2, out=image/luminance/unorm_int16/40x1:zeros:40, by=-1)
// run: move global=40 (in=image/argb/snorm_int8/40x1:random:160:3, out=image/rgb/unorm_short_565/40x1:zeros:40, by=0)
// run: move global=40 (in=image/abgr/snorm_int8/40x1:random:160:4, out=image/argb/snorm_int8/40x1:zeros:160, by=1)
// run: move global=40 (in=image/rg/unorm_int8/40x1:random:80:5, out=image/ra/snorm_int16/40x1:zeros:80, by=2)
// run: move global=40 (in=image/r/snorm_int8/40x1:random:40:6, out=image/a/float/40x1:zeros:40, by=-2)
// run: move global=40 (in=image/a/unorm_int8/40x1:random:40:7, out=image/bgra/unorm_int8/40x1:zeros:160, by=-1)
// run: move global=40 (in=image/intensity/unorm_int8/40x1:random:40:8, out=image/rgba/unorm_int16/40x1:zeros:160, by=0)
// run: move global=40 (in=image/rgba/unorm_int16/40x1:random:160:9, out=image/rg/float/40x1:zeros:80, by=1)
// run: move global=40 (in=image/ra/snorm_int16/40x1:random:80:10, out=image/rgba/unorm_int8/40x1:zeros:160, by=2)
// run: move global=40 (in=image/luminance/unorm_int16/40x1:random:40:11, out=image/intensity/unorm_int8/40x1:zeros:40, by=-2)
// run: move global=40 (in=image/rgba/half_float/40x1:random:160:12, out=image/rgba/float/40x1:zeros:160, by=-1)
// run: move global=40 (in=image/rg/half_float/40x1:random:80:13, out=image/rgba/unorm_int8/40x1:zeros:160, by=0)
// run: move global=40 (in=image/r/half_float/40x1:random:40:14, out=image/a/unorm_int8/40x1:zeros:40, by=1)
// run: move global=40 (in=image/rgba/float/40x1:random:160:15, out=image/r/half_float/40x1:zeros:40, by=2)
// run: move global=40 (in=image/rg/float/40x1:random:80:16, out=image/rgba/unorm_int_101010_2/40x1:zeros:40, by=-2)
// run: move global=40 (in=image/a/float/40x1:random:40:17, out=image/r/snorm_int8/40x1:zeros:40, by=-1)
// run: move global=40 (in=image/rgb/unorm_short_565/40x1:random:40:18, out=image/rg/half_float/40x1:zeros:80, by=0)
// run: move global=40 (in=image/rgb/unorm_short_555/40x1:random:40:19, out=image/rgbx/unorm_int_101010/40x1:zeros:40, by=1)
// run: move global=40 (in=image/rgbx/unorm_int_101010/40x1:random:40:20, out=image/rg/unorm_int8/40x1:zeros:80, by=2)
// run: move global=40 (in=image/rgba/unorm_int_101010_2/40x1:random:40:21, out=image/rgba/half_float/40x1:zeros:160, by=-2)
// run: move global=40 (in=image/sbgra/unorm_int8/40x1:random:160:22, out=image/rgb/unorm_short_555/40x1:zeros:40, by=-1)
// run: ints global=40 (in=image/rgba/signed_int8/40x1:random:160:41, out=image/rg/signed_int16/40x1:zeros:80)
// run: uints global=40 (in=image/rgba/unsigned_int8/40x1:random:160:51, out=image/rg/unsigned_int16/40x1:zeros:80)
// run: ints global=40 (in=image/rg/signed_int16/40x1:random:80:42, out=image/r/signed_int32/40x1:zeros:40)
// run: uints global=40 (in=image/rg/unsigned_int16/40x1:random:80:52, out=image/r/unsigned_int32/40x1:zeros:40)
// run: ints global=40 (in=image/r/signed_int32/40x1:random:40:43, out=image/rgba/signed_int32/40x1:zeros:160)
// run: uints global=40 (in=image/r/unsigned_int32/40x1:random:40:53, out=image/rgba/unsigned_int32/40x1:zeros:160)
// run: ints global=40 (in=image/rgba/signed_int32/40x1:random:160:44, out=image/bgra/signed_int8/40x1:zeros:160)
// run: uints global=40 (in=image/rgba/unsigned_int32/40x1:random:160:54, out=image/bgra/unsigned_int8/40x1:zeros:160)
// run: ints global=40 (in=image/bgra/signed_int8/40x1:random:160:45, out=image/ra/signed_int8/40x1:zeros:80)
// run: uints global=40 (in=image/bgra/unsigned_int8/40x1:random:160:55, out=image/ra/unsigned_int8/40x1:zeros:80)
// run: ints global=40 (in=image/ra/signed_int8/40x1:random:80:46, out=image/rgba/signed_int8/40x1:zeros:160)
// run: uints global=40 (in=image/ra/unsigned_int8/40x1:random:80:56, out=image/rgba/unsigned_int8/40x1:zeros:160)
// run: looped global=40 (in=image/bgra/unorm_int8/40x1:random:160:71, out=image/rg/unorm_int16/40x1:zeros:80)
// run: looped global=40 (in=image/rg/half_float/40x1:all:0.5:80, out=image/abgr/snorm_int8/40x1:zeros:160)
// run: smooth global=40 (in=image/bgra/unorm_int8/20x2:random:160:61, out=zeros:160)
// run: smooth global=40 (in=image/rgba/unorm_int16/20x2:random:160:62, out=zeros:160)
// run: smooth global=40 (in=image/rgba/half_float/20x2:random:160:63, out=zeros:160)
// run: smooth global=40 (in=image/rg/float/20x2:random:80:64, out=zeros:160)
// run: smooth global=40 (in=image/rgb/unorm_short_565/20x2:random:40:65, out=zeros:160)
// run: smooth global=40 (in=image/sbgra/unorm_int8/20x2:random:160:66, out=zeros:160)
constant sampler_t EDGE = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void move(read_only image2d_t in, write_only image2d_t out, int by) {
  int x = get_global_id(0);
  float4 near = read_imagef(in, EDGE, (int2)(x + by, 0)), far = read_imagef(in, EDGE, (int2)(x * 7 % 40, 0));
  write_imagef(out, (int2)(x, 0), x % 3 ? near : far);
}
// In a loop of the program formats are decoded by a call.
kernel void looped(read_only image2d_t in, write_only image2d_t out) {
  int x = get_global_id(0);
  float4 sum = 0;
  for (int by = -2; by <= 2; by++)
    sum += read_imagef(in, EDGE, (int2)(x + by, 0));
  write_imagef(out, (int2)(x, 0), 0.2f * sum);
}
kernel void ints(read_only image2d_t in, write_only image2d_t out) {
  int x = get_global_id(0);
  write_imagei(out, (int2)(x, 0), read_imagei(in, EDGE, (int2)(x - 1, 0)));
  if (x % 5 == 1)
    write_imagei(out, (int2)(x, 0), read_imagei(in, (int2)(39 - x, 0)));
}
kernel void uints(read_only image2d_t in, write_only image2d_t out) {
  int x = get_global_id(0);
  write_imageui(out, (int2)(x, 0), read_imageui(in, EDGE, (int2)(x + 1, 0)));
  if (x % 5 == 1)
    write_imageui(out, (int2)(x, 0), read_imageui(in, (int2)(39 - x, 0)));
}
kernel void smooth(read_only image2d_t in, global float4 *out) {
  const sampler_t mixing = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
  int x = get_global_id(0);
  out[x] = read_imagef(in, mixing, (float2)(x * 0.07f, 0.3f));
}
