/* Children of a fork use OpenCL with objects of their own, whatever the threads of the parent do at that moment. The first argument
   says how many. */
#include "client.h"
#include <pthread.h>
#include <unistd.h>

static cl_command_queue shared;
static cl_kernel kernel;
static volatile int stop;

static void *busy(void *number) {
  while (!stop) {
    cl_mem b = new_buffer(64);
    cl_event events[64];
    int zero = 0;
    for (int i = 0; i < 64; i++) OK(clEnqueueFillBuffer(shared, b, &zero, 4, 0, 64, 0, NULL, &events[i]));
    for (int i = 0; i < 64; i++) OK(clReleaseEvent(events[i]));
    OK(clReleaseMemObject(b));
    void *pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    TRUE(pointer);
    clSVMFree(context, pointer);
    cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    OK(clReleaseContext(own));
  }
  return NULL;
}

static int use(void) {
  alarm(20);
  open_device();
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(64);
  int zero = 0;
  void *pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  TRUE(pointer);
  OK(clEnqueueFillBuffer(q, b, &zero, 4, 0, 64, 0, NULL, NULL));
  OK(clFinish(q));
  clSVMFree(context, pointer);
  OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q)); OK(clReleaseContext(context));
  return 0;
}

int main(int count, char **words) {
  alarm(300);
  int children = count > 1 ? atoi(words[1]) : 60;
  open_device();
  shared = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) OK(pthread_create(&threads[i], NULL, busy, NULL));
  fork_children(children, use);
  stop = 1;
  for (int i = 0; i < 3; i++) OK(pthread_join(threads[i], NULL));
  return 0;
}
