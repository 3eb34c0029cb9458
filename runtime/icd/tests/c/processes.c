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

  OK(clEnqueueNativeKernel(shared, slow, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  OK(clFlush(shared));
  return 0;
}
