// A product of two matrices by OpenCL, in about a hundred lines: choose a device, build, launch, read, check, and say how fast.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 512 };

static const char *source =
    "kernel void product(global const float *a, global const float *b, global float *c, int n) {\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];\n"
    "  c[y * n + x] = sum;\n"
    "}\n";

// Ends the program where a call has failed.
static void check(cl_int status, const char *call) {
  if (status != CL_SUCCESS) {
    fprintf(stderr, "%s: error %d\n", call, status);
    exit(1);
  }
}

// The first device of any platform.
static cl_device_id first_device(void) {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  check(clGetPlatformIDs(8, platforms, &count), "clGetPlatformIDs");
  for (cl_uint i = 0; i < count && i < 8; i++) {
    cl_device_id device;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) return device;
  }
  fprintf(stderr, "no OpenCL device\n");
  exit(1);
}

// Builds, and shows what the compiler says where it refuses.
static cl_program build(cl_context context, cl_device_id device) {
  cl_int status;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  check(status, "clCreateProgramWithSource");
  status = clBuildProgram(program, 1, &device, "", NULL, NULL);
  if (status != CL_SUCCESS) {
    static char log[16384];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fputs(log, stderr);
  }
  check(status, "clBuildProgram");
  return program;
}

int main(void) {
  static float a[N * N], b[N * N], c[N * N];
  for (int i = 0; i < N * N; i++) a[i] = (float)(i % 7), b[i] = (float)(i % 5) - 2;

  cl_int status;
  char name[128];
  cl_device_id device = first_device();
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, &status);
  check(status, "clCreateCommandQueueWithProperties");
  cl_program program = build(context, device);
  cl_kernel kernel = clCreateKernel(program, "product", &status);
  check(status, "clCreateKernel");

  // The arrays are the buffers: on a CPU nothing is copied.
  cl_mem_flags in = CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, out = CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR;
  cl_mem buffers[3] = {clCreateBuffer(context, in, sizeof a, a, NULL), clCreateBuffer(context, in, sizeof b, b, NULL),
                       clCreateBuffer(context, out, sizeof c, c, NULL)};
  for (cl_uint i = 0; i < 3; i++) check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
  cl_int n = N;
  check(clSetKernelArg(kernel, 3, sizeof n, &n), "clSetKernelArg");

  size_t global[2] = {N, N};
  cl_ulong best = (cl_ulong)-1;
  for (int run = 0; run < 5; run++) {
    cl_event event;
    cl_ulong begin, end;
    check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, &event), "clEnqueueNDRangeKernel");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (end - begin < best) best = end - begin;
    clReleaseEvent(event);
  }

  // To map is to ask for what the kernel has written.
  float *found = clEnqueueMapBuffer(queue, buffers[2], CL_TRUE, CL_MAP_READ, 0, sizeof c, 0, NULL, NULL, &status);
  check(status, "clEnqueueMapBuffer");
  int wrong = 0;
  for (int i = 0; i < N * N; i += 997) {
    float want = 0;
    for (int k = 0; k < N; k++) want += a[i / N * N + k] * b[k * N + i % N];
    wrong += fabsf(found[i] - want) > 1e-3f * N;
  }
  printf("%s: %.1f GFLOP/s, %d wrong\n", name, 2.0 * N * N * N / best, wrong);
  check(clEnqueueUnmapMemObject(queue, buffers[2], found, 0, NULL, NULL), "clEnqueueUnmapMemObject");
  check(clFinish(queue), "clFinish");
  for (int i = 0; i < 3; i++) clReleaseMemObject(buffers[i]);
  clReleaseKernel(kernel), clReleaseProgram(program), clReleaseCommandQueue(queue), clReleaseContext(context);
  return wrong != 0;
}
