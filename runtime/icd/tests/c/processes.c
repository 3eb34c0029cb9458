/* Processes: a fork before and after there are worker threads, many threads on one queue, an end while work is under way. */
#include "client.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_command_queue shared;
static cl_mem target;

static void use(void) {
  open_device();
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(1 << 20);
  unsigned char one = 1, back = 0;
  OK(clEnqueueFillBuffer(q, b, &one, 1, 0, 1 << 20, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, b, CL_TRUE, (1 << 20) - 1, 1, &back, 0, NULL, NULL));
  EQ(back, 1);
  OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q)); OK(clReleaseContext(context));
}

static void in_child(void) {
  pid_t child = fork();
  if (!child) { alarm(30); use(); _exit(0); }
  int status;
  TRUE(waitpid(child, &status, 0) == child);
  EQ(status, 0);
}

static void *fill(void *pattern) {
  for (int i = 0; i < 500; i++) {
    cl_event event;
    if (clEnqueueFillBuffer(shared, target, pattern, 1, 0, 64, 0, NULL, &event)) return pattern;
    if (i % 50 == 0 && clWaitForEvents(1, &event)) return pattern;
    if (clRetainEvent(event) || clReleaseEvent(event) || clReleaseEvent(event)) return pattern;
  }
  return NULL;
}

/* Objects that one thread releases while others use them: undefined, but nothing may break. */
static cl_mem loose;
static cl_event loose_event;

static void *meddle(void *stop) {
  unsigned char zero = 0;
  size_t size;
  cl_int status;
  while (!__atomic_load_n((int *)stop, __ATOMIC_SEQ_CST)) {
    cl_mem b = __atomic_load_n(&loose, __ATOMIC_SEQ_CST);
    cl_event e = __atomic_load_n(&loose_event, __ATOMIC_SEQ_CST);
    clGetMemObjectInfo(b, CL_MEM_SIZE, sizeof size, &size, NULL);
    clEnqueueFillBuffer(shared, b, &zero, 1, 0, 16, 1, &e, NULL);
    clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    clWaitForEvents(1, &e);
    clReleaseEvent(e);
    clReleaseMemObject(b);
  }
  return NULL;
}

static void release_while_used(void) {
  int stop = 0;
  unsigned char one = 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) TRUE(!pthread_create(&threads[i], NULL, meddle, &stop));
  for (int i = 0; i < 3000; i++) {
    cl_mem b = new_buffer(64);
    cl_event e;
    if (clEnqueueFillBuffer(shared, b, &one, 1, 0, 64, 0, NULL, &e)) continue;
    __atomic_store_n(&loose, b, __ATOMIC_SEQ_CST);
    __atomic_store_n(&loose_event, e, __ATOMIC_SEQ_CST);
    clReleaseEvent(e);
    clReleaseMemObject(b);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 2; i++) TRUE(!pthread_join(threads[i], NULL));
  OK(clFinish(shared));
}

static void slow(void *args) { (void)args; usleep(200000); }

int main(void) {
  cl_uint units;
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
  in_child();
  use();
  in_child();

  open_device();
  shared = new_queue(0);
  target = new_buffer(64);
  pthread_t threads[8];
  char pattern = 5;
  void *failed;
  for (int i = 0; i < 8; i++) TRUE(!pthread_create(&threads[i], NULL, fill, &pattern));
  for (int i = 0; i < 8; i++) { pthread_join(threads[i], &failed); TRUE(!failed); }
  OK(clFinish(shared));

  release_while_used();

  OK(clEnqueueNativeKernel(shared, slow, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  OK(clFlush(shared));
  return 0;
}
