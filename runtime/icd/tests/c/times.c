/* Times of commands without work of their own: they end when what they stand for has ended. */
#include "client.h"
#include <unistd.h>

static cl_ulong time_of(cl_event event, cl_profiling_info what) {
  cl_ulong time;
  OK(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
  return time;
}

static void ordered(cl_event event) {
  cl_ulong queued = time_of(event, CL_PROFILING_COMMAND_QUEUED), submit = time_of(event, CL_PROFILING_COMMAND_SUBMIT);
  cl_ulong start = time_of(event, CL_PROFILING_COMMAND_START), end = time_of(event, CL_PROFILING_COMMAND_END);
  TRUE(queued && queued <= submit && submit <= start && start <= end);
}

static void run(cl_command_queue_properties properties) {
  cl_command_queue q = new_queue(properties | CL_QUEUE_PROFILING_ENABLE);
  cl_mem b = new_buffer(1 << 20);
  cl_program p = new_program("kernel void f(global float *x) { float s = x[get_global_id(0)];\n"
                             "  for (int i = 0; i < 20000; i++) s = s * 1.0001f + 1; x[get_global_id(0)] = s; }");
  cl_kernel k = clCreateKernel(p, "f", &error);
  OK(error);
  OK(clSetKernelArg(k, 0, sizeof b, &b));
  size_t items = 1 << 12;
  enum { KERNEL, MARKER, BARRIER, MAP, UNMAP, MIGRATION, LAST, COUNT };
  cl_event e[COUNT];
  cl_event *wait = e;
  cl_uint one = properties ? 1 : 0;
  if (!one) wait = NULL;
  OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, &e[KERNEL]));
  OK(clEnqueueMarkerWithWaitList(q, one, wait, &e[MARKER]));
  OK(clEnqueueBarrierWithWaitList(q, one, wait, &e[BARRIER]));
  void *mapped = clEnqueueMapBuffer(q, b, CL_FALSE, CL_MAP_READ, 0, 64, one, wait, &e[MAP], &error);
  OK(error);
  OK(clEnqueueUnmapMemObject(q, b, mapped, one, one ? &e[MAP] : NULL, &e[UNMAP]));
  OK(clEnqueueMigrateMemObjects(q, 1, &b, CL_MIGRATE_MEM_OBJECT_HOST, one, wait, &e[MIGRATION]));
  OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &e[LAST]));
  OK(clFinish(q));
  cl_ulong kernel = time_of(e[KERNEL], CL_PROFILING_COMMAND_END);
  for (int i = 0; i < COUNT; i++) {
    ordered(e[i]);
    TRUE(time_of(e[i], CL_PROFILING_COMMAND_END) >= kernel);
    OK(clReleaseEvent(e[i]));
  }
  OK(clReleaseKernel(k)); OK(clReleaseProgram(p)); OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
}

int main(void) {
  alarm(60);
  open_device();
  run(0);
  run(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  return 0;
}
