/* Random programs of calls, legal and illegal, by one to four threads in several contexts; with forks, and with ends of the
   process at any moment. What is in memory, what calls return and how often callbacks are called is compared with a model.

   random_calls SEED COUNT         that many programs, each in a process of its own; the first failure is made smaller and shown
   random_calls SEED SECONDSs      the same for that many seconds
   random_calls series SEED COUNT  that many programs in this process, which must not grow
   random_calls one SEED [DROPPED] one program in this process, without the calls whose numbers (THREAD.CALL) are listed

   The library is the one that is linked; OXCL_DEVICES chooses devices. A process that does not end within three minutes hangs. */
#include "random/world.h"
#include "random/memory.h"
#include "random/programs.h"
#include "random/events.h"
#include "random/illegal.h"
#include <dirent.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unwind.h>

enum { RETURN, EXIT, UNDERSCORE_EXIT, QUICK_EXIT, KILLED, EXEC, THROWN, UNWOUND, ENDS };

static void call_fork(struct world *w, struct rng *r, int context);

struct kind { const char *name; void (*call)(struct world *, struct rng *, int); int weight; };
static const struct kind kinds[] = {
    {"make", call_make, 12}, {"part", call_part, 5}, {"write", call_write, 10}, {"read", call_read, 12}, {"fill", call_fill, 8},
    {"copy", call_copy, 10}, {"rectangle", call_rectangle, 5}, {"map", call_map, 9}, {"migrate", call_migrate, 3}, {"ask", call_ask, 3}, {"native", call_native, 4},
    {"retain", call_retain, 2}, {"release", call_release, 2}, {"program", call_program, 3}, {"kernel", call_kernel, 8}, {"launch", call_launch, 22}, {"hot", call_hot, 2},
    {"finish", call_finish, 3}, {"queue", call_queue, 3}, {"wait", call_wait, 4}, {"marker", call_marker, 3}, {"barrier", call_barrier, 3},
    {"gate", call_gate, 4}, {"failure", call_failure, 3}, {"query", call_query, 4}, {"context", call_context, 1}, {"meddle", call_meddle, 8},
    {"wrong handles", wrong_handles, 5}, {"wrong values", wrong_values, 5}, {"wrong launches", wrong_launches, 3}, {"fork", call_fork, 1}};

/* Calls that are left out. */
static byte dropped[THREADS][CALLS];
static struct world *worlds;
static struct { int threads, calls, ends, forks, end, end_thread, end_call; } plan;

static void make_plan(void) {
  struct rng r = rng_for(seed, 0);
  plan.threads = 1 + below(&r, THREADS);
  plan.calls = 16 + below(&r, CALLS - 16 + 1);
  plan.ends = one_in(&r, 6);
  /* ThreadSanitizer has no threads in children of such forks. */
  plan.forks = one_in(&r, 6) && !getenv("NO_FORKS");
  plan.end = below(&r, ENDS);
  plan.end_thread = below(&r, plan.threads);
  plan.end_call = below(&r, plan.calls);
}

