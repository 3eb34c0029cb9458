/* A thread that waits for a user event, or for a command that one holds back, is back when the event is set, whatever the other
   queues have to execute. The program is given two threads that may execute. */
#include "client.h"
#include <pthread.h>
#include <unistd.h>

static int begun, over[2], back;

static void CL_CALLBACK endless(void *args) {
  int number = *(int *)args;
  __atomic_or_fetch(&begun, 1 << number, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&over[number], __ATOMIC_SEQ_CST)) usleep(100);
}

static void reaches(int *what, int want) {
  for (int i = 0; i < 10000 && __atomic_load_n(what, __ATOMIC_SEQ_CST) != want; i++) usleep(1000);
  EQ(__atomic_load_n(what, __ATOMIC_SEQ_CST), want);
}

static void begin(cl_command_queue q, int number) {
  OK(clEnqueueNativeKernel(q, endless, &number, sizeof number, 0, NULL, NULL, 0, NULL, NULL));
  OK(clFlush(q));
}

static void *waits(void *event) {
  cl_event one = event;
  OK(clWaitForEvents(1, &one));
  __atomic_store_n(&back, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

/* 0: for the user event; 1: for a command that waits for it; 2: for one behind that in its queue. */
static void wait_for(int kind) {
  begun = over[0] = over[1] = back = 0;
  cl_command_queue q = new_queue(0), other = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_mem b = new_buffer(4096), c = new_buffer(4096);
  cl_event gate = clCreateUserEvent(context, &error), held = NULL, last = NULL;
  OK(error);
  int one = 1;
  OK(clEnqueueFillBuffer(q, b, &one, 4, 0, 4096, 1, &gate, &held));
  OK(clEnqueueFillBuffer(q, c, &one, 4, 0, 4096, 0, NULL, &last));
  cl_event events[] = {gate, held, last};
  /* The thread of the pool is busy, then another thread waits, and there is more to do. */
  begin(other, 0);
  reaches(&begun, 1);
  pthread_t thread;
  EQ(pthread_create(&thread, NULL, waits, events[kind]), 0);
  usleep(20000);
  begin(other, 1);
  reaches(&begun, 3);
  __atomic_store_n(&over[0], 1, __ATOMIC_SEQ_CST);
  OK(clSetUserEventStatus(gate, CL_COMPLETE));
  reaches(&back, 1);
  __atomic_store_n(&over[1], 1, __ATOMIC_SEQ_CST);
  EQ(pthread_join(thread, NULL), 0);
  OK(clFinish(q)); OK(clFinish(other));
  for (int i = 0; i < 3; i++) OK(clReleaseEvent(events[i]));
  OK(clReleaseMemObject(b)); OK(clReleaseMemObject(c)); OK(clReleaseCommandQueue(q)); OK(clReleaseCommandQueue(other));
}

int main(void) {
  alarm(120);
  open_device();
  for (int kind = 0; kind < 3; kind++) wait_for(kind);
  return 0;
}
