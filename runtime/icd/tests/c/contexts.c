/* Two contexts on one device with a small memory of its own, each with more than the memory holds, from two threads. */
#include "client.h"
#include <pthread.h>

enum { NUMBERS = 4096, BUFFERS = 8, ROUNDS = 6, BYTES = NUMBERS * 4 };

static const char *source =
    "kernel void step(global int *data) { size_t i = get_global_id(0); data[i] = 3 * data[i] + 1; }\n"
    "kernel void add(global int *data, global const int *more) { data[get_global_id(0)] += more[get_global_id(0)]; }\n";

typedef struct {
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  int first;
  cl_int failed;
} Side;

static cl_mem filled(Side *side, int first, size_t numbers) {
  cl_int failed;
  int *data = malloc(numbers * 4);
  for (size_t i = 0; i < numbers; i++) data[i] = first + (int)i;
  cl_mem buffer = clCreateBuffer(side->context, CL_MEM_COPY_HOST_PTR, numbers * 4, data, &failed);
  free(data);
  side->failed |= failed;
  return buffer;
}

static void *go_through(void *data) {
  Side *side = data;
  cl_int failed;
  cl_kernel step = clCreateKernel(side->program, "step", &failed);
  cl_mem buffers[BUFFERS];
  size_t global = NUMBERS, local = 64;
  for (int b = 0; b < BUFFERS; b++) buffers[b] = filled(side, side->first + b, NUMBERS);
  for (int round = 0; round < ROUNDS; round++)
    for (int b = 0; b < BUFFERS; b++) {
      failed |= clSetKernelArg(step, 0, sizeof buffers[b], &buffers[b]);
      failed |= clEnqueueNDRangeKernel(side->queue, step, 1, NULL, &global, &local, 0, NULL, NULL);
    }
  for (int b = 0; b < BUFFERS; b++) {
    unsigned *back = malloc(BYTES);
    failed |= clEnqueueReadBuffer(side->queue, buffers[b], CL_TRUE, 0, BYTES, back, 0, NULL, NULL);
    for (int i = 0; i < NUMBERS; i++) {
      unsigned want = side->first + b + i;
      for (int round = 0; round < ROUNDS; round++) want = 3 * want + 1;
      if (back[i] != want) failed = -1000;
    }
    free(back);
    failed |= clReleaseMemObject(buffers[b]);
  }
  failed |= clReleaseKernel(step);
  side->failed |= failed;
  return NULL;
}

int main(void) {
  setenv("OXCL_DEVICES", "discrete:64K", 1);
  open_device();
  Side sides[2] = {{.context = context, .first = 0}, {.first = 1000}};
  sides[1].context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  OK(error);
  for (int s = 0; s < 2; s++) {
    context = sides[s].context;
    sides[s].queue = new_queue(0);
    sides[s].program = new_program(source);
  }
  pthread_t threads[2];
  for (int s = 0; s < 2; s++) pthread_create(&threads[s], NULL, go_through, &sides[s]);
  for (int s = 0; s < 2; s++) pthread_join(threads[s], NULL);
  for (int s = 0; s < 2; s++) OK(sides[s].failed);

  /* What does not fit at once is refused, and the next command runs, in both. */
  cl_kernel add = clCreateKernel(sides[0].program, "add", &error);
  OK(error);
  cl_mem large[2] = {filled(&sides[0], 0, 10240), filled(&sides[0], 0, 10240)};
  for (int a = 0; a < 2; a++) OK(clSetKernelArg(add, a, sizeof large[a], &large[a]));
  size_t global = NUMBERS, local = 64;
  EQ(clEnqueueNDRangeKernel(sides[0].queue, add, 1, NULL, &global, &local, 0, NULL, NULL),
     CL_MEM_OBJECT_ALLOCATION_FAILURE);
  for (int a = 0; a < 2; a++) OK(clReleaseMemObject(large[a]));
  OK(clReleaseKernel(add));
  for (int s = 0; s < 2; s++) { go_through(&sides[s]); OK(sides[s].failed); }

  /* One context goes, the other one goes on. */
  OK(clReleaseProgram(sides[0].program)); OK(clReleaseCommandQueue(sides[0].queue)); OK(clReleaseContext(sides[0].context));
  go_through(&sides[1]);
  OK(sides[1].failed);
  OK(clReleaseProgram(sides[1].program)); OK(clReleaseCommandQueue(sides[1].queue)); OK(clReleaseContext(sides[1].context));
  return 0;
}