/* What a child of a fork does with objects of its own. */
static void in_child(int how) {
  alarm(100);
  cl_int error;
  cl_device_id device;
  GOOD(clGetPlatformIDs(1, &platform, NULL));
  GOOD(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  GOOD(error);
  cl_command_queue q = clCreateCommandQueue(context, device, how & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
  GOOD(error);
  cl_mem b = clCreateBuffer(context, 0, 4096, NULL, &error);
  GOOD(error);
  byte seven = 7, back = 0;
  cl_event event;
  GOOD(clEnqueueFillBuffer(q, b, &seven, 1, 0, 4096, 0, NULL, &event));
  GOOD(clEnqueueReadBuffer(q, b, CL_TRUE, 4095, 1, &back, 1, &event, NULL));
  WANT(back, 7);
  if (how & 2) {
    cl_program p = with_source(context, "kernel void f(global uint *p) { p[get_global_id(0)] = 5; }", NULL);
    GOOD(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "f", &error);
    GOOD(error);
    size_t items = 1024;
    GOOD(clSetKernelArg(k, 0, sizeof b, &b));
    GOOD(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    GOOD(clFinish(q));
    GOOD(clEnqueueReadBuffer(q, b, CL_TRUE, 4092, 1, &back, 0, NULL, NULL));
    WANT(back, 5);
  }
  if (how & 4) {
    GOOD(clReleaseEvent(event)); GOOD(clReleaseMemObject(b)); GOOD(clReleaseCommandQueue(q)); GOOD(clReleaseContext(context));
  }
}
static void call_fork(struct world *w, struct rng *r, int context) {
  (void)w, (void)context;
  int how = below(r, 16), status;
  if (!plan.forks) return;
  pid_t child = fork();
  HOLDS(child >= 0);
  if (!child) {
    at.name = "child";
    in_child(how);
    if (how & 8) exit(0);
    _exit(0);
  }
  pid_t ended;
  do ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  HOLDS(ended == child);
  WANT(status, 0);
}

static void *throw_now(void *event) {
  static struct _Unwind_Exception exception;
  (void)event;
  _Unwind_RaiseException(&exception);
  return NULL;
}
static void CL_CALLBACK unwind(cl_event event, cl_int status, void *data) {
  (void)event, (void)status;
  if (data) pthread_exit(NULL);
  throw_now(NULL);
}

/* The process ends, whatever its threads do. */
static void end_now(struct world *w, struct rng *r) {
  at.name = "end";
  alarm(60);
  switch (plan.end) {
  case EXIT: exit(0);
  case UNDERSCORE_EXIT: _exit(0);
  case QUICK_EXIT: quick_exit(0);
  case KILLED: kill(getpid(), SIGKILL); break;
  case EXEC:
    __atomic_store_n(&in_exec, 1, __ATOMIC_SEQ_CST);
    execl("/bin/true", "true", NULL);
    _exit(1);
  case THROWN: case UNWOUND: {
    /* A callback that does not return: the process may be ended by it, and may not hang. */
    cl_event event;
    int number = some_queue(w, r, 0);
    GOOD(clEnqueueMarkerWithWaitList(w->queues[number].handle, 0, NULL, &event));
    GOOD(clSetEventCallback(event, CL_COMPLETE, unwind, plan.end == UNWOUND ? w : NULL));
    before_waiting(w, r);
    GOOD(clWaitForEvents(1, &event));
    nap(100000);
    _exit(0);
  }
  }
}

static void *run_thread(void *argument) {
  struct world *w = argument;
  at.thread = w->number;
  unsigned sum = 0;
  struct rng start = rng_for(seed, 1000 + w->number);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) sum += kinds[i].weight;
  for (int c = 0; c < CONTEXTS; c++) open_context(w, &start, c);
  for (int i = 0; i < plan.calls; i++) {
    struct rng r = rng_for(seed, 10000 + w->number * CALLS + i);
    unsigned pick = below(&r, sum), k = 0;
    int context = below(&r, CONTEXTS);
    at.call = i;
    if (plan.ends && plan.end != RETURN && w->number == plan.end_thread && i == plan.end_call) end_now(w, &r);
    while (pick >= (unsigned)kinds[k].weight) pick -= kinds[k++].weight;
    if (dropped[w->number][i]) continue;
    at.name = kinds[k].name;
    if (loud) fprintf(stderr, "  %d.%d %s\n", w->number, i, kinds[k].name);
    kinds[k].call(w, &r, context);
  }
  at.name = "end of a thread";
  for (int c = CONTEXTS - 1; c >= 0; c--) close_context(w, &start, c);
  finish_all(w, &start);
  while (w->gate_count) hand_over(w->gates[--w->gate_count], CL_COMPLETE, 0);
  return NULL;
}

static void open_platform(void) {
  cl_uint count;
  GOOD(clGetPlatformIDs(1, &platform, NULL));
  GOOD(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, devices, &count));
  device_count = count < DEVICES ? count : DEVICES;
#define FIND(place, name) HOLDS((place) = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name))
  FIND(host_alloc, clHostMemAllocINTEL);
  FIND(shared_alloc, clSharedMemAllocINTEL);
  FIND(device_alloc, clDeviceMemAllocINTEL);
  FIND(free_now, clMemFreeINTEL);
  FIND(copy_unified, clEnqueueMemcpyINTEL);
  FIND(fill_unified, clEnqueueMemFillINTEL);
  FIND(advise_unified, clEnqueueMemAdviseINTEL);
  FIND(ask_unified, clGetMemAllocInfoINTEL);
  FIND(migrate_unified, clEnqueueMigrateMemINTEL);
  FIND(set_unified, clSetKernelArgMemPointerINTEL);
  HOLDS(free_behind = (clMemFreeINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL"));
#undef FIND
  for (int i = 0; i < device_count; i++) {
    cl_device_svm_capabilities svm = 0;
    cl_device_exec_capabilities native = 0;
    size_t group = 1;
    clGetDeviceInfo(devices[i], CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
    GOOD(clGetDeviceInfo(devices[i], CL_DEVICE_EXECUTION_CAPABILITIES, sizeof native, &native, NULL));
    GOOD(clGetDeviceInfo(devices[i], CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL));
    shares[i] = svm != 0, runs_native[i] = !!(native & CL_EXEC_NATIVE_KERNEL), group_size[i] = group;
  }
}

static void run_program(void) {
  cl_int error;
  make_plan();
  worlds = need(THREADS * sizeof *worlds);
  common = clCreateContext(NULL, device_count, devices, NULL, NULL, &error);
  GOOD(error);
  opener.stop = 0;
  HOLDS(!pthread_create(&opener.thread, NULL, open_gates, NULL));
  pthread_t threads[THREADS];
  for (int i = 0; i < plan.threads; i++) {
    struct world *w = &worlds[i];
    w->number = i;
    for (int k = 0; k < CONTEXTS * ROOTS; k++) w->roots[k / ROOTS][k % ROOTS].writer.queue = NONE;
    HOLDS(!pthread_create(&threads[i], NULL, run_thread, w));
  }
  if (plan.ends && plan.end == RETURN) {
    nap(1000 * plan.end_call);
    exit(0);
  }
  for (int i = 0; i < plan.threads; i++) HOLDS(!pthread_join(threads[i], NULL));
  pthread_mutex_lock(&opener.lock);
  opener.stop = 1;
  pthread_cond_signal(&opener.more);
  pthread_mutex_unlock(&opener.lock);
  HOLDS(!pthread_join(opener.thread, NULL));
  at.name = "end";
  if (loose.memory) GOOD(clReleaseMemObject(loose.memory));
  if (loose.event) GOOD(clReleaseEvent(loose.event));
  if (loose.queue) GOOD(clReleaseCommandQueue(loose.queue));
  memset(&loose, 0, sizeof loose);
  GOOD(clReleaseContext(common));
  /* Callbacks come from a thread of the library. */
  for (int i = 0; i < plan.threads; i++) {
    struct world *w = &worlds[i];
    for (int k = 0; k < 100000 && __atomic_load_n(&w->called, __ATOMIC_SEQ_CST) < w->expected; k++) nap(200);
    at.thread = i;
    WANT(__atomic_load_n(&w->called, __ATOMIC_SEQ_CST), w->expected);
    WANT(w->pending_count, 0);
  }
  free(worlds);
}

#include "random/campaign.h"

int main(int count, char **words) {
  if (count >= 3 && !strcmp(words[1], "one")) {
    seed = strtoull(words[2], NULL, 10);
    loud = getenv("LOUD") != NULL;
    for (int i = 3; i < count; i++) drop(words[i]);
    open_platform();
    run_program();
    return 0;
  }
  if (count == 4 && !strcmp(words[1], "series")) return series(strtoull(words[2], NULL, 10), atol(words[3]));
  if (count == 3) {
    long many = atol(words[2]), timed = strchr(words[2], 's') != NULL;
    return campaign(words[0], strtoull(words[1], NULL, 10), timed ? LONG_MAX : many, timed ? many : LONG_MAX);
  }
  fprintf(stderr, "usage: random_calls SEED COUNT, or SEED SECONDSs, or series SEED COUNT, or one SEED [THREAD.CALL ...]\n");
  return 2;
}
