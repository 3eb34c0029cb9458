/* Images and samplers: made in every way, moved by every command, seen by kernels, and the errors of wrong uses. */
#include "client.h"

static const cl_image_format RGBA8 = {CL_RGBA, CL_UNORM_INT8}, FLOATS = {CL_R, CL_FLOAT};

static cl_mem new_image(cl_mem_flags flags, cl_image_format format, cl_image_desc desc, void *host) {
  cl_mem image = clCreateImage(context, flags, &format, &desc, host, &error);
  OK(error);
  return image;
}

static cl_image_desc plane(size_t width, size_t height) {
  return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
}

#define ORIGIN(x, y, z) (size_t[]){x, y, z}
#define HAS(image, name, type, want)                                             \
  do {                                                                           \
    type told_;                                                                  \
    OK(clGetImageInfo(image, name, sizeof told_, &told_, NULL));                 \
    EQ(told_, want);                                                             \
  } while (0)

/* What the full profile asks of a device with images. */
static void limits(void) {
  static const struct { cl_device_info name; size_t least; } sizes[] = {
      {CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384}, {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384}, {CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048},
      {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048}, {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048}, {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536},
      {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048}};
  static const struct { cl_device_info name; cl_uint least; } counts[] = {
      {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128}, {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64}, {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64},
      {CL_DEVICE_MAX_SAMPLERS, 16}, {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1}, {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1}};
  cl_bool images = CL_FALSE;
  OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
  EQ(images, CL_TRUE);
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size_t told;
    OK(clGetDeviceInfo(device, sizes[i].name, sizeof told, &told, NULL));
    TRUE(told >= sizes[i].least);
  }
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
    cl_uint told;
    OK(clGetDeviceInfo(device, counts[i].name, sizeof told, &told, NULL));
    TRUE(told >= counts[i].least);
  }
}

static int has_format(cl_mem_flags flags, cl_mem_object_type type, cl_channel_order order, cl_channel_type channel) {
  cl_image_format all[256];
  cl_uint count;
  OK(clGetSupportedImageFormats(context, flags, type, 256, all, &count));
  for (cl_uint i = 0; i < count && i < 256; i++)
    if (all[i].image_channel_order == order && all[i].image_channel_data_type == channel) return 1;
  return 0;
}

/* The formats that every device with images has (OpenCL 3.0, tables of 5.3.2 for reading and writing, and for both in one kernel). */
static void formats(void) {
  static const cl_channel_type types[] = {CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16, CL_SIGNED_INT8,
      CL_SIGNED_INT16, CL_SIGNED_INT32, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT};
  static const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA};
  static const cl_mem_flags uses[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_MEM_KERNEL_READ_AND_WRITE};
  for (int u = 0; u < 4; u++)
    for (cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D; type <= CL_MEM_OBJECT_IMAGE1D_BUFFER; type++) {
      for (int o = 0; o < 3; o++)
        for (int t = 0; t < 12; t++) TRUE(has_format(uses[u], type, orders[o], types[t]));
      TRUE(has_format(uses[u], type, CL_BGRA, CL_UNORM_INT8));
    }
  TRUE(has_format(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_sRGBA, CL_UNORM_INT8));
  TRUE(!has_format(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_sRGBA, CL_UNORM_INT8));
  TRUE(has_format(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_DEPTH, CL_UNORM_INT16));
  TRUE(!has_format(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE3D, CL_DEPTH, CL_FLOAT));
  cl_image_format one;
  EQ(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 1, &one, NULL), CL_INVALID_VALUE);
  EQ(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, &one, NULL), CL_INVALID_VALUE);
}

