/* The pointer of a mapped buffer as the host's side of a transfer: in an in-order queue what comes after sees what it brought. */
#include "client.h"
#include <unistd.h>

int main(void) {
  alarm(120);
  open_device();
  cl_command_queue q = new_queue(0);
  size_t n = 1 << 14, bytes = 4 * n;
  cl_mem source = new_buffer(bytes), result = new_buffer(bytes);
  cl_mem staging = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &error);
  OK(error);
  cl_program p = new_program(
      "kernel void s(global int *x, int v) { int a = v; for (int i = 0; i < 3000; i++) a = a * 3 + i; x[get_global_id(0)] = v + (a == 12345); }\n"
      "kernel void c(global const int *x, global int *y) { y[get_global_id(0)] = x[get_global_id(0)]; }");
  cl_kernel slow = clCreateKernel(p, "s", &error), copy = clCreateKernel(p, "c", &error);
  int *out = malloc(bytes);
  for (int round = 1; round <= 20; round++) {
    void *mapped = clEnqueueMapBuffer(q, staging, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &error);
    OK(error);
    OK(clSetKernelArg(slow, 0, sizeof source, &source)); OK(clSetKernelArg(slow, 1, 4, &round));
    OK(clEnqueueNDRangeKernel(q, slow, 1, NULL, &n, NULL, 0, NULL, NULL));
    size_t origin[3] = {0, 0, 0}, region[3] = {bytes, 1, 1};
    if (round % 2)
      OK(clEnqueueReadBuffer(q, source, CL_FALSE, 0, bytes, mapped, 0, NULL, NULL));
    else
      OK(clEnqueueReadBufferRect(q, source, CL_FALSE, origin, origin, region, 0, 0, 0, 0, mapped, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(q, staging, mapped, 0, NULL, NULL));
    OK(clSetKernelArg(copy, 0, sizeof staging, &staging)); OK(clSetKernelArg(copy, 1, sizeof result, &result));
    OK(clEnqueueNDRangeKernel(q, copy, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, result, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
    for (size_t i = 0; i < n; i++) EQ(out[i], round);
    OK(clFinish(q));
  }
  return 0;
}
