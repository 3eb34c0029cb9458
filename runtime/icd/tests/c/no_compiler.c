/* A library that finds no compiler says so, and everything else works. */
#include "client.h"
#include <unistd.h>

int main(void) {
  alarm(60);
  open_device();
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(64);
  int seven = 7, back[16];
  OK(clEnqueueFillBuffer(q, b, &seven, 4, 0, 64, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, 64, back, 0, NULL, NULL));
  EQ(back[15], 7);
  const char *source = "kernel void f(global int *x) { x[0] = 1; }";
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  EQ(clBuildProgram(p, 1, &device, "", NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
  return 0;
}