/* Sizes and pitches of every kind, as they are told. */
static void queries(void) {
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 5, .image_height = 3, .image_depth = 2};
  cl_mem volume = new_image(CL_MEM_READ_WRITE, RGBA8, desc, NULL);
  HAS(volume, CL_IMAGE_ELEMENT_SIZE, size_t, 4); HAS(volume, CL_IMAGE_ROW_PITCH, size_t, 20);
  HAS(volume, CL_IMAGE_SLICE_PITCH, size_t, 60); HAS(volume, CL_IMAGE_WIDTH, size_t, 5); HAS(volume, CL_IMAGE_HEIGHT, size_t, 3);
  HAS(volume, CL_IMAGE_DEPTH, size_t, 2); HAS(volume, CL_IMAGE_ARRAY_SIZE, size_t, 0);
  HAS(volume, CL_IMAGE_NUM_MIP_LEVELS, cl_uint, 0); HAS(volume, CL_IMAGE_NUM_SAMPLES, cl_uint, 0);
  HAS(volume, CL_IMAGE_BUFFER, cl_mem, NULL);
  cl_image_format format;
  OK(clGetImageInfo(volume, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
  EQ(format.image_channel_order, CL_RGBA); EQ(format.image_channel_data_type, CL_UNORM_INT8);
  EQ(clGetImageInfo(volume, CL_IMAGE_WIDTH, 4, &format, NULL), CL_INVALID_VALUE);
  EQ(clGetImageInfo(volume, CL_MEM_SIZE, sizeof format, &format, NULL), CL_INVALID_VALUE);
  cl_mem_object_type type;
  size_t size;
  OK(clGetMemObjectInfo(volume, CL_MEM_TYPE, sizeof type, &type, NULL));
  EQ(type, CL_MEM_OBJECT_IMAGE3D);
  OK(clGetMemObjectInfo(volume, CL_MEM_SIZE, sizeof size, &size, NULL));
  EQ(size, 120);
  OK(clReleaseMemObject(volume));
  desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 7, .image_array_size = 3};
  cl_mem rows = new_image(CL_MEM_READ_WRITE, FLOATS, desc, NULL);
  HAS(rows, CL_IMAGE_HEIGHT, size_t, 0); HAS(rows, CL_IMAGE_ARRAY_SIZE, size_t, 3); HAS(rows, CL_IMAGE_SLICE_PITCH, size_t, 28);
  OK(clReleaseMemObject(rows));
  cl_mem old = clCreateImage2D(context, CL_MEM_READ_ONLY, &RGBA8, 4, 2, 0, NULL, &error);
  OK(error);
  HAS(old, CL_IMAGE_HEIGHT, size_t, 2); HAS(old, CL_IMAGE_SLICE_PITCH, size_t, 0);
  OK(clReleaseMemObject(old));
  old = clCreateImage3D(context, CL_MEM_READ_ONLY, &RGBA8, 4, 2, 3, 0, 0, NULL, &error);
  OK(error);
  HAS(old, CL_IMAGE_DEPTH, size_t, 3);
  OK(clReleaseMemObject(old));
}

