/* The host program of an MPI job, as rank 0, that knows nothing of MPI: all devices of the platform in one context. The word says
   what it does. */
#include "client.h"
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };
static cl_device_id devices[MOST];
static cl_uint count;
static cl_command_queue queues[MOST];

static const char *source =
    "kernel void step(global int *x) { size_t i = get_global_id(0); x[i] = 3 * x[i] + 1; }\n"
    "kernel void slow(global int *x, int n) { size_t i = get_global_id(0); int v = x[i];\n"
    "  for (int k = 0; k < n; k++) v = v * 1664525 + 1013904223; x[i] = v; }\n"
    "kernel void add(global const int *x, global int *y) { size_t i = get_global_id(0); y[i] += x[i]; }\n"
    "kernel void say(int n) { printf(\"said %d\\n\", n); }\n";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void name_of(cl_device_id d, char *name, size_t size) {
  OK(clGetDeviceInfo(d, CL_DEVICE_NAME, size, name, NULL));
}

static void CL_CALLBACK told(const char *text, const void *data, size_t size, void *user) {
  (void)data, (void)size, (void)user;
  printf("told: %s\n", text);
  fflush(stdout);
}

static void open_all(cl_command_queue_properties properties) {
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, devices, &count));
  context = clCreateContext(NULL, count, devices, told, NULL, &error);
  OK(error);
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  for (cl_uint i = 0; i < count; i++) {
    queues[i] = clCreateCommandQueueWithProperties(context, devices[i], list, &error);
    OK(error);
  }
}

static cl_program build(void) {
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
  return program;
}

static int list(void) {
  open_all(0);
  for (cl_uint i = 0; i < count; i++) {
    char name[256];
    name_of(devices[i], name, sizeof name);
    printf("device %u: %s\n", i, name);
  }
  return 0;
}

/* A chain over all devices that shares one buffer; then every device for itself; copies of many sizes; what kernels print. */
static int work(void) {
  enum { N = 1 << 18, ROUNDS = 40 };
  open_all(CL_QUEUE_PROFILING_ENABLE);
  cl_program program = build();
  cl_kernel step = clCreateKernel(program, "step", &error), add = clCreateKernel(program, "add", &error);
  OK(error);
  size_t global = N, local = 64;
  unsigned *want = malloc(N * 4), *found = malloc(N * 4);
  for (unsigned i = 0; i < N; i++) want[i] = i;
  cl_mem shared = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N * 4, want, &error);
  OK(error);
  OK(clSetKernelArg(step, 0, sizeof shared, &shared));
  cl_event last = NULL;
  for (int r = 0; r < ROUNDS; r++) {
    cl_event next;
    OK(clEnqueueNDRangeKernel(queues[r % count], step, 1, NULL, &global, &local, last != NULL, last ? &last : NULL, &next));
    OK(clFlush(queues[r % count]));
    if (last) OK(clReleaseEvent(last));
    last = next;
    for (unsigned i = 0; i < N; i++) want[i] = 3 * want[i] + 1;
  }
  OK(clWaitForEvents(1, &last));
  cl_ulong t[4];
  OK(clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_QUEUED, 8, &t[0], NULL));
  OK(clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_SUBMIT, 8, &t[1], NULL));
  OK(clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_START, 8, &t[2], NULL));
  OK(clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, 8, &t[3], NULL));
  TRUE(t[0] <= t[1] && t[1] <= t[2] && t[2] < t[3]);
  OK(clEnqueueReadBuffer(queues[0], shared, CL_TRUE, 0, N * 4, found, 0, NULL, NULL));
  TRUE(memcmp(want, found, N * 4) == 0);
  for (cl_uint d = 0; d < count; d++) {
    for (size_t bytes = 4; bytes <= N * 4; bytes *= 64) {
      cl_mem to = new_buffer(N * 4);
      unsigned zero = 0;
      OK(clEnqueueFillBuffer(queues[d], to, &zero, 4, 0, N * 4, 0, NULL, NULL));
      OK(clEnqueueCopyBuffer(queues[d], shared, to, 0, N * 4 - bytes, bytes, 0, NULL, NULL));
      OK(clSetKernelArg(add, 0, sizeof shared, &shared));
      OK(clSetKernelArg(add, 1, sizeof to, &to));
      OK(clEnqueueNDRangeKernel(queues[d], add, 1, NULL, &global, NULL, 0, NULL, NULL));
      unsigned *mapped = clEnqueueMapBuffer(queues[d], to, CL_TRUE, CL_MAP_READ, 0, N * 4, 0, NULL, NULL, &error);
      OK(error);
      size_t first = (N * 4 - bytes) / 4;
      for (size_t i = 0; i < N; i++) EQ(mapped[i], want[i] + (i >= first ? want[i - first] : 0));
      OK(clEnqueueUnmapMemObject(queues[d], to, mapped, 0, NULL, NULL));
      OK(clFinish(queues[d]));
      OK(clReleaseMemObject(to));
    }
  }
  cl_kernel say = clCreateKernel(program, "say", &error);
  OK(error);
  for (cl_uint d = 0; d < count; d++) {
    cl_int number = (cl_int)d;
    size_t one = 1;
    OK(clSetKernelArg(say, 0, sizeof number, &number));
    OK(clEnqueueNDRangeKernel(queues[d], say, 1, NULL, &one, &one, 0, NULL, NULL));
    OK(clFinish(queues[d]));
  }
  printf("worked on %u devices\n", count);
  return 0;
}

