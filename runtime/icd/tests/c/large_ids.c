/* Launches with global ids of 2^31 and more: of a program as it was built, and of its binary. */
#include "client.h"
#include <unistd.h>

static const char *source =
    "kernel void cut(global long *out) {\n"
    "  int i = get_global_id(0);\n"
    "  local int shared[4];\n"
    "  shared[get_local_id(0)] = i;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0) - get_global_offset(0)] = shared[get_local_id(0) ^ 1];\n"
    "}\n";

static void launch(cl_program program, cl_command_queue q, cl_mem out, size_t offset) {
  size_t global = 8, local = 4;
  int64_t found[8];
  cl_kernel kernel = clCreateKernel(program, "cut", &error);
  OK(error);
  OK(clSetKernelArg(kernel, 0, sizeof out, &out));
  OK(clEnqueueNDRangeKernel(q, kernel, 1, &offset, &global, &local, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
  for (size_t i = 0; i < 8; i++)
    EQ(found[i], (int32_t)(offset + (i ^ 1)));
  OK(clReleaseKernel(kernel));
}

int main(void) {
  size_t edge = (size_t)1 << 31, offsets[] = {0, edge - 2, edge, 2 * edge - 3, (size_t)1 << 40};
  alarm(300);
  open_device();
  cl_command_queue q = new_queue(0);
  cl_mem out = new_buffer(64);
  cl_program program = new_program(source);
  for (int i = 0; i < 5; i++)
    launch(program, q, out, offsets[i]);
  cl_program again = binary_of(program);
  OK(clBuildProgram(again, 1, &device, "", NULL, NULL));
  for (int i = 4; i >= 0; i--)
    launch(again, q, out, offsets[i]);
  OK(clReleaseProgram(again));
  OK(clReleaseProgram(program));
  OK(clReleaseMemObject(out));
  OK(clReleaseCommandQueue(q));
  OK(clReleaseContext(context));
  return 0;
}
