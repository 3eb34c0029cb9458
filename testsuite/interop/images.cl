// Images of three formats and a sampler: what is read of them, turned, and what they say of themselves.
kernel void turn(read_only image2d_t in, write_only image2d_t out, sampler_t sampler, read_only image2d_t other,
                 read_only image2d_t counts, global float *said) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, sampler, (float2)(at.y + 0.5f, at.x + 0.5f)));
  if (at.x == 0 && at.y == 0) {
    said[0] = get_image_width(in);
    said[1] = get_image_height(in);
    said[2] = get_image_channel_order(in);
    said[3] = get_image_channel_data_type(counts);
    said[4] = read_imagef(in, sampler, (float2)(-5.0f, 0.0f)).w;
    said[5] = read_imagef(other, sampler, (int2)(1, 1)).x;
    said[6] = read_imageui(counts, sampler, (int2)(2, 1)).x;
  }
}
