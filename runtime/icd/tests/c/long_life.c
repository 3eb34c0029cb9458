/* A program that runs for long: threads make, use and free every kind of object, and after the first part of the run memory, threads,
   descriptors and processes stay as they are.

   long_life COMMANDS SECONDS [limit]

   As many commands in that time, evenly; without a time as fast as they go. With `limit` the process may, once for each context, have
   less memory than it asks for, and devices of OXCL_DEVICES with memory of their own get more than that holds. */
#include "client.h"
#include <CL/cl_ext.h>
#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, BYTES = 1 << 14, ITEMS = 256 };

static const char *source =
    "kernel void more(global uint *p, uint by) { p[get_global_id(0)] += by * STEP; }\n"
    "kernel void turn(global uint *p, local uint *s) {\n"
    "  size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);\n"
    "  s[l] = p[i]; barrier(CLK_LOCAL_MEM_FENCE); p[i] = s[n - 1 - l]; }\n";

static cl_device_id all[8];
static cl_uint device_count;
static long done, called, expected, refused;
static int limited;
static clHostMemAllocINTEL_fn host_alloc;
static clMemFreeINTEL_fn host_free;

static void count(long commands) { __atomic_fetch_add(&done, commands, __ATOMIC_RELAXED); }
static void on_event(cl_event e, cl_int status, void *data) { (void)e, (void)status, (void)data; __atomic_fetch_add(&called, 1, __ATOMIC_SEQ_CST); }
static void on_gone(cl_mem m, void *data) { (void)m, (void)data; __atomic_fetch_add(&called, 1, __ATOMIC_SEQ_CST); }
static void on_context(cl_context c, void *data) { (void)c, (void)data; __atomic_fetch_add(&called, 1, __ATOMIC_SEQ_CST); }
static void on_report(const char *t, const void *p, size_t s, void *data) { (void)t, (void)p, (void)s, (void)data; }
static void on_free(cl_command_queue q, cl_uint n, void *pointers[], void *data) {
  (void)q;
  for (cl_uint i = 0; i < n; i++) clSVMFree(data, pointers[i]);
  __atomic_fetch_add(&called, 1, __ATOMIC_SEQ_CST);
}
static void expect(void) { __atomic_fetch_add(&expected, 1, __ATOMIC_SEQ_CST); }
static void native(void *args) { ++**(cl_uint **)args; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* What one thread keeps for a while: a context with a program and kernels, made anew every so many rounds. */
struct home { cl_context context; cl_device_id device; int shares; cl_program program; cl_kernel more, turn; cl_uint step; };

static cl_program built(struct home *h, int round) {
  cl_int error;
  char options[64];
  /* Now and then one that nobody has built before. */
  h->step = round % 40 == 0 ? 1000 + round : 1 + round % 3;
  snprintf(options, sizeof options, "-DSTEP=%uu", h->step);
  cl_program p = clCreateProgramWithSource(h->context, 1, &source, NULL, &error), other;
  OK(error);
  switch (round % 3) {
  case 0: OK(clBuildProgram(p, 1, &h->device, options, NULL, NULL)); break;
  case 1:
    OK(clCompileProgram(p, 1, &h->device, options, 0, NULL, NULL, NULL, NULL));
    other = clLinkProgram(h->context, 1, &h->device, "", 1, &p, NULL, NULL, &error);
    OK(error);
    OK(clReleaseProgram(p));
    p = other;
    break;
  case 2: {
    OK(clBuildProgram(p, 1, &h->device, options, NULL, NULL));
    size_t size[8];
    unsigned char *bytes[8] = {NULL};
    cl_uint devices = 1;
    cl_device_id of[8];
    OK(clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL));
    OK(clGetProgramInfo(p, CL_PROGRAM_DEVICES, sizeof of, of, NULL));
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, size, NULL));
    for (cl_uint i = 0; i < devices; i++) bytes[i] = malloc(size[i] + 1);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, bytes, NULL));
    OK(clReleaseProgram(p));
    p = clCreateProgramWithBinary(h->context, 1, &h->device, size, (const unsigned char **)bytes, NULL, &error);
    OK(error);
    OK(clBuildProgram(p, 1, &h->device, "", NULL, NULL));
    for (cl_uint i = 0; i < devices; i++) free(bytes[i]);
  }
  }
  return p;
}

