/* Programs of several devices: compiled for each, linked for each, for one of them, and for those in the list only. */
#include "client.h"
#include <unistd.h>

int main(void) {
  alarm(120);
  OK(clGetPlatformIDs(1, &platform, NULL));
  cl_device_id devices[4];
  cl_uint count;
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, devices, &count));
  TRUE(count >= 2);
  context = clCreateContext(NULL, count, devices, NULL, NULL, &error);
  OK(error);
  const char *one = "int twice(int x) { return 2 * x; }";
  const char *two = "int twice(int x); kernel void f(global int *x) { x[get_global_id(0)] = twice(get_global_id(0)); }";
  cl_program parts[2];
  parts[0] = clCreateProgramWithSource(context, 1, &one, NULL, &error);
  OK(error);
  parts[1] = clCreateProgramWithSource(context, 1, &two, NULL, &error);
  OK(error);
  for (int i = 0; i < 2; i++) OK(clCompileProgram(parts[i], count, devices, "", 0, NULL, NULL, NULL, NULL));
  for (cl_uint used = 1; used <= count; used++) {
    cl_program linked = clLinkProgram(context, used, devices + count - used, "", 2, parts, NULL, NULL, &error);
    OK(error);
    cl_uint has;
    OK(clGetProgramInfo(linked, CL_PROGRAM_NUM_DEVICES, sizeof has, &has, NULL));
    EQ(has, used);
    for (cl_uint i = count - used; i < count; i++) {
      cl_program_binary_type type;
      OK(clGetProgramBuildInfo(linked, devices[i], CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
      EQ(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
      device = devices[i];
      cl_command_queue q = new_queue(0);
      cl_mem b = new_buffer(64);
      cl_kernel k = clCreateKernel(linked, "f", &error);
      OK(error);
      OK(clSetKernelArg(k, 0, sizeof b, &b));
      size_t items = 16;
      OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
      int back[16];
      OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
      for (int j = 0; j < 16; j++) EQ(back[j], 2 * j);
      OK(clReleaseKernel(k)); OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
    }
    OK(clReleaseProgram(linked));
  }
  /* Devices of which some have only a library, or nothing: no device has what it needs, or all that are named have. */
  cl_program half = clCreateProgramWithSource(context, 1, &one, NULL, &error);
  OK(error);
  OK(clCompileProgram(half, 1, devices, "", 0, NULL, NULL, NULL, NULL));
  cl_program mixed[2] = {half, parts[1]};
  TRUE(!clLinkProgram(context, 1, devices + 1, "", 2, mixed, NULL, NULL, &error));
  EQ(error, CL_INVALID_OPERATION);
  TRUE(!clLinkProgram(context, count, devices, "", 2, mixed, NULL, NULL, &error));
  EQ(error, CL_INVALID_OPERATION);
  cl_program first = clLinkProgram(context, 1, devices, "", 2, mixed, NULL, NULL, &error);
  OK(error);
  OK(clReleaseProgram(first));
  return 0;
}
