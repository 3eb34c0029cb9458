/* Destructor callbacks that are registered while commands use the object come when these have ended, and once. */
#include "client.h"
#include <unistd.h>

static volatile int gone;
static void CL_CALLBACK on(cl_mem object, void *data) { __atomic_add_fetch(&gone, 1, __ATOMIC_SEQ_CST); }

static void comes(int want) {
  for (int i = 0; i < 500 && gone != want; i++) usleep(10000);
  EQ(gone, want);
}

/* 0: the object; 1: a part of it is used, the whole is watched; 2: the kernel's argument; 3: a map. */
static void late(int kind) {
  gone = 0;
  cl_command_queue q = new_queue(0);
  cl_event gate = clCreateUserEvent(context, &error);
  OK(error);
  int *host = calloc(1 << 16, 4), one = 1;
  cl_mem b = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4 << 16, host, &error), part = NULL;
  OK(error);
  cl_program p = NULL;
  cl_kernel k = NULL;
  size_t items = 1 << 16;
  if (kind == 0) OK(clEnqueueFillBuffer(q, b, &one, 4, 0, 4 << 16, 1, &gate, NULL));
  if (kind == 1) {
    cl_buffer_region region = {0, 4096};
    part = clCreateSubBuffer(b, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    OK(clEnqueueFillBuffer(q, part, &one, 4, 0, 4096, 1, &gate, NULL));
  }
  if (kind == 2) {
    p = new_program("kernel void f(global int *x) { x[get_global_id(0)] = 1; }");
    k = clCreateKernel(p, "f", &error);
    OK(error);
    OK(clSetKernelArg(k, 0, sizeof b, &b));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 1, &gate, NULL));
  }
  if (kind == 3) {
    clEnqueueMapBuffer(q, b, CL_FALSE, CL_MAP_READ, 0, 64, 1, &gate, NULL, &error);
    OK(error);
  }
  OK(clSetMemObjectDestructorCallback(b, on, NULL));
  if (part) OK(clReleaseMemObject(part));
  OK(clReleaseMemObject(b));
  usleep(20000);
  EQ(gone, 0);
  OK(clSetUserEventStatus(gate, CL_COMPLETE));
  OK(clFinish(q));
  comes(1);
  if (kind == 0) EQ(host[12345], 1);
  free(host);
  if (k) { OK(clReleaseKernel(k)); OK(clReleaseProgram(p)); }
  OK(clReleaseEvent(gate)); OK(clReleaseCommandQueue(q));
}

int main(void) {
  alarm(60);
  open_device();
  for (int kind = 0; kind < 4; kind++) late(kind);
  return 0;
}