static void enter(struct home *h, int round) {
  cl_int error;
  h->device = all[round % device_count];
  cl_device_svm_capabilities svm = 0;
  clGetDeviceInfo(h->device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
  h->shares = svm != 0;
  h->context = clCreateContext(NULL, 1, &h->device, on_report, NULL, &error);
  OK(error);
  expect();
  OK(clSetContextDestructorCallback(h->context, on_context, NULL));
  h->program = built(h, round);
  h->more = clCreateKernel(h->program, "more", &error);
  OK(error);
  h->turn = clCreateKernel(h->program, "turn", &error);
  OK(error);
}
static void leave(struct home *h) {
  OK(clReleaseKernel(h->more)); OK(clReleaseKernel(h->turn)); OK(clReleaseProgram(h->program)); OK(clReleaseContext(h->context));
}

/* An in-order queue: kernels, of whose events some are asked for, transfers, mappings, parts, a native kernel. */
static void in_order(struct home *h, int round) {
  cl_int error;
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, round % 2 ? CL_QUEUE_PROFILING_ENABLE : 0, 0};
  cl_command_queue q = clCreateCommandQueueWithProperties(h->context, h->device, list, &error);
  OK(error);
  cl_mem b = clCreateBuffer(h->context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
  OK(error);
  cl_buffer_region region = {BYTES / 2, BYTES / 4};
  cl_mem part = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  OK(error);
  cl_uint one = 1, zero = 0, back[ITEMS], value = 0;
  size_t items = ITEMS, local = 64;
  OK(clEnqueueFillBuffer(q, b, &zero, 4, 0, BYTES, 0, NULL, NULL));
  OK(clSetKernelArg(h->more, 0, sizeof b, &b));
  OK(clSetKernelArg(h->more, 1, 4, &one));
  OK(clSetKernelArg(h->turn, 0, sizeof part, &part));
  OK(clSetKernelArg(h->turn, 1, local * 4, NULL));
  expect();
  OK(clSetMemObjectDestructorCallback(b, on_gone, NULL));
  for (int i = 0; i < 1200; i++) {
    cl_event event = NULL, *out = i % 10 == 0 ? &event : NULL;
    OK(clEnqueueNDRangeKernel(q, h->more, 1, NULL, &items, &local, 0, NULL, out));
    value += h->step;
    if (i % 8 == 0) OK(clEnqueueNDRangeKernel(q, h->turn, 1, NULL, &items, &local, 0, NULL, NULL));
    if (i % 16 == 0) OK(clEnqueueCopyBuffer(q, b, part, 0, 0, 256, 0, NULL, NULL));
    if (i % 20 == 0) OK(clEnqueueWriteBuffer(q, part, CL_FALSE, 1024, 4, &one, 0, NULL, NULL));
    if (i % 300 == 299) {
      OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
      for (int k = 0; k < ITEMS; k++) EQ(back[k], value);
      cl_uint *map = clEnqueueMapBuffer(q, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 1024, 0, NULL, NULL, &error);
      OK(error);
      for (int k = 0; k < ITEMS; k++) map[k]++;
      value++;
      OK(clEnqueueUnmapMemObject(q, b, map, 0, NULL, NULL));
      OK(clEnqueueMigrateMemObjects(q, 1, &b, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
      OK(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
      OK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    }
    if (event && i % 100 == 0) {
      expect();
      OK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL));
    }
    if (event) OK(clReleaseEvent(event));
  }
  void *place = NULL;
  const void *at = &place;
  OK(clEnqueueNativeKernel(q, native, &place, sizeof place, 1, &b, &at, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, 4, back, 0, NULL, NULL));
  EQ(back[0], value + 1);
  count(1200 + 150 + 75 + 60 + 6 * 4 + 3);
  OK(clReleaseMemObject(part)); OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
}

/* An out-of-order queue: a chain of events behind a gate, that opens or fails. */
static void out_of_order(struct home *h, int round) {
  enum { LENGTH = 200 };
  cl_int error, status, fails = round % 4 == 3;
  cl_command_queue q = clCreateCommandQueue(h->context, h->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
  OK(error);
  static __thread cl_uint host[BYTES / 4];
  cl_mem b = clCreateBuffer(h->context, CL_MEM_USE_HOST_PTR, BYTES, host, &error);
  OK(error);
  cl_event chain[LENGTH + 1] = {clCreateUserEvent(h->context, &error)};
  OK(error);
  for (cl_uint i = 1; i <= LENGTH; i++) {
    OK(clEnqueueFillBuffer(q, b, &i, 4, 0, 256, 1, &chain[i - 1], &chain[i]));
    if (i % 50 == 0) {
      expect();
      OK(clSetEventCallback(chain[i], CL_COMPLETE, on_event, NULL));
    }
  }
  OK(clSetUserEventStatus(chain[0], fails ? -7 : CL_COMPLETE));
  EQ(clWaitForEvents(1, &chain[LENGTH]), fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
  OK(clGetEventInfo(chain[LENGTH], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  TRUE(fails ? status < 0 : status == CL_COMPLETE);
  for (int i = 0; i <= LENGTH; i++) OK(clReleaseEvent(chain[i]));
  OK(clFinish(q));
  count(LENGTH);
  OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
}

/* Shared memory, freed by a command, by a function and while a kernel's argument; a queue that is left with commands in it. */
static void shared(struct home *h, int round) {
  cl_int error;
  if (!h->shares) return;
  cl_command_queue q = clCreateCommandQueue(h->context, h->device, 0, &error);
  OK(error);
  cl_uint *p = clSVMAlloc(h->context, CL_MEM_READ_WRITE, BYTES, 0), *u = host_alloc(h->context, NULL, BYTES, 0, &error), one = 1;
  OK(error);
  TRUE(p && u);
  size_t items = ITEMS;
  OK(clEnqueueSVMMemFill(q, p, &one, 4, BYTES, 0, NULL, NULL));
  OK(clSetKernelArgSVMPointer(h->more, 0, p));
  OK(clSetKernelArg(h->more, 1, 4, &one));
  for (int i = 0; i < 100; i++) OK(clEnqueueNDRangeKernel(q, h->more, 1, NULL, &items, NULL, 0, NULL, NULL));
  OK(clEnqueueSVMMemcpy(q, CL_TRUE, u, p, BYTES, 0, NULL, NULL));
  EQ(u[0], 1 + 100 * h->step);
  OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, p, BYTES, 0, NULL, NULL));
  p[0] = 7;
  OK(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
  void *pointers[] = {p};
  expect();
  OK(clEnqueueSVMFree(q, 1, pointers, on_free, h->context, 0, NULL, NULL));
  count(105);
  if (round % 2) OK(clFinish(q));
  OK(clReleaseCommandQueue(q));
  OK(host_free(h->context, u));
}

static void parts_of_a_device(struct home *h) {
  cl_device_partition_property way[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id parts[64];
  cl_uint found = 0;
  cl_int error = clCreateSubDevices(h->device, way, 64, parts, &found);
  if (error) return;
  cl_context c = clCreateContext(NULL, found, parts, NULL, NULL, &error);
  OK(error);
  cl_command_queue q = clCreateCommandQueue(c, parts[0], 0, &error);
  OK(error);
  OK(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
  OK(clFinish(q));
  count(1);
  OK(clReleaseCommandQueue(q)); OK(clReleaseContext(c));
  for (cl_uint i = 0; i < found; i++) OK(clReleaseDevice(parts[i]));
}

/* More memory than there is: calls and commands may fail for that reason and for no other, and everything goes on afterwards. */
static int is_memory(cl_int error) { return error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY || error == CL_OUT_OF_RESOURCES; }

static void squeeze(struct home *h) {
  enum { PIECES = 24, PIECE = 4 << 20 };
  cl_int error;
  cl_mem pieces[PIECES] = {NULL};
  cl_command_queue q = clCreateCommandQueue(h->context, h->device, 0, &error);
  OK(error);
  struct rlimit before, less;
  OK(getrlimit(RLIMIT_AS, &before));
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  TRUE(f && fscanf(f, "%ld", &pages) == 1);
  fclose(f);
  less = before;
  less.rlim_cur = pages * 4096 + (rlim_t)PIECES * PIECE / 2;
  OK(setrlimit(RLIMIT_AS, &less));
  cl_uint one = 1;
  long no = 0;
  for (int i = 0; i < PIECES; i++) {
    pieces[i] = clCreateBuffer(h->context, CL_MEM_READ_WRITE, PIECE, NULL, &error);
    if (!pieces[i]) { TRUE(is_memory(error)); no++; continue; }
    error = clEnqueueFillBuffer(q, pieces[i], &one, 4, 0, PIECE, 0, NULL, NULL);
    TRUE(!error || is_memory(error));
    no += error != 0;
    cl_uint back = 0;
    error = clEnqueueReadBuffer(q, pieces[i], CL_TRUE, PIECE - 4, 4, &back, 0, NULL, NULL);
    TRUE(!error || is_memory(error) || error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    if (!error) EQ(back, 1);
    no += error != 0;
  }
  OK(clFinish(q));
  OK(setrlimit(RLIMIT_AS, &before));
  for (int i = 0; i < PIECES; i++)
    if (pieces[i]) OK(clReleaseMemObject(pieces[i]));
  OK(clReleaseCommandQueue(q));
  __atomic_fetch_add(&refused, no, __ATOMIC_RELAXED);
  count(PIECES * 2);
}

static double start, seconds;
static long commands;

static void *live(void *number) {
  struct home h;
  int round = (int)(intptr_t)number * 1000;
  for (; __atomic_load_n(&done, __ATOMIC_RELAXED) < commands; round++) {
    enter(&h, round);
    for (int i = 0; i < 25 && __atomic_load_n(&done, __ATOMIC_RELAXED) < commands; i++) {
      in_order(&h, i);
      out_of_order(&h, i);
      shared(&h, i);
      if (i % 10 == 0) parts_of_a_device(&h);
      if (limited && i == 0) squeeze(&h);
      double ahead = seconds * __atomic_load_n(&done, __ATOMIC_RELAXED) / commands - (now() - start);
      if (ahead > 0) usleep(ahead > 0.5 ? 500000 : (useconds_t)(ahead * 1e6));
    }
    leave(&h);
  }
  return NULL;
}

struct sample { long memory, threads, descriptors, processes; };

static long lines_of(const char *file, const char *key) {
  char line[256];
  long value = 0;
  FILE *f = fopen(file, "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, key, strlen(key))) value = atol(line + strlen(key));
  if (f) fclose(f);
  return value;
}
static struct sample look(void) {
  struct sample s = {lines_of("/proc/self/status", "VmRSS:"), lines_of("/proc/self/status", "Threads:"), 0, 0};
  char path[64], text[4096] = "";
  DIR *d = opendir("/proc/self/fd");
  while (d && readdir(d)) s.descriptors++;
  if (d) closedir(d);
  /* Children are listed below the thread that started them. */
  d = opendir("/proc/self/task");
  for (struct dirent *e; d && (e = readdir(d));) {
    snprintf(path, sizeof path, "/proc/self/task/%.20s/children", e->d_name);
    FILE *f = fopen(path, "r");
    if (f && fgets(text, sizeof text, f))
      for (char *p = text; *p; p++) s.processes += *p == ' ';
    if (f) fclose(f);
  }
  if (d) closedir(d);
  return s;
}

int main(int argc, char **words) {
  TRUE(argc >= 3);
  commands = atol(words[1]), seconds = atof(words[2]), limited = argc > 3;
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, all, &device_count));
  host_alloc = (clHostMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL");
  host_free = (clMemFreeINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL");
  TRUE(host_alloc && host_free);
  start = now();
  pthread_t threads[THREADS];
  int running = limited ? 1 : THREADS;
  for (int i = 0; i < running; i++) OK(pthread_create(&threads[i], NULL, live, (void *)(intptr_t)i));
  /* The largest of the first part, a sixtieth but at least a tenth of a short run, and the largest of what follows. */
  struct sample first = {0}, rest = {0};
  double told = start;
  long warm = commands / (seconds >= 600 ? 60 : 4);
  for (long at; (at = __atomic_load_n(&done, __ATOMIC_RELAXED)) < commands;) {
    usleep(seconds > 60 ? 500000 : 20000);
    struct sample s = look(), *most = at < warm ? &first : &rest;
    if (s.memory > most->memory) most->memory = s.memory;
    if (s.threads > most->threads) most->threads = s.threads;
    if (s.descriptors > most->descriptors) most->descriptors = s.descriptors;
    if (s.processes > most->processes) most->processes = s.processes;
    if (now() > told + 60) {
      told = now();
      printf("%5.0f s %10ld commands %7ld KiB %3ld threads %3ld descriptors %2ld processes %ld refused\n", now() - start, at, s.memory, s.threads, s.descriptors, s.processes, refused);
      fflush(stdout);
    }
  }
  for (int i = 0; i < running; i++) OK(pthread_join(threads[i], NULL));
  for (int i = 0; i < 10000 && __atomic_load_n(&called, __ATOMIC_SEQ_CST) < expected; i++) usleep(1000);
  EQ(called, expected);
  /* A short life is over before anything has settled: what counts is what is left of it, its compilers gone. */
  if (seconds == 0)
    for (int i = 0; i < 200 && ((rest = look()).processes || rest.descriptors > first.descriptors); i++) usleep(100000);
  printf("%ld commands in %.0f s; at most %ld, then %ld KiB, %ld, then %ld threads, %ld, then %ld descriptors, %ld, then %ld processes; %ld refused\n",
         done, now() - start, first.memory, rest.memory, first.threads, rest.threads, first.descriptors, rest.descriptors, first.processes, rest.processes, refused);
  /* Threads that build in the background come and go, and so do compilers with their pipes. */
  TRUE(rest.memory <= first.memory + first.memory / 10 + 8192);
  TRUE(rest.threads <= first.threads + 4);
  TRUE(rest.descriptors <= first.descriptors + 12);
  TRUE(rest.processes <= first.processes + 2);
  TRUE(!limited || refused > 0);
  return 0;
}
