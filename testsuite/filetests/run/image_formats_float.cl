// Formats that are read as floats, in each the lowest, highest and one more value.
// test: run
// bits: 64
// ulp: 1
// run: read global=3 (in=image/rgba/unorm_int8/3x1[0,51,102,153,204,255,1,2,3,4,5,6], out=zeros:12) -> out=[0,0.2,0.4,0.6,0.8,1,0.003921569,0.007843138,0.011764707,0.015686275,0.019607844,0.023529414]
// run: read global=1 (in=image/rgba/snorm_int8/1x1[-128,-127,127,0], out=zeros:4) -> out=[-1,-1,1,0]
// run: read global=1 (in=image/rg/unorm_int16/1x1[65535,13107], out=zeros:4) -> out=[1,0.2,0,1]
// run: read global=1 (in=image/ra/snorm_int16/1x1[-32768,32767], out=zeros:4) -> out=[-1,0,0,1]
// run: read global=1 (in=image/rgba/half_float/1x1[1.5,-65504,0.000000059604645,0.25], out=zeros:4) -> out=[1.5,-65504,0.000000059604645,0.25]
// run: read global=1 (in=image/abgr/unorm_int8/1x1[255,51,0,102], out=zeros:4) -> out=[0.4,0,0.2,1]
// run: read global=1 (in=image/argb/snorm_int8/1x1[127,-127,0,-128], out=zeros:4) -> out=[-1,0,-1,1]
// run: read global=1 (in=image/intensity/float/1x1[7], out=zeros:4) -> out=[7,7,7,7]
// run: read global=1 (in=image/luminance/half_float/1x1[3], out=zeros:4) -> out=[3,3,3,1]
// run: read global=1 (in=image/r/float/1x1[9], out=zeros:4) -> out=[9,0,0,1]
// run: read global=2 (in=image/rgb/unorm_short_565/2x1[63488,2047], out=zeros:8) -> out=[1,0,0,1,0,1,1,1]
// run: read global=1 (in=image/rgb/unorm_short_555/1x1[31775], out=zeros:4) -> out=[1,0,1,1]
// run: read global=1 (in=image/rgbx/unorm_int_101010/1x1[1072693248], out=zeros:4) -> out=[1,0,0,1]
// run: read global=1 (in=image/rgba/unorm_int_101010_2/1x1[4290772993], out=zeros:4) -> out=[1,0,0,0.33333334]
// run: read global=2 (in=image/srgba/unorm_int8/2x1[255,0,10,51,128,188,1,255], out=zeros:8) -> out=[1,0,0.00303527,0.2,0.2158605,0.50288653,0.000303527,1]
// run: read global=1 (in=image/sbgra/unorm_int8/1x1[255,0,188,255], out=zeros:4) -> out=[0.50288653,0,1,1]
kernel void read(read_only image2d_t in, global float4 *out) {
  const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
  int x = get_global_id(0);
  out[x] = read_imagef(in, sampler, (int2)(x, 0));
}
