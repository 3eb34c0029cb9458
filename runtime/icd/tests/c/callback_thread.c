/* Callbacks come from a thread of the library: they may take a lock that the program holds while it waits or sets a user event. */
#include "client.h"
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int events, gone, told;
static pthread_t host;

static void count(int *what) {
  TRUE(!pthread_equal(pthread_self(), host));
  pthread_mutex_lock(&lock);
  ++*what;
  pthread_mutex_unlock(&lock);
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data) { count(&events); }

static void CL_CALLBACK on_gone(cl_mem object, void *data) { count(&gone); }

static void CL_CALLBACK on_failure(const char *text, const void *info, size_t size, void *data) { count(&told); }

static int reaches(int *what, int want) {
  for (int i = 0; i < 500; i++) {
    pthread_mutex_lock(&lock);
    int is = *what;
    pthread_mutex_unlock(&lock);
    if (is >= want) return is == want;
    usleep(10000);
  }
  return 0;
}

int main(void) {
  alarm(60);
  host = pthread_self();
  open_device();
  OK(clReleaseContext(context));
  context = clCreateContext(NULL, 1, &device, on_failure, NULL, &error);
  OK(error);
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(1 << 20);
  int one = 1;
  for (int i = 0; i < 100; i++) {
    cl_event done, gate = clCreateUserEvent(context, &error);
    OK(error);
    OK(clEnqueueFillBuffer(q, b, &one, 4, 0, 1 << 20, 1, &gate, &done));
    OK(clSetEventCallback(done, CL_SUBMITTED, on_event, NULL));
    OK(clSetEventCallback(done, CL_RUNNING, on_event, NULL));
    OK(clSetEventCallback(done, CL_COMPLETE, on_event, NULL));
    pthread_mutex_lock(&lock);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    if (i % 2) OK(clFinish(q));
    else OK(clWaitForEvents(1, &done));
    /* One for an event that is complete. */
    OK(clSetEventCallback(done, CL_COMPLETE, on_event, NULL));
    pthread_mutex_unlock(&lock);
    OK(clReleaseEvent(done)); OK(clReleaseEvent(gate));
  }
  TRUE(reaches(&events, 400));

  /* An object goes while the program waits with its lock. */
  for (int i = 0; i < 20; i++) {
    cl_event gate = clCreateUserEvent(context, &error);
    OK(error);
    cl_mem m = new_buffer(4096);
    OK(clSetMemObjectDestructorCallback(m, on_gone, NULL));
    OK(clEnqueueFillBuffer(q, m, &one, 4, 0, 4096, 1, &gate, NULL));
    OK(clReleaseMemObject(m));
    pthread_mutex_lock(&lock);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    pthread_mutex_unlock(&lock);
    OK(clReleaseEvent(gate));
  }
  TRUE(reaches(&gone, 20));

  /* Why a command failed is told. */
  const char *source = "kernel void f(global int *x, int n) { x[0] = 1 / n; }";
  cl_kernel k = clCreateKernel(new_program(source), "f", &error);
  OK(error);
  int zero = 0;
  size_t item = 1;
  OK(clSetKernelArg(k, 0, sizeof b, &b)); OK(clSetKernelArg(k, 1, 4, &zero));
  cl_event division;
  cl_int status;
  pthread_mutex_lock(&lock);
  OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &item, NULL, 0, NULL, &division));
  clWaitForEvents(1, &division);
  OK(clGetEventInfo(division, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  pthread_mutex_unlock(&lock);
  if (status < 0) TRUE(reaches(&told, 1));
  return 0;
}
