/* A build in the background for which there is no thread fails, and the program can be built afterwards; one that is under way is
   waited for by functions that need its result. */
#include "client.h"
#include <sys/resource.h>
#include <unistd.h>

static volatile int called;
static void CL_CALLBACK on_build(cl_program program, void *data) { called = 1; }

int main(void) {
  alarm(120);
  open_device();
  const char *source = "kernel void f(global int *x) { x[0] = 1; }";
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  usleep(200000);
  long pages;
  FILE *file = fopen("/proc/self/statm", "r");
  TRUE(file && fscanf(file, "%ld", &pages) == 1);
  fclose(file);
  struct rlimit before, low;
  OK(getrlimit(RLIMIT_AS, &before));
  low = before;
  low.rlim_cur = (rlim_t)pages * 4096 + (1 << 18);
  OK(setrlimit(RLIMIT_AS, &low));
  cl_int refused = clBuildProgram(p, 1, &device, "", on_build, NULL);
  OK(setrlimit(RLIMIT_AS, &before));
  if (refused) {
    EQ(refused, CL_OUT_OF_HOST_MEMORY);
    EQ(called, 0);
    cl_build_status status;
    OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    TRUE(status != CL_BUILD_IN_PROGRESS);
  }
  /* While a build is under way a kernel can be asked for, which waits. */
  for (int i = 0; i < 5; i++) {
    called = 0;
    char text[200];
    snprintf(text, sizeof text, "kernel void f(global float *x) { x[get_global_id(0)] = pow(x[1], %d); }", i);
    source = text;
    cl_program other = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(error);
    OK(clBuildProgram(other, 1, &device, "", on_build, NULL));
    cl_kernel k = clCreateKernel(other, "f", &error);
    OK(error);
    OK(clReleaseKernel(k));
    /* The program's function may come a moment after. */
    for (int j = 0; !called && j < 500; j++) usleep(10000);
    TRUE(called);
    called = 0;
    OK(clBuildProgram(other, 1, &device, "-DX", on_build, NULL));
    cl_uint count;
    OK(clCreateKernelsInProgram(other, 0, NULL, &count));
    EQ(count, 1);
    for (int j = 0; !called && j < 500; j++) usleep(10000);
    OK(clReleaseProgram(other));
  }
  OK(clBuildProgram(p, 1, &device, "", NULL, NULL));
  cl_kernel k = clCreateKernel(p, "f", &error);
  OK(error);
  OK(clReleaseKernel(k));
  /* Options of old compilers, and of compilers of others that programs pass to all platforms. */
  OK(clBuildProgram(p, 1, &device, "-cl-strict-aliasing", NULL, NULL));
  OK(clReleaseProgram(p));
  return 0;
}