/* Regions written, read, copied, filled and mapped, with pitches of the host's, in a volume and an array of rows. */
static void commands(cl_command_queue q) {
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 3, .image_depth = 2};
  cl_mem volume = new_image(CL_MEM_READ_WRITE, FLOATS, desc, NULL);
  float values[24], back[64];
  for (int i = 0; i < 24; i++) values[i] = i;
  OK(clEnqueueWriteImage(q, volume, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(4, 3, 2), 0, 0, values, 0, NULL, NULL));
  /* Two by two by two from the middle, into rows of three and slices of seven floats. */
  memset(back, 0, sizeof back);
  OK(clEnqueueReadImage(q, volume, CL_TRUE, ORIGIN(1, 1, 0), ORIGIN(2, 2, 2), 12, 28, back, 0, NULL, NULL));
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 2; y++)
      for (int x = 0; x < 2; x++) EQ(back[7 * z + 3 * y + x], 12 * z + 4 * (y + 1) + x + 1);
  EQ(back[2], 0);
  /* Copies: within the image, to a buffer and back. */
  OK(clEnqueueCopyImage(q, volume, volume, ORIGIN(0, 0, 0), ORIGIN(2, 0, 1), ORIGIN(2, 3, 1), 0, NULL, NULL));
  cl_mem buffer = new_buffer(64);
  OK(clEnqueueCopyImageToBuffer(q, volume, buffer, ORIGIN(1, 0, 1), ORIGIN(3, 2, 1), 8, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, buffer, CL_TRUE, 8, 24, back, 0, NULL, NULL));
  static const float copied[] = {13, 0, 1, 17, 4, 5};
  EQ(memcmp(back, copied, sizeof copied), 0);
  OK(clEnqueueCopyBufferToImage(q, buffer, volume, 8, ORIGIN(0, 2, 0), ORIGIN(3, 1, 2), 0, NULL, NULL));
  OK(clEnqueueReadImage(q, volume, CL_TRUE, ORIGIN(0, 2, 1), ORIGIN(4, 1, 1), 0, 0, back, 0, NULL, NULL));
  EQ(back[0], 17); EQ(back[1], 4); EQ(back[2], 5);
  /* Fill, and map what was filled. */
  cl_float colour[4] = {7, 8, 9, 10};
  OK(clEnqueueFillImage(q, volume, colour, ORIGIN(1, 0, 0), ORIGIN(2, 2, 2), 0, NULL, NULL));
  size_t row = 0, slice = 0;
  float *mapped = clEnqueueMapImage(q, volume, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, ORIGIN(1, 0, 0), ORIGIN(3, 2, 2), &row, &slice, 0,
                                    NULL, NULL, &error);
  OK(error);
  EQ(row, 16); EQ(slice, 48);
  EQ(mapped[0], 7); EQ(mapped[1], 7); EQ(mapped[2], 3); EQ(mapped[slice / 4 + row / 4], 7);
  mapped[slice / 4] = -1;
  OK(clEnqueueUnmapMemObject(q, volume, mapped, 0, NULL, NULL));
  OK(clEnqueueReadImage(q, volume, CL_TRUE, ORIGIN(0, 0, 1), ORIGIN(4, 1, 1), 0, 0, back, 0, NULL, NULL));
  EQ(back[0], 12); EQ(back[1], -1); EQ(back[2], 7);
  OK(clEnqueueMigrateMemObjects(q, 1, &volume, 0, 0, NULL, NULL));
  OK(clReleaseMemObject(volume)); OK(clReleaseMemObject(buffer));

  desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 3, .image_array_size = 4};
  cl_mem rows = new_image(CL_MEM_READ_WRITE, FLOATS, desc, NULL);
  OK(clEnqueueWriteImage(q, rows, CL_TRUE, ORIGIN(0, 1, 0), ORIGIN(3, 2, 1), 0, 16, values, 0, NULL, NULL));
  OK(clEnqueueReadImage(q, rows, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(3, 4, 1), 0, 0, back, 0, NULL, NULL));
  static const float written[] = {0, 0, 0, 0, 1, 2, 4, 5, 6, 0, 0, 0};
  EQ(memcmp(back, written, sizeof written), 0);
  OK(clReleaseMemObject(rows));
  cl_event done;
  cl_command_type command;
  cl_mem depth = new_image(CL_MEM_READ_WRITE, (cl_image_format){CL_DEPTH, CL_UNORM_INT16}, plane(2, 1), NULL);
  cl_float half = 0.5f;
  OK(clEnqueueFillImage(q, depth, &half, ORIGIN(1, 0, 0), ORIGIN(1, 1, 1), 0, NULL, &done));
  cl_ushort depths[2];
  OK(clEnqueueReadImage(q, depth, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(2, 1, 1), 0, 0, depths, 0, NULL, NULL));
  EQ(depths[0], 0); EQ(depths[1], 32768);
  OK(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof command, &command, NULL));
  EQ(command, CL_COMMAND_FILL_IMAGE);
  OK(clReleaseEvent(done)); OK(clReleaseMemObject(depth));
}

