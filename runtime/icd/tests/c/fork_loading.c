/* Children of a fork load kernels, whatever kernels the threads of the parent load and unload at that moment. */
#include "client.h"
#include <pthread.h>
#include <unistd.h>

static size_t size;
static unsigned char *binary;
static volatile int stop;

/* Loads the program, runs it and lets it go. */
static void load(cl_context in) {
  cl_int status;
  const unsigned char *bytes = binary;
  cl_program program = clCreateProgramWithBinary(in, 1, &device, &size, &bytes, &status, &error);
  OK(error); OK(status);
  OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, "five", &error);
  OK(error);
  cl_command_queue q = clCreateCommandQueue(in, device, 0, &error);
  OK(error);
  cl_mem b = clCreateBuffer(in, 0, 64, NULL, &error);
  OK(error);
  size_t items = 16;
  int back = 0;
  OK(clSetKernelArg(kernel, 0, sizeof b, &b));
  OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, b, CL_TRUE, 60, 4, &back, 0, NULL, NULL));
  EQ(back, 5);
  OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q)); OK(clReleaseKernel(kernel)); OK(clReleaseProgram(program));
}

static void *busy(void *unused) {
  (void)unused;
  while (!stop) load(context);
  return NULL;
}

static int use(void) {
  alarm(20);
  cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  OK(error);
  load(own);
  return 0;
}

int main(void) {
  alarm(300);
  open_device();
  cl_program program = new_program("kernel void five(global int *p) { p[get_global_id(0)] = 5; }");
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  binary = malloc(size);
  TRUE(binary);
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) OK(pthread_create(&threads[i], NULL, busy, NULL));
  fork_children(200, use);
  stop = 1;
  for (int i = 0; i < 2; i++) OK(pthread_join(threads[i], NULL));
  return 0;
}
