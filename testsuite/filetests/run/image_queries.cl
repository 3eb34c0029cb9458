// What kernels ask of images: sizes, format, elements.
// test: run
// bits: 64
// options: -cl-std=CL3.0
// run: ask global=1 (plane=image/rgba/unorm_int8/3x2:zeros:24, row=image/r/float/5:zeros:5, rows=image/rg/half_float/2x4:zeros:16, planes=image/r/signed_int8/2x3x4:zeros:24, volume=image/r/unsigned_int32/2x3x5:zeros:30, cells=image/a/unorm_int16/7:zeros:7, depth=image/depth/float/2x1:zeros:2, out=zeros:24) -> out=[3,2,3,2,4277,4306,5,2,4,2,3,4,2,3,5,2,3,5,0,7,4273,4307,2,4285]
kernel void ask(read_only image2d_t plane, write_only image1d_t row, read_only image1d_array_t rows,
                read_write image2d_array_t planes, write_only image3d_t volume, read_only image1d_buffer_t cells,
                read_only image2d_depth_t depth, global int *out) {
  out[0] = get_image_width(plane);
  out[1] = get_image_height(plane);
  vstore2(get_image_dim(plane), 0, out + 2);
  out[4] = get_image_channel_order(plane);
  out[5] = get_image_channel_data_type(plane);
  out[6] = get_image_width(row);
  out[7] = get_image_width(rows);
  out[8] = get_image_array_size(rows);
  vstore2(get_image_dim(planes), 0, out + 9);
  out[11] = get_image_array_size(planes);
  out[12] = get_image_width(volume);
  out[13] = get_image_height(volume);
  out[14] = get_image_depth(volume);
  vstore4(get_image_dim(volume), 0, out + 15);
  out[19] = get_image_width(cells);
  out[20] = get_image_channel_order(cells);
  out[21] = get_image_channel_data_type(cells);
  out[22] = get_image_width(depth);
  out[23] = get_image_channel_order(depth);
}
