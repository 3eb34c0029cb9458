/* One of many processes that start at once with one cache: builds a program that all have, runs it, and checks what it gives. */
#include "client.h"

int main(void) {
  enum { N = 1024 };
  static int data[N];
  open_device();
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(sizeof data);
  cl_program program = new_program("kernel void count(global int *x) { size_t i = get_global_id(0); x[i] = 3 * (int)i + 1; }");
  cl_kernel k = clCreateKernel(program, "count", &error);
  OK(error);
  OK(clSetKernelArg(k, 0, sizeof b, &b));
  size_t global = N;
  OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
  for (int i = 0; i < N; i++) EQ(data[i], 3 * i + 1);
  /* Every second one leaves as it is, with objects and threads. */
  if (getenv("OXCL_TEST_LEAVES")) return 0;
  OK(clReleaseKernel(k)); OK(clReleaseProgram(program)); OK(clReleaseMemObject(b));
  OK(clReleaseCommandQueue(q)); OK(clReleaseContext(context));
  return 0;
}
