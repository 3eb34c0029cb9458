/* Run with more rights than its user has: it builds, and leaves nothing where the user's variables point. Ends with 77 where it has
   no such rights. */
#include "client.h"
#include <sys/auxv.h>
#include <unistd.h>

int main(void) {
  alarm(120);
  if (!getauxval(AT_SECURE)) return 77;
  open_device();
  const char *source = "kernel void f(global int *x) { x[0] = 1; }";
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  OK(clBuildProgram(p, 1, &device, "", NULL, NULL));
  EQ(access(getenv("LEFT_ALONE"), F_OK), -1);
  return 0;
}
