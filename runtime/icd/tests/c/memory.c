/* Memory that is counted: a program that asks for more than there is hears of it, at the call, and goes on. In OXCL_TEST_MIB: how
   much the test has left it, by OXCL_MEMORY or in a control group. */
#define _GNU_SOURCE
#include "client.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define MOST 4096

static cl_mem buffers[MOST];
static int told;

static void CL_CALLBACK tell(const char *text, const void *info, size_t size, void *data) {
  (void)info; (void)size; (void)data;
  if (strstr(text, "bytes for a buffer cannot be had") && strstr(text, " are left of the ")) __atomic_add_fetch(&told, 1, __ATOMIC_SEQ_CST);
}

/* Makes and fills buffers until one is refused; how many there are. */
static int fill(cl_command_queue q, size_t size) {
  unsigned one = 0x01010101;
  for (int i = 0; i < MOST; i++) {
    buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &error);
    if (error == CL_SUCCESS) {
      error = clEnqueueFillBuffer(q, buffers[i], &one, sizeof one, 0, size, 0, NULL, NULL);
      if (error == CL_SUCCESS) continue;
      OK(clReleaseMemObject(buffers[i]));
    }
    EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    return i;
  }
  fprintf(stderr, "%d buffers of %zu bytes were never refused\n", MOST, size);
  exit(1);
}

/* All bytes are what they were filled with, and the buffers go. */
static void check(cl_command_queue q, int count, size_t size) {
  OK(clFinish(q));
  for (int i = 0; i < count; i++) {
    unsigned first = 0, last = 0;
    OK(clEnqueueReadBuffer(q, buffers[i], CL_TRUE, 0, sizeof first, &first, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, buffers[i], CL_TRUE, size - sizeof last, sizeof last, &last, 0, NULL, NULL));
    EQ(first, 0x01010101);
    EQ(last, 0x01010101);
    OK(clReleaseMemObject(buffers[i]));
  }
}

/* A child of fork counts for itself. */
static void child(void) {
  cl_context old = context;
  open_device();
  cl_command_queue q = new_queue(0);
  EQ(fill(q, 2 * MIB) > 2, 1);
  (void)old;
  _exit(0);
}

static void *set_later(void *event) {
  usleep(50000);
  OK(clSetUserEventStatus(event, CL_COMPLETE));
  return NULL;
}

int main(void) {
  size_t mib = (size_t)atoi(getenv("OXCL_TEST_MIB"));
  int in_group = getenv("OXCL_TEST_IN_GROUP") != NULL;
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, tell, NULL, &error);
  OK(error);
  cl_ulong memory, largest;
  OK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL));
  TRUE(memory <= mib * MIB && memory >= mib * MIB / 2 && largest <= memory);
  clCreateBuffer(context, 0, largest + 1, NULL, &error);
  EQ(error, CL_INVALID_BUFFER_SIZE);
  cl_command_queue q = new_queue(0);

  /* Large ones and small ones, twice each: what is given back can be had again. */
  for (int round = 0; round < 4; round++) {
    size_t size = round % 2 ? 128 << 10 : 8 * MIB;
    int before = __atomic_load_n(&told, __ATOMIC_SEQ_CST);
    int count = fill(q, size);
    size_t had = count * size;
    if (had < memory / 2 || had > memory) fprintf(stderr, "%zu of %zu MiB in round %d\n", had / MIB, mib, round);
    TRUE(had >= memory / 2 && had <= memory);
    /* No other way leads to more. */
    if (round == 0) {
      EQ((uintptr_t)clSVMAlloc(context, CL_MEM_READ_WRITE, 16 * MIB, 0), 0);
      void *data = malloc(16 * MIB);
      clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 16 * MIB, data, &error);
      EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
      /* The program's own memory is not ours to count, and what there is can be used. */
      cl_mem own = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16 * MIB, data, &error);
      OK(error);
      char byte = 1;
      OK(clEnqueueFillBuffer(q, own, &byte, 1, 0, MIB, 0, NULL, NULL));
      OK(clFinish(q));
      OK(clReleaseMemObject(own));
      free(data);
      /* A mapping of one that has no memory yet, a copy to it, a kernel's argument. */
      cl_mem late = new_buffer(16 * MIB);
      clEnqueueMapBuffer(q, late, CL_TRUE, CL_MAP_READ, 0, MIB, 0, NULL, NULL, &error);
      EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
      EQ(clEnqueueCopyBuffer(q, buffers[0], late, 0, 0, MIB, 0, NULL, NULL), CL_MEM_OBJECT_ALLOCATION_FAILURE);
      if (!in_group) {
        cl_program program = new_program("kernel void set(global int *a) { a[get_global_id(0)] = 7; }");
        cl_kernel kernel = clCreateKernel(program, "set", &error);
        OK(error);
        size_t items = 256;
        OK(clSetKernelArg(kernel, 0, sizeof late, &late));
        EQ(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_MEM_OBJECT_ALLOCATION_FAILURE);
        /* It is not the kernel's end. */
        OK(clSetKernelArg(kernel, 0, sizeof buffers[0], &buffers[0]));
        OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        int seven = 0;
        OK(clEnqueueReadBuffer(q, buffers[0], CL_TRUE, 1020, 4, &seven, 0, NULL, NULL));
        EQ(seven, 7);
        unsigned one = 0x01010101;
        OK(clEnqueueFillBuffer(q, buffers[0], &one, 4, 0, 1024, 0, NULL, NULL));
        OK(clReleaseKernel(kernel));
        OK(clReleaseProgram(program));
      }
      OK(clReleaseMemObject(late));
    }
    check(q, count, size);
    for (int i = 0; i < 500 && __atomic_load_n(&told, __ATOMIC_SEQ_CST) == before; i++) usleep(10000);
    TRUE(__atomic_load_n(&told, __ATOMIC_SEQ_CST) > before);
  }

  /* Buffers that the program has released while commands in flight use them come back: three times what there is goes through. */
  for (int i = 0; i < 12; i++) {
    char byte = (char)i;
    cl_mem passing = new_buffer(memory / 4);
    OK(clEnqueueFillBuffer(q, passing, &byte, 1, 0, memory / 4, 0, NULL, NULL));
    OK(clReleaseMemObject(passing));
  }
  OK(clFinish(q));

  /* So do those that wait for another thread of the program, but not for this one: that is not waited for. */
  for (int other = 0; other < 2; other++) {
    cl_event event = clCreateUserEvent(context, &error);
    pthread_t thread;
    OK(error);
    cl_mem held = new_buffer(memory / 4 * 3), more = new_buffer(memory / 2);
    char byte = 1;
    OK(clEnqueueFillBuffer(q, held, &byte, 1, 0, MIB, 1, &event, NULL));
    OK(clReleaseMemObject(held));
    if (other) EQ(pthread_create(&thread, NULL, set_later, event), 0);
    EQ(clEnqueueFillBuffer(q, more, &byte, 1, 0, MIB, 0, NULL, NULL), other ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE);
    if (other) EQ(pthread_join(thread, NULL), 0);
    else OK(clSetUserEventStatus(event, CL_COMPLETE));
    OK(clFinish(q));
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(more));
  }

  int status = -1;
  fflush(NULL);
  pid_t id = fork();
  if (!id) child();
  EQ(waitpid(id, &status, 0), id);
  EQ(status, 0);
  OK(clReleaseCommandQueue(q));
  OK(clReleaseContext(context));
  return 0;
}
