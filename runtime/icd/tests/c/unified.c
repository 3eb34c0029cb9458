/* Unified shared memory (cl_intel_unified_shared_memory) in whole: what may be asked for, what is answered of any pointer, kernels
   that reach memory through pointers in memory, commands and their events, freeing, atomics of host and kernels on the same
   words, and the errors of everything, also on devices that share no memory. */
#include "client.h"
#include <CL/cl_ext.h>
#include <pthread.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                                                      \
  X(clHostMemAllocINTEL) X(clDeviceMemAllocINTEL) X(clSharedMemAllocINTEL) X(clMemFreeINTEL) X(clMemBlockingFreeINTEL)   \
  X(clGetMemAllocInfoINTEL) X(clSetKernelArgMemPointerINTEL) X(clEnqueueMemFillINTEL) X(clEnqueueMemcpyINTEL)            \
  X(clEnqueueMigrateMemINTEL) X(clEnqueueMemAdviseINTEL)
#define DECLARE(name) static name##_fn name##_;
FUNCTIONS(DECLARE)
#define FIND(name) name##_ = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name); TRUE(name##_);

enum { HOST, DEVICE, SHARED, KINDS };

static void *allocate(cl_context in, cl_device_id of, int kind, const cl_mem_properties_intel *list, size_t size, cl_uint alignment) {
  if (kind == HOST) return clHostMemAllocINTEL_(in, list, size, alignment, &error);
  if (kind == DEVICE) return clDeviceMemAllocINTEL_(in, of, list, size, alignment, &error);
  return clSharedMemAllocINTEL_(in, of, list, size, alignment, &error);
}
static void refused(cl_context in, cl_device_id of, int kind, const cl_mem_properties_intel *list, size_t size, cl_uint alignment, cl_int why) {
  error = 1;
  TRUE(!allocate(in, of, kind, list, size, alignment));
  EQ(error, why);
}
static void *allocated(int kind, size_t size) {
  void *memory = allocate(context, device, kind, NULL, size, 0);
  OK(error);
  TRUE(memory);
  return memory;
}

