/* Pointers into the middle of shared memory, and shared memory that goes when it is freed. */
#include "client.h"
#include <CL/cl_ext.h>
#include <unistd.h>

static cl_command_queue q;

static long resident_mib(void) {
  long size, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  TRUE(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
  fclose(file);
  return resident * 4096 >> 20;
}

static void interior(void) {
  size_t n = 64;
  int *x = clSVMAlloc(context, CL_MEM_READ_WRITE, 4 * (n + 2), 0), *y = clSVMAlloc(context, CL_MEM_READ_WRITE, 4 * n, 0);
  TRUE(x && y);
  for (size_t i = 0; i < n + 2; i++) x[i] = (int)i;
  cl_program p = new_program(
      "kernel void f(global const int *x, global int *y) { int g = get_global_id(0); y[g] = x[g - 1] + x[g + 1]; }");
  cl_kernel k = clCreateKernel(p, "f", &error);
  OK(error);
  OK(clSetKernelArgSVMPointer(k, 0, x + 1)); OK(clSetKernelArgSVMPointer(k, 1, y));
  OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL));
  OK(clFinish(q));
  for (size_t i = 0; i < n; i++) EQ(y[i], 2 * i + 2);
  OK(clReleaseKernel(k)); OK(clReleaseProgram(p));
  clSVMFree(context, x); clSVMFree(context, y);
}

static void *by_svm(size_t bytes) { return clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0); }
static void free_svm(void *pointer) { clSVMFree(context, pointer); }

typedef void *(*host_alloc)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int (*blocking_free)(cl_context, void *);
static host_alloc alloc_usm;
static blocking_free free_blocking;
static void *by_usm(size_t bytes) { return alloc_usm(context, NULL, bytes, 0, &error); }
static void free_usm(void *pointer) { OK(free_blocking(context, pointer)); }

static void retained(void *(*alloc)(size_t), void (*give_back)(void *)) {
  size_t bytes = 32u << 20, items = bytes / 4096;
  cl_program p = new_program("kernel void f(global int *x) { x[get_global_id(0) * 1024] = 1; }\n"
                             "kernel void g(global int *x) { x[get_global_id(0) * 1024] = 2; }");
  cl_kernel kernels[2] = {clCreateKernel(p, "f", &error), clCreateKernel(p, "g", &error)};
  long before = resident_mib(), most = 0;
  for (int i = 0; i < 12; i++) {
    void *pointer = alloc(bytes);
    TRUE(pointer);
    OK(clSetKernelArgSVMPointer(kernels[i % 2], 0, pointer));
    OK(clEnqueueNDRangeKernel(q, kernels[i % 2], 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    give_back(pointer);
    long now = resident_mib() - before;
    if (now > most) most = now;
  }
  if (most > 80) fprintf(stderr, "%ld MiB\n", most);
  TRUE(most <= 80);
  OK(clReleaseKernel(kernels[0])); OK(clReleaseKernel(kernels[1])); OK(clReleaseProgram(p));
}

int main(void) {
  alarm(120);
  open_device();
  q = new_queue(0);
  interior();
  retained(by_svm, free_svm);
  alloc_usm = (host_alloc)clGetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL");
  free_blocking = (blocking_free)clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL");
  TRUE(alloc_usm && free_blocking);
  retained(by_usm, free_usm);
  return 0;
}
