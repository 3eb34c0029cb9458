/* Images with mipmaps: made, moved level by level with every command, read and written by kernels, and the errors of wrong uses. */
#include "client.h"
#include <CL/cl_ext.h>
#include <float.h>

static const cl_image_format NUMBERS = {CL_R, CL_UNSIGNED_INT32}, FLOATS = {CL_R, CL_FLOAT};

static const struct {
  cl_mem_object_type type;
  int dimensions, is_array;
} KINDS[] = {{CL_MEM_OBJECT_IMAGE1D, 1, 0}, {CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, 1}, {CL_MEM_OBJECT_IMAGE2D, 2, 0},
             {CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, 1}, {CL_MEM_OBJECT_IMAGE3D, 3, 0}};

enum { WIDTH = 13, HEIGHT = 6, DEPTH = 5, ELEMENTS = 3, LEVELS = 4, MOST = WIDTH * HEIGHT * DEPTH };

static cl_image_desc shape(int kind) {
  return (cl_image_desc){.image_type = KINDS[kind].type, .image_width = WIDTH, .image_height = HEIGHT, .image_depth = DEPTH,
                         .image_array_size = ELEMENTS, .num_mip_levels = LEVELS};
}

static cl_mem new_image(cl_image_format format, cl_image_desc desc) {
  cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
  OK(error);
  return image;
}

static size_t half(size_t size, int level) { return size >> level ? size >> level : 1; }

/* The size of a level, as regions count it; how many pixels it has. */
static size_t level_size(int kind, int level, size_t size[3]) {
  int dimensions = KINDS[kind].dimensions;
  size[0] = half(WIDTH, level);
  size[1] = dimensions > 1 ? half(HEIGHT, level) : KINDS[kind].is_array ? ELEMENTS : 1;
  size[2] = dimensions == 3 ? half(DEPTH, level) : dimensions == 2 && KINDS[kind].is_array ? ELEMENTS : 1;
  return size[0] * size[1] * size[2];
}

/* An origin with a level behind its coordinates. */
static void place(int kind, size_t x, size_t y, size_t z, size_t level, size_t origin[4]) {
  int coordinates = KINDS[kind].dimensions + KINDS[kind].is_array;
  size_t all[4] = {x, coordinates > 1 ? y : 0, coordinates > 2 ? z : 0, 0};
  all[coordinates] = level;
  memcpy(origin, all, sizeof all);
}

static void fill_numbers(cl_uint *to, size_t count, cl_uint from) {
  for (size_t i = 0; i < count; i++) to[i] = from + i;
}

