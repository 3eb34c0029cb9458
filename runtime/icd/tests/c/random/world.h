/* What a random program of calls has, and what its model knows of it.

   A thread of a program has a world: two contexts, one that all threads share and one of its own, each with slots for queues,
   memory, programs and kernels that only this thread uses. Beside each slot stands what the specification says of the object. The
   contents of memory are known at every moment, as commands on one piece of memory are ordered: by their in-order queue, by a
   barrier, or by the events that `gather` puts into wait lists. A call takes its random numbers from its own place in the program,
   so that a program from which calls were dropped makes the others as before. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONTEXTS = 2, QUEUES = 3, ROOTS = 5, KERNELS = 4, PROGRAMS = 2, READERS = 12, PENDING = 512, GATES = 32, LIST = 40 };
enum { DEVICES = 4, THREADS = 4, CALLS = 64, NONE = -1, FOREIGN = -2 };
enum { EMPTY = 0, BUFFER, SHARED };
typedef unsigned char byte;

struct rng { uint64_t state; };

/* A command that was enqueued: its event, or its place in an in-order queue where nobody asked for the event. */
struct mark { cl_event event; int queue; long at; };
/* Bytes that a command reads into or writes from: to be compared, or only to be kept, until it has ended. */
struct pending { struct mark mark; byte *host, *expected; size_t size; };
struct queue { cl_command_queue handle; int device, ordered, profiles, references; long at, barrier; };
struct map { byte *pointer; size_t at, size; int writes, queue; struct mark ready; };
struct part { cl_mem handle; size_t at, size; int references; };
struct root {
  int kind, references, unified;
  cl_mem handle;
  byte *shared, *model;
  size_t size;
  struct mark writer, readers[READERS];
  int reader_count, map_count, destructors;
  struct map maps[2];
  struct part parts[2];
};
struct program { cl_program handle; unsigned factor; int references; };
struct kernel { cl_kernel handle; int which, references; unsigned factor; };
struct world {
  int number;
  long calls;
  cl_context contexts[CONTEXTS];
  struct queue queues[CONTEXTS * QUEUES];
  struct root roots[CONTEXTS][ROOTS];
  struct program programs[CONTEXTS][PROGRAMS];
  struct kernel kernels[CONTEXTS][KERNELS];
  struct pending pending[PENDING];
  int pending_count, gate_count;
  cl_event gates[GATES];
  int expected, called;
  cl_event held;
};
/* Where a command finds the bytes of a piece of memory, or of a part of it. */
struct view { struct root *root; cl_mem handle; byte *shared; size_t at, size; };
struct use { struct root *root; int writes; };

static cl_platform_id platform;
static cl_device_id devices[DEVICES];
static clHostMemAllocINTEL_fn host_alloc;
static clSharedMemAllocINTEL_fn shared_alloc;
static clDeviceMemAllocINTEL_fn device_alloc;
static clMemFreeINTEL_fn free_now, free_behind;
static clEnqueueMemcpyINTEL_fn copy_unified;
static clEnqueueMemFillINTEL_fn fill_unified;
static clEnqueueMemAdviseINTEL_fn advise_unified;
static clGetMemAllocInfoINTEL_fn ask_unified;
static clEnqueueMigrateMemINTEL_fn migrate_unified;
static clSetKernelArgMemPointerINTEL_fn set_unified;
static int device_count, shares[DEVICES], runs_native[DEVICES], group_size[DEVICES];
static cl_context common;
static __thread struct { int thread, call; const char *name; } at = {-1, -1, "start"};
static uint64_t seed;
static int loud, in_exec;