static void is(cl_context in, const void *pointer, cl_uint kind, const void *base, size_t bytes, cl_device_id of, cl_ulong flags) {
  cl_unified_shared_memory_type_intel type;
  void *start;
  size_t size, told;
  cl_device_id its;
  cl_mem_alloc_flags_intel its_flags;
  OK(clGetMemAllocInfoINTEL_(in, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, &told));
  EQ(told, sizeof type); EQ(type, kind);
  OK(clGetMemAllocInfoINTEL_(in, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof start, &start, &told));
  EQ(told, sizeof start); EQ((intptr_t)start, (intptr_t)base);
  OK(clGetMemAllocInfoINTEL_(in, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
  EQ(size, bytes);
  OK(clGetMemAllocInfoINTEL_(in, pointer, CL_MEM_ALLOC_DEVICE_INTEL, sizeof its, &its, NULL));
  EQ((intptr_t)its, (intptr_t)of);
  OK(clGetMemAllocInfoINTEL_(in, pointer, CL_MEM_ALLOC_FLAGS_INTEL, sizeof its_flags, &its_flags, NULL));
  EQ(its_flags, flags);
}

/* Requests, and what is known of every byte of what they gave. */
static void requests(void) {
  cl_mem_properties_intel none[] = {0}, combined[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0},
                          placed[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0},
                          both[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0},
                          twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0},
                          unknown[] = {CL_MEM_ALLOC_FLAGS_INTEL, 1 << 6, 0}, other[] = {CL_MEM_ALLOC_TYPE_INTEL, 1, 0};
  cl_ulong most;
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
  cl_context second = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  OK(error);
  for (int kind = 0; kind < KINDS; kind++) {
    cl_device_id of = kind == HOST ? NULL : device;
    for (cl_uint alignment = 1; alignment <= 1 << 16; alignment *= 4) {
      char *memory = allocate(context, device, kind, alignment & 1 ? none : combined, 1000, alignment);
      OK(error);
      EQ((uintptr_t)memory % alignment, 0);
      cl_ulong flags = alignment & 1 ? 0 : CL_MEM_ALLOC_WRITE_COMBINED_INTEL;
      is(context, memory, CL_MEM_TYPE_HOST_INTEL + kind, memory, 1000, of, flags);
      is(context, memory + 999, CL_MEM_TYPE_HOST_INTEL + kind, memory, 1000, of, flags);
      is(second, memory, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
      EQ(clMemFreeINTEL_(second, memory), CL_INVALID_VALUE);
      EQ(clMemFreeINTEL_(context, memory + 1), CL_INVALID_VALUE);
      EQ(clMemBlockingFreeINTEL_(context, memory + 1), CL_INVALID_VALUE);
      EQ(clMemFreeINTEL_(NULL, memory), CL_INVALID_CONTEXT);
      OK(clMemFreeINTEL_(context, memory));
      is(context, memory, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
      EQ(clMemFreeINTEL_(context, memory), CL_INVALID_VALUE);
      EQ(clMemBlockingFreeINTEL_(context, memory), CL_INVALID_VALUE);
    }
    void *memory = allocate(context, device, kind, placed, 64, 0);
    if (kind == SHARED) {
      OK(error);
      is(context, memory, CL_MEM_TYPE_SHARED_INTEL, memory, 64, device, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL);
      OK(clMemBlockingFreeINTEL_(context, memory));
    } else {
      TRUE(!memory);
      EQ(error, CL_INVALID_PROPERTY);
    }
    refused(context, device, kind, both, 64, 0, CL_INVALID_PROPERTY);
    refused(context, device, kind, twice, 64, 0, CL_INVALID_PROPERTY);
    refused(context, device, kind, unknown, 64, 0, CL_INVALID_PROPERTY);
    refused(context, device, kind, other, 64, 0, CL_INVALID_PROPERTY);
    refused(context, device, kind, NULL, 0, 0, CL_INVALID_BUFFER_SIZE);
    refused(context, device, kind, NULL, most + 1, 0, CL_INVALID_BUFFER_SIZE);
    refused(context, device, kind, NULL, 64, 3, CL_INVALID_VALUE);
    refused(context, device, kind, NULL, 64, 1u << 31, CL_INVALID_VALUE);
    refused(NULL, device, kind, NULL, 64, 0, CL_INVALID_CONTEXT);
    refused((cl_context)device, device, kind, NULL, 64, 0, CL_INVALID_CONTEXT);
    if (kind != HOST) refused(context, (cl_device_id)context, kind, NULL, 64, 0, CL_INVALID_DEVICE);
  }
  refused(context, NULL, DEVICE, NULL, 64, 0, CL_INVALID_DEVICE);
  char *nobodys = clSharedMemAllocINTEL_(context, NULL, NULL, 64, 0, NULL);
  TRUE(nobodys);
  is(context, nobodys + 63, CL_MEM_TYPE_SHARED_INTEL, nobodys, 64, NULL, 0);
  cl_uint type;
  size_t size;
  EQ(clGetMemAllocInfoINTEL_(NULL, nobodys, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL), CL_INVALID_CONTEXT);
  EQ(clGetMemAllocInfoINTEL_(context, nobodys, CL_MEM_ALLOC_TYPE_INTEL, sizeof type - 1, &type, NULL), CL_INVALID_VALUE);
  EQ(clGetMemAllocInfoINTEL_(context, nobodys, CL_MEM_ALLOC_FLAGS_INTEL + 9, sizeof type, &type, NULL), CL_INVALID_VALUE);
  OK(clGetMemAllocInfoINTEL_(context, nobodys, CL_MEM_ALLOC_SIZE_INTEL, 0, NULL, &size));
  EQ(size, sizeof size);
  is(context, NULL, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
  is(context, &size, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
  OK(clMemFreeINTEL_(context, nobodys));
  OK(clMemFreeINTEL_(context, NULL)); OK(clMemBlockingFreeINTEL_(context, NULL));
  OK(clReleaseContext(second));
}

struct node { struct node *next; int value, sum; };

/* A list through pieces of all kinds and memory of the program: each kernel walks it, in order and without any wait list, although
   its arguments lead to the first node only. */
static void indirect(void) {
  cl_program p = new_program(
      "typedef struct node { global struct node *next; int value, sum; } node;\n"
      "kernel void raise(global node *n) { for (; n; n = n->next) n->value += 1; }\n"
      "kernel void sum(global node *n) { int sum = 0; for (; n; n = n->next) { sum += n->value; n->sum = sum; } }\n"
      "typedef struct row { global int *at; } row;\n"
      "kernel void by_table(global row *table, int count) { for (int i = 0; i < count; i++) table[i].at[0] *= 2; }\n");
  cl_kernel up = clCreateKernel(p, "raise", &error), sum = clCreateKernel(p, "sum", &error), table = clCreateKernel(p, "by_table", &error);
  OK(error);
  enum { NODES = 40, ROUNDS = 60 };
  struct node *all[NODES];
  for (int i = NODES - 1; i >= 0; i--) {
    all[i] = i % 4 == 3 ? malloc(sizeof *all[i]) : allocated(i % 4, sizeof *all[i]);
    *all[i] = (struct node){i + 1 < NODES ? all[i + 1] : NULL, i, 0};
  }
  cl_bool yes = CL_TRUE;
  cl_kernel kernels[] = {up, sum, table};
  for (int k = 0; k < 3; k++) {
    OK(clSetKernelExecInfo(kernels[k], CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes));
    OK(clSetKernelExecInfo(kernels[k], CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes, &yes));
    OK(clSetKernelExecInfo(kernels[k], CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes));
    OK(clSetKernelExecInfo(kernels[k], CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof all, all));
    OK(clSetKernelExecInfo(kernels[k], CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 0, NULL));
  }
  int **values = allocated(SHARED, NODES * sizeof *values), nodes = NODES;
  for (int i = 0; i < NODES; i++) values[i] = &all[i]->value;
  cl_command_queue q = new_queue(0);
  size_t one = 1;
  OK(clSetKernelArgMemPointerINTEL_(up, 0, all[0]));
  OK(clSetKernelArgMemPointerINTEL_(sum, 0, all[0]));
  OK(clSetKernelArgMemPointerINTEL_(table, 0, values));
  OK(clSetKernelArg(table, 1, sizeof nodes, &nodes));
  for (int round = 0; round < ROUNDS; round++) OK(clEnqueueNDRangeKernel(q, up, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clEnqueueNDRangeKernel(q, table, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clEnqueueNDRangeKernel(q, sum, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clFinish(q));
  int wanted = 0;
  for (int i = 0; i < NODES; i++) {
    wanted += 2 * (i + ROUNDS);
    EQ(all[i]->sum, wanted);
  }
  EQ(clSetKernelExecInfo(up, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, 1, &yes), CL_INVALID_VALUE);
  EQ(clSetKernelExecInfo(up, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes, NULL), CL_INVALID_VALUE);
  EQ(clSetKernelExecInfo(up, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof(void *) + 1, all), CL_INVALID_VALUE);
  EQ(clSetKernelExecInfo(up, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof all, NULL), CL_INVALID_VALUE);
  EQ(clSetKernelExecInfo(up, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL + 1, sizeof all, all), CL_INVALID_VALUE);
  EQ(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof all, all), CL_INVALID_KERNEL);
  EQ(clSetKernelArgMemPointerINTEL_(NULL, 0, all[0]), CL_INVALID_KERNEL);
  EQ(clSetKernelArgMemPointerINTEL_(up, 1, all[0]), CL_INVALID_ARG_INDEX);
  EQ(clSetKernelArgMemPointerINTEL_(table, 1, all[0]), CL_INVALID_ARG_VALUE);
  for (int i = 0; i < NODES; i++)
    if (i % 4 == 3) free(all[i]); else OK(clMemFreeINTEL_(context, all[i]));
  OK(clMemFreeINTEL_(context, values));
  for (int k = 0; k < 3; k++) OK(clReleaseKernel(kernels[k]));
  OK(clReleaseProgram(p)); OK(clReleaseCommandQueue(q));
}

static void of_kind(cl_event event, cl_command_type wanted) {
  cl_command_type type;
  cl_int status;
  OK(clWaitForEvents(1, &event));
  OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  EQ(type, wanted);
  OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  EQ(status, CL_COMPLETE);
  OK(clReleaseEvent(event));
}

/* Every command, behind a user event and in its order; and every mistake. */
static void commands(void) {
  cl_command_queue q = new_queue(0);
  cl_context second = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_event elsewhere = clCreateUserEvent(second, &error);
  OK(error);
  for (int kind = 0; kind < KINDS; kind++) {
    unsigned char *memory = allocated(kind, 256), out[256] = {0}, pattern[128];
    for (int i = 0; i < 128; i++) pattern[i] = i;
    cl_event gate = clCreateUserEvent(context, &error), done[4];
    OK(error);
    OK(clEnqueueMemFillINTEL_(q, memory, pattern, 128, 256, 1, &gate, &done[0]));
    OK(clEnqueueMigrateMemINTEL_(q, memory, 256, 0, 0, NULL, &done[1]));
    OK(clEnqueueMemAdviseINTEL_(q, memory + 8, 248, 0, 0, NULL, &done[2]));
    OK(clEnqueueMemcpyINTEL_(q, CL_FALSE, out, memory, 256, 0, NULL, &done[3]));
    OK(clFlush(q));
    usleep(1000);
    EQ(out[1], 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    of_kind(done[3], CL_COMMAND_MEMCPY_INTEL);
    for (int i = 0; i < 256; i++) EQ(out[i], i % 128);
    of_kind(done[0], CL_COMMAND_MEMFILL_INTEL); of_kind(done[1], CL_COMMAND_MIGRATEMEM_INTEL); of_kind(done[2], CL_COMMAND_MEMADVISE_INTEL);
    OK(clEnqueueMigrateMemINTEL_(q, memory, 256, CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));

    EQ(clEnqueueMemFillINTEL_(NULL, memory, pattern, 4, 8, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EQ(clEnqueueMemFillINTEL_(q, NULL, pattern, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemFillINTEL_(q, memory, NULL, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemFillINTEL_(q, memory, pattern, 0, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemFillINTEL_(q, memory, pattern, 3, 9, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemFillINTEL_(q, memory, pattern, 256, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemFillINTEL_(q, memory, pattern, 4, 7, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemFillINTEL_(q, memory + 2, pattern, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemFillINTEL_(q, memory, pattern, 4, 260, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemcpyINTEL_(NULL, CL_TRUE, out, memory, 8, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EQ(clEnqueueMemcpyINTEL_(q, CL_TRUE, NULL, memory, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemcpyINTEL_(q, CL_TRUE, memory, NULL, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemcpyINTEL_(q, CL_TRUE, memory, memory + 7, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    EQ(clEnqueueMemcpyINTEL_(q, CL_TRUE, out, memory + 250, 7, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMigrateMemINTEL_(NULL, memory, 8, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EQ(clEnqueueMigrateMemINTEL_(q, NULL, 8, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMigrateMemINTEL_(q, memory, 8, 1 << 7, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMigrateMemINTEL_(q, memory + 250, 7, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemAdviseINTEL_(NULL, memory, 8, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EQ(clEnqueueMemAdviseINTEL_(q, NULL, 8, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemAdviseINTEL_(q, memory + 250, 7, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueMemFillINTEL_(q, memory, pattern, 4, 8, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EQ(clEnqueueMemcpyINTEL_(q, CL_TRUE, out, memory, 8, 0, &gate, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EQ(clEnqueueMigrateMemINTEL_(q, memory, 8, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EQ(clEnqueueMemAdviseINTEL_(q, memory, 8, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EQ(clEnqueueMemFillINTEL_(q, memory, pattern, 4, 8, 1, &elsewhere, NULL), CL_INVALID_CONTEXT);
    EQ(clEnqueueMemcpyINTEL_(q, CL_TRUE, out, memory, 8, 1, &elsewhere, NULL), CL_INVALID_CONTEXT);
    EQ(clEnqueueMigrateMemINTEL_(q, memory, 8, 0, 1, &elsewhere, NULL), CL_INVALID_CONTEXT);
    EQ(clEnqueueMemAdviseINTEL_(q, memory, 8, 0, 1, &elsewhere, NULL), CL_INVALID_CONTEXT);
    cl_event failed = clCreateUserEvent(context, &error);
    OK(clSetUserEventStatus(failed, -7));
    EQ(clEnqueueMemcpyINTEL_(q, CL_TRUE, out, memory, 8, 1, &failed, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clReleaseEvent(failed)); OK(clReleaseEvent(gate));
    OK(clFinish(q));
    OK(clMemFreeINTEL_(context, memory));
  }
  OK(clReleaseEvent(elsewhere)); OK(clReleaseContext(second)); OK(clReleaseCommandQueue(q));
}

/* A blocking free comes back when the commands of the context have ended, those of other queues and of released ones too. */
static void freeing(void) {
  cl_program p = new_program("kernel void slow(global volatile int *x) { for (int i = 0; i < 3000000; i++) x[0] = x[0] + 1; }");
  for (int released = 0; released < 2; released++) {
    cl_command_queue q = new_queue(0);
    cl_kernel k = clCreateKernel(p, "slow", &error);
    OK(error);
    int *memory = allocated(SHARED, 64), *other = allocated(DEVICE, 64);
    *memory = 0;
    size_t one = 1;
    cl_event done;
    cl_int status;
    OK(clSetKernelArgMemPointerINTEL_(k, 0, memory));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, &done));
    OK(clFlush(q));
    if (released) { OK(clReleaseCommandQueue(q)); OK(clReleaseKernel(k)); }
    OK(clMemBlockingFreeINTEL_(context, other));
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EQ(status, CL_COMPLETE);
    EQ(*memory, 3000000);
    OK(clMemFreeINTEL_(context, memory));
    if (!released) { OK(clReleaseCommandQueue(q)); OK(clReleaseKernel(k)); }
    OK(clReleaseEvent(done));
  }
  OK(clReleaseProgram(p));
}

static int *counters;
static volatile int stop;
static void *count(void *data) {
  long *sum = data;
  for (; !stop; ++*sum) {
    __atomic_fetch_add(&counters[*sum % 4], 1, __ATOMIC_SEQ_CST);
    int expected = __atomic_load_n(&counters[4], __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&counters[4], &expected, expected + 1, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {}
  }
  return NULL;
}

/* The host counts the same words as kernels do, at the same time. */
static void atomics(void *memory) {
  const char *source = "kernel void count(global atomic_int *x, int rounds) { for (int i = 0; i < rounds; i++) {\n"
                       "  atomic_fetch_add_explicit(x + i % 4, 1, memory_order_seq_cst, memory_scope_all_svm_devices);\n"
                       "  int expected = atomic_load_explicit(x + 4, memory_order_relaxed, memory_scope_all_svm_devices);\n"
                       "  while (!atomic_compare_exchange_weak_explicit(x + 4, &expected, expected + 1, memory_order_acq_rel, memory_order_relaxed, memory_scope_all_svm_devices));\n"
                       "} }";
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  OK(clBuildProgram(p, 1, &device, "-cl-std=CL3.0", NULL, NULL));
  cl_kernel k = clCreateKernel(p, "count", &error);
  OK(error);
  counters = memory;
  for (int i = 0; i < 5; i++) counters[i] = 0;
  stop = 0;
  int rounds = 4000;
  size_t items = 16;
  long own = 0;
  pthread_t thread;
  cl_command_queue q = new_queue(0);
  OK(clSetKernelArgSVMPointer(k, 0, memory));
  OK(clSetKernelArg(k, 1, sizeof rounds, &rounds));
  EQ(pthread_create(&thread, NULL, count, &own), 0);
  for (int i = 0; i < 3; i++) OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
  OK(clFinish(q));
  stop = 1;
  EQ(pthread_join(thread, NULL), 0);
  long all = own + 3L * rounds * items;
  EQ((long)counters[0] + counters[1] + counters[2] + counters[3], all);
  EQ(counters[4], all);
  OK(clReleaseKernel(k)); OK(clReleaseProgram(p)); OK(clReleaseCommandQueue(q));
}

/* Devices that share no memory say so of everything. */
static void absent(void) {
  int x = 0;
  cl_bool yes = CL_TRUE;
  cl_command_queue q = new_queue(0);
  cl_program p = new_program("kernel void f(global int *x) { x[0] = 7; }");
  cl_kernel k = clCreateKernel(p, "f", &error);
  OK(error);
  for (int kind = 0; kind < KINDS; kind++) refused(context, device, kind, NULL, 64, 0, CL_INVALID_OPERATION);
  refused(context, NULL, SHARED, NULL, 64, 0, CL_INVALID_OPERATION);
  EQ(clSetKernelArgMemPointerINTEL_(k, 0, &x), CL_INVALID_OPERATION);
  EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes), CL_INVALID_OPERATION);
  EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes, &yes), CL_INVALID_OPERATION);
  EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes), CL_INVALID_OPERATION);
  EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 0, NULL), CL_INVALID_OPERATION);
  EQ(clEnqueueMemFillINTEL_(q, &x, &x, 4, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
  EQ(clEnqueueMemcpyINTEL_(q, CL_TRUE, &x, &yes, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
  EQ(clEnqueueMigrateMemINTEL_(q, &x, 4, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
  EQ(clEnqueueMemAdviseINTEL_(q, &x, 4, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
  EQ(clMemFreeINTEL_(context, &x), CL_INVALID_VALUE);
  OK(clMemFreeINTEL_(context, NULL));
  is(context, &x, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
  OK(clReleaseKernel(k)); OK(clReleaseProgram(p)); OK(clReleaseCommandQueue(q));
}

int main(void) {
  alarm(200);
  open_device();
  FUNCTIONS(FIND)
  cl_device_unified_shared_memory_capabilities_intel wanted = 0, told;
  char names[8192];
  OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
  int has = strstr(names, "cl_intel_unified_shared_memory") != NULL;
  if (has)
    wanted = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
             CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
  for (cl_device_info which = CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL; which <= CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL; which++) {
    OK(clGetDeviceInfo(device, which, sizeof told, &told, NULL));
    EQ(told, wanted);
  }
  cl_device_svm_capabilities svm;
  OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
  EQ(svm, has ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS : 0);
  if (!has) {
    EQ(getenv("OXCL_TEST_SHARES") != NULL, 0);
    absent();
    return 0;
  }
  requests();
  indirect();
  commands();
  freeing();
  for (int kind = 0; kind < KINDS; kind++) {
    void *memory = allocated(kind, 64);
    atomics(memory);
    OK(clMemFreeINTEL_(context, memory));
  }
  TRUE(!clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 64, 0));
  void *fine = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0);
  TRUE(fine);
  atomics(fine);
  clSVMFree(context, fine);
  static int words[16];
  atomics(words);
  return 0;
}
