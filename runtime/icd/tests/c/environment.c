/* The environment is read once, by the thread that makes the first context: afterwards the program may do with it what it likes. Here
   it takes the list away, so that whoever reads it dies. */
#include "client.h"
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;
static volatile int built;
static void CL_CALLBACK on_build(cl_program program, void *data) { built = 1; }

int main(void) {
  alarm(60);
  size_t page = 1 << 16;
  char **copy = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TRUE(copy != MAP_FAILED);
  for (int i = 0; environ[i]; i++) copy[i] = environ[i];
  environ = copy;
  open_device();
  OK(mprotect(copy, page, PROT_NONE));
  usleep(300000);
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(4096);
  const char *source = "kernel void f(global int *x) { x[get_global_id(0)] = get_local_id(0); }";
  for (int i = 0; i < 2; i++) {
    char options[40];
    snprintf(options, sizeof options, "-DN=%d", i);
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(error);
    built = 0;
    OK(clBuildProgram(p, 1, &device, options, i ? on_build : NULL, NULL));
    for (int j = 0; i && !built && j < 1000; j++) usleep(10000);
    cl_kernel k = clCreateKernel(p, "f", &error);
    OK(error);
    size_t items = 1024;
    OK(clSetKernelArg(k, 0, sizeof b, &b));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clReleaseKernel(k)); OK(clReleaseProgram(p));
  }
  OK(clUnloadPlatformCompiler(platform));
  usleep(300000);
  OK(mprotect(copy, page, PROT_READ | PROT_WRITE));
  return 0;
}
