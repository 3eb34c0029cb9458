/* Launches that leave a buffer, where that can be told before they run: by a read, a write, the work-items at the end, and
   further than the buffer's memory goes. What becomes of them is what OXCL_BOUNDS says; the context's function is told once
   of each. */
#include "client.h"
#include <stdatomic.h>
#include <unistd.h>

static atomic_int told;

/* Called on a thread of the library's. */
static void CL_CALLBACK listen(const char *text, const void *info, size_t size, void *data) {
  TRUE(strstr(text, (const char *)data) != NULL);
  told++;
}

/* That it is told so often, and not once more a little later. */
static void expect_told(int want) {
  for (int i = 0; i < 10000 && told < want; i++) usleep(1000);
  usleep(20000);
  EQ(told, want);
}

enum { COUNT = 1000 };
static cl_command_queue queue;
static cl_program program;

static cl_int launch(const char *name, cl_mem in, cl_mem out, size_t offset, size_t items) {
  cl_kernel kernel = clCreateKernel(program, name, &error);
  OK(error);
  OK(clSetKernelArg(kernel, 0, sizeof in, &in));
  OK(clSetKernelArg(kernel, 1, sizeof out, &out));
  cl_int outcome = clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &items, NULL, 0, NULL, NULL);
  OK(clFinish(queue));
  OK(clReleaseKernel(kernel));
  return outcome;
}

int main(void) {
  const char *value = getenv("OXCL_BOUNDS");
  int refuses = value && !strcmp(value, "error"), ignores = value && !strcmp(value, "off");
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, listen, (void *)"of kernel '", &error);
  OK(error);
  queue = new_queue(0);
  program = new_program(
      "kernel void reads(global const int *in, global int *out) { size_t i = get_global_id(0); out[i] = in[i + 1]; }"
      "kernel void writes(global const int *in, global int *out) { size_t i = get_global_id(0); out[i + 1] = in[i]; }"
      "kernel void tail(global const int *in, global int *out) { size_t i = get_global_id(0); out[i] = 7; }"
      "kernel void before(global const int *in, global int *out) { size_t i = get_global_id(0); out[i] = in[i - 1]; }"
      "kernel void far(global const int *in, global int *out) { size_t i = get_global_id(0); out[i] = in[i + 4000]; }"
      "kernel void inside(global const int *in, global int *out) { size_t i = get_global_id(0); out[i] = in[i]; }");
  int values[COUNT];
  for (int i = 0; i < COUNT; i++) values[i] = i;
  cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
  OK(error);
  cl_mem out = new_buffer(sizeof values);

  /* A few bytes too many. */
  const char *few[3] = {"reads", "writes", "tail"};
  for (int kind = 0; kind < 3; kind++) {
    size_t items = kind == 2 ? COUNT + 24 : COUNT;
    told = 0;
    for (int turn = 0; turn < 2; turn++) EQ(launch(few[kind], in, out, 0, items), refuses ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
    expect_told(!ignores);
    if (refuses) continue;
    int got[COUNT];
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < COUNT - 1; i++) EQ(got[i + (kind == 1)], kind == 2 ? 7 : kind == 1 ? i : i + 1);
  }

  /* Further than the memory goes, to one side or the other: nobody runs that who looks. */
  if (!ignores) {
    told = 0;
    EQ(launch("far", in, out, 0, COUNT), CL_OUT_OF_RESOURCES);
    EQ(launch("before", in, out, 0, COUNT), CL_OUT_OF_RESOURCES);
    EQ(launch("tail", in, out, 0, 4 * COUNT), CL_OUT_OF_RESOURCES);
    /* The third is an access that was told of before. */
    expect_told(2);
  }

  /* A part of a buffer has the rest of it around. */
  cl_buffer_region region = {2048, 1024};
  cl_mem part = clCreateSubBuffer(in, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  OK(error);
  OK(clReleaseProgram(program));
  program = new_program(
      "kernel void around(global const int *in, global int *out) { size_t i = get_global_id(0); out[i] = in[i - 300]; }");
  told = 0;
  EQ(launch("around", part, out, 0, 500), refuses ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
  expect_told(!ignores);
  if (!refuses) {
    int got[500];
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 500; i++) EQ(got[i], i + 212);
  }

  /* Memory of the program's ends where it says, and what stays inside is nobody's business. */
  told = 0;
  cl_mem own = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 1024, values, &error);
  OK(error);
  if (!ignores) EQ(launch("around", own, out, 300, 300), CL_OUT_OF_RESOURCES);
  expect_told(0);
  OK(clReleaseProgram(program));
  program = new_program("kernel void inside(global const int *in, global int *out) { size_t i = get_global_id(0); out[i] = in[i]; }");
  told = 0;
  EQ(launch("inside", own, out, 0, 256), CL_SUCCESS);
  expect_told(0);
  return 0;
}
