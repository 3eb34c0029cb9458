/* Kernels that need more stack than the thread has that waits for them. */
#include "client.h"
#include <pthread.h>
#include <unistd.h>

static cl_command_queue q;
static cl_kernel k, deep;
static cl_mem b;

static void *launch(void *kernel) {
  size_t items = 1;
  for (int i = 0; i < 10; i++) {
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(q));
  }
  return NULL;
}

static void with_stack(size_t bytes, cl_kernel kernel) {
  pthread_attr_t attributes;
  pthread_t thread;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setstacksize(&attributes, bytes));
  OK(pthread_create(&thread, &attributes, launch, kernel));
  OK(pthread_join(thread, NULL));
}

int main(void) {
  alarm(120);
  open_device();
  q = new_queue(0);
  b = new_buffer(64);
  cl_program p = new_program(
      "kernel void f(global int *o, int n) { int a[131072]; for (int i = 0; i < 131072; i++) a[i] = i * n + o[0];\n"
      "  int s = 0; for (int i = 0; i < 131072; i++) s += a[(i * 7919 + n) & 131071]; o[0] = s; }\n"
      "int depth(global int *o, int n) { int a[1024]; for (int i = 0; i < 1024; i++) a[i] = o[i & 7] + n;\n"
      "  return a[n & 1023] + a[(n * 7) & 1023]; }\n"
      "kernel void g(global int *o, int n) { int a[65536]; for (int i = 0; i < 65536; i++) a[i] = depth(o, i + n);\n"
      "  barrier(CLK_GLOBAL_MEM_FENCE); o[1] = a[(n * 31) & 65535]; }\n");
  k = clCreateKernel(p, "f", &error);
  OK(error);
  deep = clCreateKernel(p, "g", &error);
  OK(error);
  int n = 3;
  OK(clSetKernelArg(k, 0, sizeof b, &b)); OK(clSetKernelArg(k, 1, 4, &n));
  OK(clSetKernelArg(deep, 0, sizeof b, &b)); OK(clSetKernelArg(deep, 1, 4, &n));
  for (int i = 0; i < 3; i++) with_stack(256 << 10, k);
  with_stack(64 << 10, k);
  with_stack(256 << 10, deep);
  /* The main thread's stack is as large as its limit allows. */
  launch(k);
  return 0;
}