static inline uint64_t next(struct rng *r) {
  uint64_t x = (r->state += 0x9e3779b97f4a7c15u);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
static inline unsigned below(struct rng *r, unsigned n) { return n ? (unsigned)(next(r) % n) : 0; }
static inline int one_in(struct rng *r, unsigned n) { return below(r, n) == 0; }
static inline struct rng rng_for(uint64_t a, uint64_t b) {
  struct rng r = {a * 0x9e3779b97f4a7c15u ^ (b + 1) * 0xd1342543de82ef95u};
  next(&r);
  return r;
}

static void fail(const char *file, int line, const char *format, ...) {
  char text[600];
  /* Linux starts no thread for a process in which another one replaces the program. */
  while (__atomic_load_n(&in_exec, __ATOMIC_SEQ_CST)) pause();
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  fprintf(stderr, "seed %llu thread %d call %d (%s) %s:%d: %s\n", (unsigned long long)seed, at.thread, at.call, at.name, strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line, text);
  _exit(1);
}
#define WANT(call, want)                                                                            \
  do {                                                                                              \
    long long got_ = (long long)(call), want_ = (long long)(want);                                  \
    if (got_ != want_) fail(__FILE__, __LINE__, "%s is %lld, not %lld", #call, got_, want_);         \
  } while (0)
#define GOOD(call) WANT(call, CL_SUCCESS)
#define HOLDS(what) do { if (!(what)) fail(__FILE__, __LINE__, "%s does not hold", #what); } while (0)
#define ONE_OF(call, ...)                                                                           \
  do {                                                                                              \
    const int all_[] = {__VA_ARGS__};                                                               \
    int got_ = (call), is_ = 0;                                                                     \
    for (size_t i_ = 0; i_ < sizeof all_ / sizeof *all_; i_++) is_ |= all_[i_] == got_;              \
    if (!is_) fail(__FILE__, __LINE__, "%s is %d", #call, got_);                                     \
  } while (0)

static inline void *need(size_t size) {
  void *p = calloc(1, size ? size : 1);
  HOLDS(p);
  return p;
}
static void nap(long microseconds) {
  struct timespec t = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&t, NULL);
}

/* Gates: user events that a thread of their own sets, a little later than the call that hands them over. */
struct order { cl_event event; int status; long delay; };
static struct { pthread_mutex_t lock; pthread_cond_t more; struct order orders[THREADS * GATES * 4]; int count, stop; pthread_t thread; } opener = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {{0}}, 0, 0, 0};

static void *open_gates(void *unused) {
  at.name = "opener";
  pthread_mutex_lock(&opener.lock);
  for (;;) {
    while (!opener.count && !opener.stop) pthread_cond_wait(&opener.more, &opener.lock);
    if (!opener.count) break;
    struct order order = opener.orders[--opener.count];
    pthread_mutex_unlock(&opener.lock);
    if (order.delay) nap(order.delay);
    GOOD(clSetUserEventStatus(order.event, order.status));
    GOOD(clReleaseEvent(order.event));
    pthread_mutex_lock(&opener.lock);
  }
  pthread_mutex_unlock(&opener.lock);
  return unused;
}
/* Takes over the reference. */
static void hand_over(cl_event event, int status, long delay) {
  pthread_mutex_lock(&opener.lock);
  int full = opener.count == sizeof opener.orders / sizeof *opener.orders;
  if (!full) opener.orders[opener.count++] = (struct order){event, status, delay};
  pthread_cond_signal(&opener.more);
  pthread_mutex_unlock(&opener.lock);
  if (full) {
    GOOD(clSetUserEventStatus(event, status));
    GOOD(clReleaseEvent(event));
  }
}

/* A gate that a callback opens, when another event is set. */
static void CL_CALLBACK on_first(cl_event event, cl_int status, void *gate) {
  (void)event;
  WANT(status, CL_COMPLETE);
  GOOD(clSetUserEventStatus(gate, CL_COMPLETE));
  GOOD(clReleaseEvent(gate));
}
static void hand_over_to_callback(cl_context context, cl_event gate, long delay) {
  cl_int error;
  cl_event first = clCreateUserEvent(context, &error);
  GOOD(error);
  GOOD(clSetEventCallback(first, CL_COMPLETE, on_first, gate));
  hand_over(first, CL_COMPLETE, delay);
}

/* Before a call that waits: what it may wait for has been submitted, and all gates will open. */
static void before_waiting(struct world *w, struct rng *r) {
  for (int i = 0; i < CONTEXTS * QUEUES; i++)
    if (w->queues[i].handle) GOOD(clFlush(w->queues[i].handle));
  while (w->gate_count) {
    cl_event gate = w->gates[--w->gate_count];
    long delay = one_in(r, 2) ? 0 : below(r, 2000);
    if (one_in(r, 3)) hand_over_to_callback(common, gate, delay);
    else hand_over(gate, CL_COMPLETE, delay);
  }
}

static void forget(struct mark *m) {
  if (m->event) GOOD(clReleaseEvent(m->event));
  *m = (struct mark){NULL, NONE, 0};
}
static struct mark copy_of(struct mark m) {
  if (m.event) GOOD(clRetainEvent(m.event));
  return m;
}

/* The event of a command whose event nobody asked for is that of a marker behind it. */
static cl_event event_of(struct world *w, struct mark *m) {
  if (!m->event) {
    struct queue *q = &w->queues[m->queue];
    GOOD(clEnqueueMarkerWithWaitList(q->handle, 0, NULL, &m->event));
    q->at++;
  }
  return m->event;
}

static void compare(struct pending *p) {
  if (p->expected && memcmp(p->host, p->expected, p->size)) {
    size_t i = 0;
    while (p->host[i] == p->expected[i]) i++;
    fail(__FILE__, __LINE__, "byte %zu of %zu that were read is %d, not %d", i, p->size, p->host[i], p->expected[i]);
  }
  free(p->host);
  free(p->expected);
}
static void drop_pending(struct world *w, int i) {
  forget(&w->pending[i].mark);
  w->pending[i] = w->pending[--w->pending_count];
}

/* A queue is empty: what was read is compared, and nothing has to wait for its commands. */
static void settle(struct world *w, int number) {
  for (int i = w->pending_count - 1; i >= 0; i--)
    if (w->pending[i].mark.queue == number) {
      compare(&w->pending[i]);
      drop_pending(w, i);
    }
  for (struct root *root = (struct root *)w->roots; root < (struct root *)(w->roots + CONTEXTS); root++) {
    if (root->writer.queue == number) forget(&root->writer);
    for (int i = root->reader_count - 1; i >= 0; i--)
      if (root->readers[i].queue == number) {
        forget(&root->readers[i]);
        root->readers[i] = root->readers[--root->reader_count];
      }
  }
}
static void finish(struct world *w, struct rng *r, int number) {
  before_waiting(w, r);
  GOOD(clFinish(w->queues[number].handle));
  settle(w, number);
}
static void finish_all(struct world *w, struct rng *r) {
  before_waiting(w, r);
  for (int i = 0; i < CONTEXTS * QUEUES; i++)
    if (w->queues[i].handle) {
      GOOD(clFinish(w->queues[i].handle));
      settle(w, i);
    }
  /* What is left was enqueued in queues that are gone. */
  for (int i = w->pending_count - 1; i >= 0; i--) {
    GOOD(clWaitForEvents(1, &w->pending[i].mark.event));
    compare(&w->pending[i]);
    drop_pending(w, i);
  }
  for (struct root *root = (struct root *)w->roots; root < (struct root *)(w->roots + CONTEXTS); root++) {
    if (root->writer.event) GOOD(clWaitForEvents(1, &root->writer.event));
    forget(&root->writer);
    while (root->reader_count) {
      struct mark *last = &root->readers[--root->reader_count];
      if (last->event) GOOD(clWaitForEvents(1, &last->event));
      forget(last);
    }
  }
}
/* A queue goes with commands in it: who has to wait for one of them needs an event. */
static void detach(struct world *w, int number) {
  struct queue *q = &w->queues[number];
  struct mark all = {NULL, number, 0};
  cl_event last = event_of(w, &all);
#define MOVE(mark)                                              \
  do {                                                          \
    if ((mark).queue == number) {                               \
      if (!(mark).event) { (mark).event = last; GOOD(clRetainEvent(last)); } \
      (mark).queue = FOREIGN;                                   \
    }                                                           \
  } while (0)
  for (struct root *root = (struct root *)w->roots; root < (struct root *)(w->roots + CONTEXTS); root++) {
    MOVE(root->writer);
    for (int i = 0; i < root->reader_count; i++) MOVE(root->readers[i]);
    for (int i = 0; i < root->map_count; i++) MOVE(root->maps[i].ready);
  }
  for (int i = 0; i < w->pending_count; i++) MOVE(w->pending[i].mark);
#undef MOVE
  GOOD(clReleaseEvent(last));
  q->at = q->barrier = 0;
}

/* The wait list of a command in a queue: what must have ended before, as far as the queue does not say so itself. Now and then
   also what need not be there, and a gate. */
static cl_uint gather(struct world *w, struct rng *r, int number, const struct use *uses, int count, cl_event *list) {
  struct queue *q = &w->queues[number];
  cl_uint found = 0;
  for (int i = 0; i < count; i++)
    if (uses[i].root->reader_count >= READERS - 2) {
      finish_all(w, r);
      break;
    }
  for (int i = 0; i < count; i++) {
    struct root *root = uses[i].root;
    int readers = uses[i].writes ? root->reader_count : 0;
    for (int k = -1; k < readers; k++) {
      struct mark *m = k < 0 ? &root->writer : &root->readers[k];
      if (m->queue == NONE) continue;
      int implied = m->queue == number && (q->ordered || m->at < q->barrier);
      if (implied && !one_in(r, 6)) continue;
      if (found < LIST - 2) list[found++] = event_of(w, m);
      else HOLDS(implied);
    }
  }
  if (one_in(r, 10) && w->gate_count < GATES) {
    cl_int error;
    cl_event gate = clCreateUserEvent(w->contexts[number / QUEUES], &error);
    GOOD(error);
    list[found++] = w->gates[w->gate_count++] = w->held = gate;
    /* The gate may be handed over, opened and released before the command is enqueued. */
    GOOD(clRetainEvent(gate));
  }
  return found;
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data) {
  struct world *w = data;
  if (status < 0) fail(__FILE__, __LINE__, "a callback is told of status %d", status);
  /* What a callback may do. */
  cl_int now;
  cl_command_queue queue;
  GOOD(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL));
  HOLDS(now <= status);
  GOOD(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
  if (queue && (uintptr_t)event / 64 % 2) {
    cl_event marker;
    if (clEnqueueMarkerWithWaitList(queue, 1, &event, &marker) == CL_SUCCESS) {
      GOOD(clFlush(queue));
      GOOD(clReleaseEvent(marker));
    }
  }
  GOOD(clRetainEvent(event));
  GOOD(clReleaseEvent(event));
  __atomic_fetch_add(&w->called, 1, __ATOMIC_SEQ_CST);
}

/* Whether a command's event is asked for. */
static cl_event *wanted(struct world *w, struct rng *r, int number, cl_event *event) {
  *event = NULL;
  return w->queues[number].ordered && one_in(r, 3) ? NULL : event;
}

/* A command was enqueued: what uses its memory next waits for it. */
static struct mark enqueued(struct world *w, struct rng *r, int number, const struct use *uses, int count, cl_event event) {
  struct mark m = {event, number, w->queues[number].at++};
  if (w->held) GOOD(clReleaseEvent(w->held));
  w->held = NULL;
  for (int i = 0; i < count; i++) {
    struct root *root = uses[i].root;
    if (uses[i].writes) {
      while (root->reader_count) forget(&root->readers[--root->reader_count]);
      forget(&root->writer);
      root->writer = copy_of(m);
    } else {
      root->readers[root->reader_count++] = copy_of(m);
    }
  }
  if (event && one_in(r, 5)) {
    int stage = (int[]){CL_COMPLETE, CL_RUNNING, CL_SUBMITTED}[below(r, 3)];
    w->expected++;
    GOOD(clSetEventCallback(event, stage, on_event, w));
  }
  if (event && one_in(r, 8)) {
    cl_int status;
    GOOD(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    HOLDS(status >= CL_COMPLETE && status <= CL_QUEUED);
  }
  if (one_in(r, 6)) GOOD(clFlush(w->queues[number].handle));
  return m;
}
/* As above, for who keeps the mark no longer. */
static void enqueued_plain(struct world *w, struct rng *r, int number, const struct use *uses, int count, cl_event event) {
  struct mark m = enqueued(w, r, number, uses, count, event);
  forget(&m);
}

/* Keeps host bytes until the command has ended, and compares them then where something is expected. Takes over the mark. */
static void keep(struct world *w, struct rng *r, struct mark mark, byte *host, byte *expected, size_t size) {
  if (w->pending_count == PENDING) finish_all(w, r);
  w->pending[w->pending_count++] = (struct pending){mark, host, expected, size};
  /* Some are looked at while others run. */
  for (int i = w->pending_count - 1; i >= 0; i--) {
    cl_int status;
    struct pending *p = &w->pending[i];
    if (!p->mark.event || !one_in(r, 4)) continue;
    GOOD(clGetEventInfo(p->mark.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    if (status != CL_COMPLETE) continue;
    compare(p);
    drop_pending(w, i);
  }
}

/* A queue of the context, made now where its slot is empty. */
static int some_queue(struct world *w, struct rng *r, int context) {
  int number = context * QUEUES + below(r, QUEUES);
  struct queue *q = &w->queues[number];
  unsigned kind = below(r, 4), device = below(r, device_count);
  if (q->handle) return number;
  cl_int error;
  cl_command_queue_properties flags = (kind & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0) | (kind & 2 ? CL_QUEUE_PROFILING_ENABLE : 0);
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, 0};
  q->handle = clCreateCommandQueueWithProperties(w->contexts[context], devices[device], list, &error);
  GOOD(error);
  *q = (struct queue){q->handle, device, !(kind & 1), !!(kind & 2), 1, 0, 0};
  return number;
}