/* Images over the application's memory, copies of it, over buffers and over images. */
static void memories(cl_command_queue q) {
  _Alignas(64) static cl_uchar rows[3][24];
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 24; x++) rows[y][x] = 24 * y + x;
  cl_image_desc desc = plane(4, 3);
  desc.image_row_pitch = 24;
  cl_uchar back[64];
  cl_mem copied = new_image(CL_MEM_COPY_HOST_PTR, RGBA8, desc, rows);
  HAS(copied, CL_IMAGE_ROW_PITCH, size_t, 16);
  OK(clEnqueueReadImage(q, copied, CL_TRUE, ORIGIN(1, 2, 0), ORIGIN(2, 1, 1), 0, 0, back, 0, NULL, NULL));
  EQ(back[0], 52); EQ(back[7], 59);
  cl_mem used = new_image(CL_MEM_USE_HOST_PTR, RGBA8, desc, rows);
  HAS(used, CL_IMAGE_ROW_PITCH, size_t, 24);
  cl_float white[4] = {1, 1, 1, 1};
  OK(clEnqueueFillImage(q, used, white, ORIGIN(0, 0, 0), ORIGIN(4, 3, 1), 0, NULL, NULL));
  size_t row;
  cl_uchar *mapped = clEnqueueMapImage(q, used, CL_TRUE, CL_MAP_READ, ORIGIN(1, 1, 0), ORIGIN(2, 2, 1), &row, NULL, 0, NULL, NULL, &error);
  OK(error);
  EQ((intptr_t)mapped, (intptr_t)&rows[1][4]);
  EQ(row, 24); EQ(rows[2][11], 255); EQ(rows[2][16], 64);
  OK(clEnqueueUnmapMemObject(q, used, mapped, 0, NULL, NULL));
  OK(clReleaseMemObject(used)); OK(clReleaseMemObject(copied));

  reported("cl_khr_image2d_from_buffer");
  cl_mem buffer = new_buffer(256);
  cl_uint bits[64];
  for (int i = 0; i < 64; i++) bits[i] = i;
  OK(clEnqueueWriteBuffer(q, buffer, CL_TRUE, 0, sizeof bits, bits, 0, NULL, NULL));
  desc = plane(5, 4);
  desc.image_row_pitch = 32, desc.mem_object = buffer;
  cl_mem view = new_image(0, (cl_image_format){CL_R, CL_UNSIGNED_INT32}, desc, NULL);
  cl_mem parent;
  OK(clGetImageInfo(view, CL_IMAGE_BUFFER, sizeof parent, &parent, NULL));
  EQ((intptr_t)parent, (intptr_t)buffer);
  OK(clGetMemObjectInfo(view, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
  EQ((intptr_t)parent, (intptr_t)buffer);
  OK(clEnqueueReadImage(q, view, CL_TRUE, ORIGIN(4, 3, 0), ORIGIN(1, 1, 1), 0, 0, back, 0, NULL, NULL));
  EQ(back[0], 28);
  desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .mem_object = buffer};
  cl_mem line = new_image(CL_MEM_READ_ONLY, (cl_image_format){CL_R, CL_UNSIGNED_INT32}, desc, NULL);
  OK(clReleaseMemObject(buffer));
  OK(clEnqueueReadImage(q, line, CL_TRUE, ORIGIN(60, 0, 0), ORIGIN(4, 1, 1), 0, 0, back, 0, NULL, NULL));
  EQ(back[0], 60); EQ(back[12], 63);
  OK(clReleaseMemObject(line)); OK(clReleaseMemObject(view));

  cl_mem whole = new_image(CL_MEM_READ_WRITE, RGBA8, plane(2, 2), NULL);
  desc = plane(2, 2), desc.mem_object = whole;
  cl_mem other = new_image(CL_MEM_READ_ONLY, (cl_image_format){CL_sRGBA, CL_UNORM_INT8}, desc, NULL);
  OK(clReleaseMemObject(whole));
  OK(clEnqueueReadImage(q, other, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(2, 2, 1), 0, 0, back, 0, NULL, NULL));
  EQ(back[3], 0);
  OK(clReleaseMemObject(other));
}

