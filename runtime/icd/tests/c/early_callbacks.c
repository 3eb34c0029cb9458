/* Callbacks for stages before the end that are registered while the command ends: each is called once. The first argument says how
   often. */
#include "client.h"
#include <pthread.h>
#include <unistd.h>

static int calls;
static cl_event gate;
static pthread_barrier_t together;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data) {
  __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
}

static void *set(void *count) {
  for (long i = 0; i < (long)count; i++) {
    pthread_barrier_wait(&together);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    pthread_barrier_wait(&together);
  }
  return NULL;
}

int main(int count, char **words) {
  alarm(300);
  long rounds = count > 1 ? atol(words[1]) : 5000;
  open_device();
  cl_command_queue q = new_queue(0);
  pthread_barrier_init(&together, NULL, 2);
  pthread_t setter;
  OK(pthread_create(&setter, NULL, set, (void *)rounds));
  for (long i = 0; i < rounds; i++) {
    cl_event marker;
    gate = clCreateUserEvent(context, &error);
    OK(error);
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &marker));
    pthread_barrier_wait(&together);
    for (volatile int j = 0; j < i % 200; j++) {}
    OK(clSetEventCallback(marker, CL_RUNNING, on_event, NULL));
    pthread_barrier_wait(&together);
    OK(clWaitForEvents(1, &marker));
    OK(clReleaseEvent(marker)); OK(clReleaseEvent(gate));
  }
  OK(pthread_join(setter, NULL));
  OK(clFinish(q));
  for (int i = 0; i < 500 && calls < rounds; i++) usleep(10000);
  EQ(calls, rounds);
  return 0;
}