/* Kernels of some milliseconds on every device, and a chain through all of them, until one device fails; then the others go on
   for a while. Says what failed, after how long. */
static int last_long(void) {
  enum { N = 1 << 12 };
  open_all(0);
  cl_program program = build();
  size_t global = N, local = 64;
  cl_kernel slow[MOST], chained[MOST];
  cl_mem own[MOST], shared = new_buffer(N * 4);
  cl_int turns = 20000;
  for (cl_uint d = 0; d < count; d++) {
    slow[d] = clCreateKernel(program, "slow", &error);
    OK(error);
    own[d] = new_buffer(N * 4);
    OK(clSetKernelArg(slow[d], 0, sizeof own[d], &own[d]));
    OK(clSetKernelArg(slow[d], 1, sizeof turns, &turns));
    chained[d] = clCreateKernel(program, "step", &error);
    OK(error);
    OK(clSetKernelArg(chained[d], 0, sizeof shared, &shared));
  }
  printf("ready\n");
  fflush(stdout);
  int failed[MOST] = {0}, chain = 1, lost = 0, after = 0;
  double begin = now(), heard = 0;
  while (after < 20 && now() - begin < 60) {
    cl_event events[MOST] = {0}, last = NULL;
    for (cl_uint d = 0; d < count; d++) {
      if (failed[d]) continue;
      cl_int got = clEnqueueNDRangeKernel(queues[d], slow[d], 1, NULL, &global, &local, 0, NULL, &events[d]);
      if (got) failed[d] = 1, lost++, events[d] = NULL;
      if (chain) {
        cl_event next = NULL;
        got = clEnqueueNDRangeKernel(queues[d], chained[d], 1, NULL, &global, &local, last != NULL, last ? &last : NULL, &next);
        if (last) clReleaseEvent(last);
        last = got ? NULL : next;
        if (got) chain = 0;
      }
      clFlush(queues[d]);
    }
    if (last) {
      if (clWaitForEvents(1, &last)) chain = 0;
      clReleaseEvent(last);
    }
    for (cl_uint d = 0; d < count; d++) {
      if (!events[d]) continue;
      if (clWaitForEvents(1, &events[d]) && !failed[d]) failed[d] = 1, lost++;
      clReleaseEvent(events[d]);
    }
    if (lost && !heard) heard = now();
    if (lost) after++;
  }
  printf("lost %d of %u, chain %s, others went on %d rounds\n", lost, count, chain ? "whole" : "broken", after);
  return lost == 1 && !chain && after == 20 ? 0 : 1;
}

/* Figures: launch and wait on a device, and a chain between two. */
static int measure(void) {
  enum { TURNS = 2000, LARGE = 64 << 20 };
  open_all(0);
  cl_program program = build();
  cl_kernel step = clCreateKernel(program, "step", &error);
  OK(error);
  cl_mem small = new_buffer(4);
  OK(clSetKernelArg(step, 0, sizeof small, &small));
  size_t one = 1;
  for (cl_uint d = 0; d < count; d++) {
    char name[256];
    name_of(devices[d], name, sizeof name);
    for (int warm = 0; warm < 2; warm++) {
      double begin = now();
      for (int i = 0; i < TURNS; i++) {
        OK(clEnqueueNDRangeKernel(queues[d], step, 1, NULL, &one, &one, 0, NULL, NULL));
        OK(clFinish(queues[d]));
      }
      if (warm) printf("%s: launch and wait %.2f us\n", name, (now() - begin) * 1e6 / TURNS);
    }
  }
  if (count < 2) return 0;
  for (int warm = 0; warm < 2; warm++) {
    double begin = now();
    cl_event last = NULL;
    for (int i = 0; i < 1000; i++) {
      cl_event next;
      cl_uint d = count - 1 - (cl_uint)(i % 2);
      OK(clEnqueueNDRangeKernel(queues[d], step, 1, NULL, &one, &one, last != NULL, last ? &last : NULL, &next));
      if (last) OK(clReleaseEvent(last));
      last = next;
    }
    OK(clWaitForEvents(1, &last));
    OK(clReleaseEvent(last));
    if (warm) printf("chain between two devices: %.2f us a kernel\n", (now() - begin) * 1e6 / 1000);
  }
  cl_mem large = new_buffer(LARGE);
  char byte = 0;
  OK(clEnqueueFillBuffer(queues[count - 1], large, &byte, 1, 0, LARGE, 0, NULL, NULL));
  OK(clFinish(queues[count - 1]));
  for (int i = 0; i < 6; i++) {
    cl_uint d = count - 1 - (cl_uint)((i + 1) % 2);
    double begin = now();
    OK(clEnqueueMigrateMemObjects(queues[d], 1, &large, 0, 0, NULL, NULL));
    OK(clFinish(queues[d]));
    double seconds = now() - begin;
    printf("64 MiB from device to device: %.2f GB/s\n", LARGE / seconds / 1e9);
    OK(clEnqueueFillBuffer(queues[d], large, &byte, 1, 0, 1, 0, NULL, NULL));
    OK(clFinish(queues[d]));
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "";
  if (!strcmp(word, "idle")) return 0;
  if (!strcmp(word, "list")) return list();
  if (!strcmp(word, "work")) return work();
  if (!strcmp(word, "long")) return last_long();
  if (!strcmp(word, "measure")) return measure();
  fprintf(stderr, "usage: nodes idle|list|work|long|measure\n");
  return 2;
}