/* A kernel that turns a picture and interpolates, and one that works in place, with samplers from both ways of making them. */
static void kernels(cl_command_queue q) {
  cl_program program = new_program(
      "kernel void turn(read_only image2d_t in, write_only image2d_t out, sampler_t s) {"
      "  int2 at = (int2)(get_global_id(0), get_global_id(1));"
      "  write_imagef(out, at, read_imagef(in, s, (float2)(at.y + 0.5f, at.x + 0.5f)));"
      "}"
      "kernel void middle(read_only image2d_t in, sampler_t s, global float *out) { *out = read_imagef(in, s, (float2)(0.5f)).y; }");
  cl_kernel turn = clCreateKernel(program, "turn", &error);
  OK(error);
  cl_kernel middle = clCreateKernel(program, "middle", &error);
  OK(error);
  enum { W = 61, H = 37 };
  static cl_uchar picture[H][W][4], turned[W][H][4];
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int c = 0; c < 4; c++) picture[y][x][c] = x * 3 + y * 5 + c * 7;
  cl_mem in = new_image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, RGBA8, plane(W, H), picture);
  cl_mem out = new_image(CL_MEM_WRITE_ONLY, (cl_image_format){CL_BGRA, CL_UNORM_INT8}, plane(H, W), NULL);
  cl_sampler s = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
  OK(error);
  OK(clSetKernelArg(turn, 0, sizeof in, &in)); OK(clSetKernelArg(turn, 1, sizeof out, &out)); OK(clSetKernelArg(turn, 2, sizeof s, &s));
  OK(clReleaseSampler(s));
  for (int i = 0; i < 3; i++) OK(clEnqueueNDRangeKernel(q, turn, 2, NULL, ORIGIN(H, W, 1), NULL, 0, NULL, NULL));
  OK(clEnqueueReadImage(q, out, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(H, W, 1), 0, 0, turned, 0, NULL, NULL));
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int c = 0; c < 4; c++) EQ(turned[x][y][c], picture[y][x][c == 3 ? 3 : 2 - c]);
  cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, 0}, told[8];
  size_t size;
  s = clCreateSamplerWithProperties(context, list, &error);
  OK(error);
  OK(clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, sizeof told, told, &size));
  EQ(size, sizeof list);
  EQ(memcmp(told, list, size), 0);
  cl_uint mode;
  OK(clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL));
  EQ(mode, CL_ADDRESS_REPEAT);
  OK(clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, sizeof mode, &mode, NULL));
  EQ(mode, CL_FILTER_LINEAR);
  OK(clGetSamplerInfo(s, CL_SAMPLER_NORMALIZED_COORDS, sizeof mode, &mode, NULL));
  EQ(mode, CL_TRUE);
  OK(clGetSamplerInfo(s, CL_SAMPLER_REFERENCE_COUNT, sizeof mode, &mode, NULL));
  EQ(mode, 1);
  cl_uchar four[2][2][4] = {{{0, 10}, {0, 20}}, {{0, 30}, {0, 40}}};
  cl_mem small = new_image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, RGBA8, plane(2, 2), four), result = new_buffer(4);
  OK(clSetKernelArg(middle, 0, sizeof small, &small)); OK(clSetKernelArg(middle, 1, sizeof s, &s));
  OK(clSetKernelArg(middle, 2, sizeof result, &result));
  OK(clEnqueueNDRangeKernel(q, middle, 1, NULL, ORIGIN(1, 1, 1), NULL, 0, NULL, NULL));
  float value;
  OK(clEnqueueReadBuffer(q, result, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
  TRUE(value > 0.0980f && value < 0.0981f);

  /* What arguments may not be. */
  cl_mem buffer = new_buffer(64), volume = new_image(CL_MEM_READ_ONLY, RGBA8,
      (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_height = 1, .image_depth = 1}, NULL);
  EQ(clSetKernelArg(turn, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
  EQ(clSetKernelArg(turn, 0, 4, &in), CL_INVALID_ARG_SIZE);
  EQ(clSetKernelArg(turn, 0, sizeof in, NULL), CL_INVALID_ARG_VALUE);
  EQ(clSetKernelArg(turn, 0, sizeof out, &out), CL_INVALID_ARG_VALUE);
  EQ(clSetKernelArg(turn, 1, sizeof in, &in), CL_INVALID_ARG_VALUE);
  EQ(clSetKernelArg(turn, 0, sizeof volume, &volume), CL_INVALID_ARG_VALUE);
  EQ(clSetKernelArg(turn, 2, sizeof in, &in), CL_INVALID_SAMPLER);
  EQ(clSetKernelArg(turn, 2, sizeof in, NULL), CL_INVALID_SAMPLER);
  EQ(clSetKernelArg(turn, 2, 4, &s), CL_INVALID_ARG_SIZE);
  EQ(clSetKernelArg(middle, 2, sizeof in, &in), CL_INVALID_MEM_OBJECT);
  OK(clReleaseSampler(s));
  EQ(clReleaseSampler(s), CL_INVALID_SAMPLER);
  OK(clReleaseMemObject(buffer)); OK(clReleaseMemObject(volume)); OK(clReleaseMemObject(small)); OK(clReleaseMemObject(result));
  OK(clReleaseMemObject(in)); OK(clReleaseMemObject(out));
  OK(clReleaseKernel(turn)); OK(clReleaseKernel(middle)); OK(clReleaseProgram(program));
}

#define REFUSED(flags, format, desc, host, want)                              \
  do {                                                                        \
    cl_image_desc desc_ = desc;                                               \
    EQ((intptr_t)clCreateImage(context, flags, format, &desc_, host, &error), 0); \
    EQ(error, want);                                                          \
  } while (0)

/* Wrong uses, each with the error that the specification has for it. */
static void wrong(cl_command_queue q) {
  cl_uchar bytes[256];
  cl_image_format unknown = {CL_RGBA, 77}, odd = {77, CL_FLOAT}, unfit = {CL_RGB, CL_FLOAT}, srgb = {CL_sRGBA, CL_UNORM_INT8};
  cl_image_desc none = plane(4, 4), desc;
  REFUSED(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &RGBA8, none, NULL, CL_INVALID_VALUE);
  REFUSED(0, NULL, none, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  REFUSED(0, &unknown, none, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  REFUSED(0, &odd, none, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  REFUSED(0, &unfit, none, NULL, CL_IMAGE_FORMAT_NOT_SUPPORTED);
  REFUSED(CL_MEM_WRITE_ONLY, &srgb, none, NULL, CL_IMAGE_FORMAT_NOT_SUPPORTED);
  EQ((intptr_t)clCreateImage(context, 0, &RGBA8, NULL, NULL, &error), 0);
  EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
  REFUSED(0, &RGBA8, plane(0, 4), NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  REFUSED(0, &RGBA8, plane(4, 1 << 20), NULL, CL_INVALID_IMAGE_SIZE);
  desc = none, desc.image_type = CL_MEM_OBJECT_BUFFER;
  REFUSED(0, &RGBA8, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  desc = none, desc.image_row_pitch = 16;
  REFUSED(0, &RGBA8, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  desc.image_row_pitch = 15;
  REFUSED(CL_MEM_COPY_HOST_PTR, &RGBA8, desc, bytes, CL_INVALID_IMAGE_DESCRIPTOR);
  REFUSED(CL_MEM_COPY_HOST_PTR, &RGBA8, none, NULL, CL_INVALID_HOST_PTR);
  REFUSED(0, &RGBA8, none, bytes, CL_INVALID_HOST_PTR);
  cl_mem buffer = new_buffer(32);
  desc = plane(4, 4), desc.mem_object = buffer;
  REFUSED(0, &RGBA8, desc, NULL, CL_INVALID_IMAGE_SIZE);
  desc.image_type = CL_MEM_OBJECT_IMAGE3D, desc.image_depth = 1;
  REFUSED(0, &RGBA8, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4};
  REFUSED(0, &RGBA8, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);

  cl_mem image = new_image(CL_MEM_HOST_READ_ONLY, RGBA8, plane(4, 4), NULL), floats = new_image(0, FLOATS, plane(4, 4), NULL);
  EQ(clEnqueueReadImage(q, buffer, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(1, 1, 1), 0, 0, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
  EQ(clEnqueueReadBuffer(q, image, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
  EQ(clEnqueueWriteImage(q, image, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(1, 1, 1), 0, 0, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
  EQ(clEnqueueReadImage(q, image, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(1, 1, 1), 0, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueReadImage(q, image, CL_TRUE, NULL, ORIGIN(1, 1, 1), 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueReadImage(q, image, CL_TRUE, ORIGIN(3, 0, 0), ORIGIN(2, 1, 1), 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueReadImage(q, image, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(1, 1, 2), 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueReadImage(q, image, CL_TRUE, ORIGIN(0, 0, 0), ORIGIN(4, 2, 1), 15, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueCopyImage(q, image, floats, ORIGIN(0, 0, 0), ORIGIN(0, 0, 0), ORIGIN(1, 1, 1), 0, NULL, NULL), CL_IMAGE_FORMAT_MISMATCH);
  EQ(clEnqueueCopyImage(q, image, image, ORIGIN(0, 0, 0), ORIGIN(1, 1, 0), ORIGIN(2, 2, 1), 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  EQ(clEnqueueCopyImageToBuffer(q, image, buffer, ORIGIN(0, 0, 0), ORIGIN(4, 4, 1), 0, 0, NULL, NULL), CL_INVALID_VALUE);
  EQ(clEnqueueCopyBufferToImage(q, image, floats, 0, ORIGIN(0, 0, 0), ORIGIN(1, 1, 1), 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
  EQ(clEnqueueFillImage(q, image, NULL, ORIGIN(0, 0, 0), ORIGIN(1, 1, 1), 0, NULL, NULL), CL_INVALID_VALUE);
  EQ((intptr_t)clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, ORIGIN(0, 0, 0), ORIGIN(1, 1, 1), NULL, NULL, 0, NULL, NULL, &error), 0);
  EQ(error, CL_INVALID_VALUE);
  cl_buffer_region region = {0, 4};
  EQ((intptr_t)clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error), 0);
  EQ(error, CL_INVALID_MEM_OBJECT);
  EQ(clGetImageInfo(buffer, CL_IMAGE_WIDTH, 8, bytes, NULL), CL_INVALID_MEM_OBJECT);
  EQ((intptr_t)clCreateSampler(context, 2, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error), 0);
  EQ(error, CL_INVALID_VALUE);
  EQ((intptr_t)clCreateSampler(context, CL_TRUE, 7, CL_FILTER_NEAREST, &error), 0);
  EQ(error, CL_INVALID_VALUE);
  cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  EQ((intptr_t)clCreateSamplerWithProperties(context, twice, &error), 0);
  EQ(error, CL_INVALID_VALUE);
  OK(clReleaseMemObject(image)); OK(clReleaseMemObject(floats)); OK(clReleaseMemObject(buffer));
}

int main(void) {
  open_device();
  cl_command_queue q = new_queue(0);
  limits();
  formats();
  queries();
  commands(q);
  memories(q);
  kernels(q);
  wrong(q);
  OK(clReleaseCommandQueue(q)); OK(clReleaseContext(context));
  return 0;
}