/* Every level holds what was written to it and nothing else, by every command that reaches it. */
static void commands(cl_command_queue q, int kind) {
  static cl_uint values[MOST], back[MOST];
  size_t origin[4], other[4], size[3];
  cl_mem image = new_image(NUMBERS, shape(kind)), target = new_image(NUMBERS, shape(kind)), buffer = new_buffer(4 * MOST);
  cl_uint levels;
  OK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL));
  EQ(levels, LEVELS);
  for (int level = 0; level < LEVELS; level++) {
    size_t count = level_size(kind, level, size);
    fill_numbers(values, count, 1000 * level);
    place(kind, 0, 0, 0, level, origin);
    OK(clEnqueueWriteImage(q, image, CL_TRUE, origin, size, 0, 0, values, 0, NULL, NULL));
  }
  for (int level = 0; level < LEVELS; level++) {
    size_t count = level_size(kind, level, size);
    fill_numbers(values, count, 1000 * level);
    place(kind, 0, 0, 0, level, origin);
    memset(back, 0, sizeof back);
    OK(clEnqueueReadImage(q, image, CL_TRUE, origin, size, 0, 0, back, 0, NULL, NULL));
    EQ(memcmp(back, values, 4 * count), 0);
    /* To a buffer and to another image, by way of another level where that is large enough. */
    OK(clEnqueueCopyImageToBuffer(q, image, buffer, origin, size, 0, 0, NULL, NULL));
    place(kind, 0, 0, 0, level ? level - 1 : 0, other);
    OK(clEnqueueCopyBufferToImage(q, buffer, target, 0, other, size, 0, NULL, NULL));
    EQ(clEnqueueCopyImage(q, target, target, other, origin, size, 0, NULL, NULL), level ? CL_SUCCESS : CL_MEM_COPY_OVERLAP);
    memset(back, 0, sizeof back);
    OK(clEnqueueReadImage(q, target, CL_TRUE, origin, size, 0, 0, back, 0, NULL, NULL));
    EQ(memcmp(back, values, 4 * count), 0);
    /* One pixel, the last one, filled, and seen in the level as it is mapped. */
    cl_uint colour[4] = {77 + level, 0, 0, 0};
    size_t row = 0, slice = 0;
    place(kind, size[0] - 1, size[1] - 1, size[2] - 1, level, other);
    OK(clEnqueueFillImage(q, image, colour, other, (size_t[]){1, 1, 1}, 0, NULL, NULL));
    cl_uint *mapped = clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, size, &row, &slice, 0, NULL, NULL, &error);
    OK(error);
    EQ(row, 4 * size[0]);
    if (KINDS[kind].is_array || KINDS[kind].dimensions == 3)
      EQ(slice, 4 * size[0] * (KINDS[kind].dimensions == 1 ? 1 : size[1]));
    EQ(mapped[count - 1], 77 + level);
    if (count > 1) EQ(mapped[count - 2], values[count - 2]);
    mapped[0] += 5;
    OK(clEnqueueUnmapMemObject(q, image, mapped, 0, NULL, NULL));
    OK(clEnqueueReadImage(q, image, CL_TRUE, origin, (size_t[]){1, 1, 1}, 0, 0, back, 0, NULL, NULL));
    EQ(back[0], (count > 1 ? 1000u * level : 77u + level) + 5);
  }
  /* Mapped for writing alone: the levels beside it stay. */
  size_t row, slice;
  level_size(kind, 1, size);
  place(kind, 0, 0, 0, 1, origin);
  cl_uint *mapped = clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, origin, size, &row, &slice, 0, NULL, NULL, &error);
  OK(error);
  memset(mapped, 0, 4 * size[0]);
  OK(clEnqueueUnmapMemObject(q, image, mapped, 0, NULL, NULL));
  place(kind, 1, 0, 0, 0, origin);
  OK(clEnqueueReadImage(q, image, CL_TRUE, origin, (size_t[]){1, 1, 1}, 0, 0, back, 0, NULL, NULL));
  EQ(back[0], 1);

  /* Outside of a level, and levels that there are not. */
  level_size(kind, 2, size);
  place(kind, 1, 0, 0, 2, origin);
  EQ(clEnqueueReadImage(q, image, CL_TRUE, origin, size, 0, 0, back, 0, NULL, NULL), CL_INVALID_VALUE);
  place(kind, 0, 0, 0, 2, other);
  for (size_t wrong = LEVELS; wrong; wrong = wrong == LEVELS ? (size_t)1 << 32 : 0) {
    place(kind, 0, 0, 0, wrong, origin);
    EQ(clEnqueueReadImage(q, image, CL_TRUE, origin, size, 0, 0, back, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    EQ(clEnqueueWriteImage(q, image, CL_TRUE, origin, size, 0, 0, back, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    EQ(clEnqueueCopyImage(q, image, target, origin, other, size, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    EQ(clEnqueueCopyImage(q, image, target, other, origin, size, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    EQ(clEnqueueCopyImageToBuffer(q, image, buffer, origin, size, 0, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    EQ(clEnqueueCopyBufferToImage(q, buffer, image, 0, origin, size, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    EQ(clEnqueueFillImage(q, image, values, origin, size, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    EQ((intptr_t)clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, origin, size, &row, &slice, 0, NULL, NULL, &error), 0);
    EQ(error, CL_INVALID_MIP_LEVEL);
  }
  OK(clReleaseMemObject(image)); OK(clReleaseMemObject(target)); OK(clReleaseMemObject(buffer));
}

static cl_ulong bits_of(float number) {
  cl_uint bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static cl_sampler new_sampler(cl_filter_mode mip, float low, float high) {
  cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP_TO_EDGE, CL_SAMPLER_MIP_FILTER_MODE_KHR, mip,
                                  CL_SAMPLER_LOD_MIN_KHR, bits_of(low), CL_SAMPLER_LOD_MAX_KHR, bits_of(high), 0};
  cl_sampler sampler = clCreateSamplerWithProperties(context, list, &error);
  OK(error);
  return sampler;
}

static void sampler_is(cl_sampler sampler, cl_filter_mode mip, float low, float high) {
  cl_filter_mode told;
  float limit;
  OK(clGetSamplerInfo(sampler, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof told, &told, NULL));
  EQ(told, mip);
  OK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MIN_KHR, sizeof limit, &limit, NULL));
  TRUE(limit == low);
  OK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof limit, &limit, NULL));
  TRUE(limit == high);
}

/* A kernel makes each level of the one before, another one reads them through samplers of every sort. */
static void kernels(cl_command_queue q) {
  const char *source =
      "constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;"
      "kernel void next(read_write image2d_t image, int level) {"
      "  int2 at = (int2)(get_global_id(0), get_global_id(1));"
      "  float2 size = convert_float2(get_image_dim(image) >> (level - 1)), first = convert_float2(2 * at) + 0.5f;"
      "  float4 sum = 0;"
      "  for (int i = 0; i < 4; i++)"
      "    sum += read_imagef(image, NEAREST, (first + (float2)(i & 1, i >> 1)) / size, (float)(level - 1));"
      "  write_imagef(image, at, level, sum / 4);"
      "}"
      "kernel void look(read_only image2d_t image, sampler_t s, global const float *lods, global float *out) {"
      "  int i = get_global_id(0);"
      "  out[i] = read_imagef(image, s, (float2)(0.1f, 0.1f), lods[i]).x;"
      "}";
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  OK(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL));
  cl_kernel next = clCreateKernel(program, "next", &error);
  OK(error);
  cl_kernel look = clCreateKernel(program, "look", &error);
  OK(error);
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8, .num_mip_levels = 4};
  cl_mem image = clCreateImage(context, CL_MEM_KERNEL_READ_AND_WRITE, &FLOATS, &desc, NULL, &error);
  OK(error);
  float pixels[64], all = 0;
  for (int i = 0; i < 64; i++) pixels[i] = i * i % 37, all += pixels[i];
  OK(clEnqueueWriteImage(q, image, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){8, 8, 1}, 0, 0, pixels, 0, NULL, NULL));
  for (cl_int level = 1; level < 4; level++) {
    OK(clSetKernelArg(next, 0, sizeof image, &image)); OK(clSetKernelArg(next, 1, sizeof level, &level));
    OK(clEnqueueNDRangeKernel(q, next, 2, NULL, (size_t[]){8 >> level, 8 >> level}, NULL, 0, NULL, NULL));
  }
  float levels[4];
  for (size_t level = 0; level < 4; level++)
    OK(clEnqueueReadImage(q, image, CL_TRUE, (size_t[]){0, 0, level}, (size_t[]){1, 1, 1}, 0, 0, &levels[level], 0, NULL, NULL));
  EQ(levels[1] == (pixels[0] + pixels[1] + pixels[8] + pixels[9]) / 4, 1);
  EQ(levels[3] == all / 64, 1);

  enum { READS = 5 };
  float lods[READS] = {0, 0.75f, 1.5f, 3, 100}, found[READS];
  cl_mem in = new_buffer(sizeof lods), out = new_buffer(sizeof found);
  OK(clEnqueueWriteBuffer(q, in, CL_TRUE, 0, sizeof lods, lods, 0, NULL, NULL));
  const struct { cl_filter_mode mip; float low, high; } samplers[] = {
      {CL_FILTER_NEAREST, 0, FLT_MAX}, {CL_FILTER_LINEAR, 0, FLT_MAX}, {CL_FILTER_LINEAR, 0.5f, 2.25f}, {CL_FILTER_NEAREST, 1, 1}};
  for (int i = 0; i < 4; i++) {
    cl_sampler s = new_sampler(samplers[i].mip, samplers[i].low, samplers[i].high);
    sampler_is(s, samplers[i].mip, samplers[i].low, samplers[i].high);
    OK(clSetKernelArg(look, 0, sizeof image, &image)); OK(clSetKernelArg(look, 1, sizeof s, &s));
    OK(clSetKernelArg(look, 2, sizeof in, &in)); OK(clSetKernelArg(look, 3, sizeof out, &out));
    OK(clReleaseSampler(s));
    size_t count = READS;
    OK(clEnqueueNDRangeKernel(q, look, 1, NULL, &count, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (int r = 0; r < READS; r++) {
      float lod = lods[r] < samplers[i].low ? samplers[i].low : lods[r] > samplers[i].high ? samplers[i].high : lods[r];
      lod = lod > 3 ? 3 : lod;
      int floor = (int)lod, second = floor < 3 ? floor + 1 : 3;
      float part = lod - floor, mixed = levels[floor] * (1 - part) + levels[second] * part;
      /* The larger picture of two that are as near. */
      float want = samplers[i].mip == CL_FILTER_LINEAR ? mixed : levels[part > 0.5f ? second : floor];
      TRUE(found[r] > want - 1e-4f && found[r] < want + 1e-4f);
    }
  }
  /* What is not said, and what cannot be. */
  cl_sampler plain = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error);
  OK(error);
  sampler_is(plain, CL_FILTER_NEAREST, 0, FLT_MAX);
  OK(clReleaseSampler(plain));
  cl_sampler_properties filter[] = {CL_SAMPLER_MIP_FILTER_MODE_KHR, CL_ADDRESS_CLAMP, 0},
                        none[] = {CL_SAMPLER_LOD_MIN_KHR, 0x7fc00000, 0}, wide[] = {CL_SAMPLER_LOD_MAX_KHR, (cl_ulong)1 << 32, 0};
  cl_sampler_properties *wrong[] = {filter, none, wide};
  for (int i = 0; i < 3; i++) {
    EQ((intptr_t)clCreateSamplerWithProperties(context, wrong[i], &error), 0);
    EQ(error, CL_INVALID_VALUE);
  }
  OK(clReleaseMemObject(image)); OK(clReleaseMemObject(in)); OK(clReleaseMemObject(out));
  OK(clReleaseKernel(next)); OK(clReleaseKernel(look)); OK(clReleaseProgram(program));
}

static void refused(cl_mem_flags flags, cl_image_format format, cl_image_desc desc, void *host, cl_int want) {
  EQ((intptr_t)clCreateImage(context, flags, &format, &desc, host, &error), 0);
  EQ(error, want);
}

/* Images that cannot be made. */
static void wrong(cl_command_queue q) {
  cl_uint bytes[4 * MOST];
  cl_image_desc plane = shape(2), desc;
  refused(CL_MEM_COPY_HOST_PTR, NUMBERS, plane, bytes, CL_INVALID_HOST_PTR);
  refused(CL_MEM_USE_HOST_PTR, NUMBERS, plane, bytes, CL_INVALID_HOST_PTR);
  refused(0, NUMBERS, plane, bytes, CL_INVALID_HOST_PTR);
  desc = plane, desc.num_mip_levels = 16;
  refused(0, NUMBERS, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  desc = plane, desc.image_row_pitch = 64;
  refused(0, NUMBERS, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  desc = plane, desc.num_samples = 2;
  refused(0, NUMBERS, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  cl_mem buffer = new_buffer(4 * MOST);
  desc = plane, desc.mem_object = buffer;
  refused(0, NUMBERS, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  refused(0, NUMBERS, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  OK(clReleaseMemObject(buffer));

  /* One level is an image without a mipmap, and may have memory of the application's. */
  desc = plane, desc.num_mip_levels = 1;
  cl_mem one = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &NUMBERS, &desc, bytes, &error);
  OK(error);
  cl_uint levels;
  OK(clGetImageInfo(one, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL));
  EQ(levels, 1);
  EQ(clEnqueueReadImage(q, one, CL_TRUE, (size_t[]){0, 0, 1}, (size_t[]){1, 1, 1}, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
  OK(clReleaseMemObject(one));

  /* Depth images have levels too. */
  cl_mem depth = new_image((cl_image_format){CL_DEPTH, CL_FLOAT}, plane);
  float far = 0.5f;
  OK(clEnqueueFillImage(q, depth, &far, (size_t[]){1, 0, 2}, (size_t[]){1, 1, 1}, 0, NULL, NULL));
  OK(clEnqueueReadImage(q, depth, CL_TRUE, (size_t[]){0, 0, 2}, (size_t[]){3, 1, 1}, 0, 0, bytes, 0, NULL, NULL));
  EQ(bytes[0], 0); EQ(bytes[1], 0x3f000000); EQ(bytes[2], 0);
  OK(clReleaseMemObject(depth));

  /* The same pixels with another order of channels: as many levels of them. */
  cl_image_format straight = {CL_RGBA, CL_UNORM_INT8}, other = {CL_BGRA, CL_UNORM_INT8};
  cl_mem whole = new_image(straight, plane);
  desc = plane, desc.mem_object = whole;
  cl_mem view = new_image(other, desc);
  OK(clGetImageInfo(view, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL));
  EQ(levels, LEVELS);
  float colour[4] = {1, 0, 0, 0};
  OK(clEnqueueFillImage(q, whole, colour, (size_t[]){0, 0, 3}, (size_t[]){1, 1, 1}, 0, NULL, NULL));
  OK(clEnqueueReadImage(q, view, CL_TRUE, (size_t[]){0, 0, 3}, (size_t[]){1, 1, 1}, 0, 0, bytes, 0, NULL, NULL));
  EQ(bytes[0], 0xff);
  desc.num_mip_levels = 2;
  refused(0, other, desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
  OK(clReleaseMemObject(view)); OK(clReleaseMemObject(whole));
}

int main(void) {
  open_device();
  reported("cl_khr_mipmap_image");
  reported("cl_khr_mipmap_image_writes");
  cl_command_queue q = new_queue(0);
  for (int kind = 0; kind < 5; kind++) commands(q, kind);
  kernels(q);
  wrong(q);
  OK(clReleaseCommandQueue(q)); OK(clReleaseContext(context));
  return 0;
}
