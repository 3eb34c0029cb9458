/* Memory that runs out, request by request, while callbacks are registered and while threads wait: an error or the call does its
   work, and what was registered is called once. The program's allocator refuses. */
#define _GNU_SOURCE
#include "client.h"
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

/* Of this thread's requests so many are granted, and then one, or all, are not; -1: all are. */
static __thread int granted = -1, all_after, refused;

static int refuse(void) {
  if (granted < 0) return 0;
  if (granted > 0) { granted--; return 0; }
  refused++;
  if (!all_after) granted = -1;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return refuse() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return refuse() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return refuse() ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t align, size_t size) { return refuse() ? NULL : __libc_memalign(align, size); }
int posix_memalign(void **out, size_t align, size_t size) {
  void *got = refuse() ? NULL : __libc_memalign(align, size);
  if (!got) return ENOMEM;
  *out = got;
  return 0;
}

static void grant(int count, int all) { refused = 0; all_after = all; granted = count; }
static int were_refused(void) { granted = -1; return refused; }

static int calls[64];
static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data) {
  __atomic_add_fetch(&calls[(intptr_t)data], 1, __ATOMIC_SEQ_CST);
}
static int gone;
static void CL_CALLBACK on_gone(cl_mem object, void *data) { __atomic_add_fetch(&gone, 1, __ATOMIC_SEQ_CST); }

static int reaches(int *what, int want) {
  for (int i = 0; i < 1000 && __atomic_load_n(what, __ATOMIC_SEQ_CST) < want; i++) usleep(1000);
  return __atomic_load_n(what, __ATOMIC_SEQ_CST) == want;
}

static pthread_barrier_t ready;

static void CL_CALLBACK who(void *args) { **(pthread_t **)args = pthread_self(); }

/* The calling thread has executed a command. What a thread has of the library's is made then, once, with memory that neither the
   system nor the language refuses without ending the process. */
static void execute_one(void) {
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(4096);
  pthread_t by = 0, *at = &by;
  for (int i = 0; i < 100000 && !pthread_equal(by, pthread_self()); i++) {
    struct { pthread_t *at; cl_mem memory; } args = {at, b};
    const void *place = &args.memory;
    OK(clEnqueueNativeKernel(q, who, &args, sizeof args, 1, &b, &place, 0, NULL, NULL));
    OK(clFinish(q));
  }
  OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
}

/* Without memory a thread waits, alone or while another one executes. */
static void *finish(void *queue) {
  execute_one();
  pthread_barrier_wait(&ready);
  grant(0, 1);
  cl_int result = clFinish(queue);
  were_refused();
  OK(result);
  return NULL;
}

/* Each request of a registration is refused once. How many there are. */
static int registrations(cl_int stage) {
  for (int n = 0;; n++) {
    memset(calls, 0, sizeof calls);
    int one = 1, registered[8] = {0}, failed = 0;
    cl_command_queue q = new_queue(0);
    cl_mem b = new_buffer(4096);
    /* A buffer gets its memory with its first command. */
    OK(clEnqueueFillBuffer(q, b, &one, 4, 0, 4096, 0, NULL, NULL));
    OK(clFinish(q));
    cl_event done, gate = clCreateUserEvent(context, &error);
    OK(error);
    OK(clEnqueueFillBuffer(q, b, &one, 4, 0, 4096, 1, &gate, &done));
    grant(n, 0);
    for (intptr_t i = 0; i < 8; i++) {
      cl_int result = clSetEventCallback(done, stage, on_event, (void *)i);
      if (result == CL_SUCCESS) registered[i] = 1;
      else if (result == CL_OUT_OF_HOST_MEMORY) failed++;
      else OK(result);
    }
    int was = were_refused();
    /* One call asked for it. */
    TRUE(failed == was || (failed == 0 && was == 1));
    pthread_t threads[2];
    EQ(pthread_barrier_init(&ready, NULL, 3), 0);
    for (int i = 0; i < 2; i++) EQ(pthread_create(&threads[i], NULL, finish, q), 0);
    pthread_barrier_wait(&ready);
    usleep(2000);
    /* What is called at the command's end needs none. */
    grant(0, 1);
    cl_int result = clSetUserEventStatus(gate, CL_COMPLETE);
    were_refused();
    OK(result);
    for (int i = 0; i < 2; i++) EQ(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 8; i++) TRUE(reaches(&calls[i], registered[i]));
    OK(clReleaseEvent(done)); OK(clReleaseEvent(gate)); OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
    if (!was) return n;
  }
}

/* The same for destructors of a buffer that two queues' commands use. How many calls failed. */
static int destructors(void) {
  int failures = 0;
  for (int n = 0;; n++) {
    gone = 0;
    int one = 1, registered = 0;
    cl_command_queue q[] = {new_queue(0), new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
    cl_mem b = new_buffer(4096);
    cl_event gate = clCreateUserEvent(context, &error);
    OK(error);
    for (int i = 0; i < 2; i++) OK(clEnqueueFillBuffer(q[i], b, &one, 4, 0, 4096, 1, &gate, NULL));
    grant(n, 0);
    for (int i = 0; i < 2; i++) {
      cl_int result = clSetMemObjectDestructorCallback(b, on_gone, NULL);
      if (result == CL_SUCCESS) registered++;
      else EQ(result, CL_OUT_OF_HOST_MEMORY);
    }
    int was = were_refused();
    failures += 2 - registered;
    OK(clReleaseMemObject(b));
    usleep(1000);
    EQ(gone, 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    for (int i = 0; i < 2; i++) OK(clFinish(q[i]));
    TRUE(reaches(&gone, registered));
    for (int i = 0; i < 2; i++) OK(clReleaseCommandQueue(q[i]));
    OK(clReleaseEvent(gate));
    if (!was) return failures;
  }
}

int main(void) {
  alarm(120);
  open_device();
  /* The thread that calls functions is there. */
  cl_event gate = clCreateUserEvent(context, &error);
  OK(error);
  OK(clSetEventCallback(gate, CL_COMPLETE, on_event, (void *)40));
  OK(clSetUserEventStatus(gate, CL_COMPLETE));
  TRUE(reaches(&calls[40], 1));
  execute_one();
  OK(clReleaseEvent(gate));
  cl_int stages[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
  for (int i = 0; i < 3; i++) TRUE(registrations(stages[i]) >= 8 * 3);
  TRUE(destructors() >= 3);
  return 0;
}
