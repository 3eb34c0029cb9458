/* Times of every kind of command, on the clock that clGetDeviceAndHostTimer shows: between enqueuing and waiting, in their order, not
   before what they wait for, and the same whenever they are asked for. */
#include "client.h"
#include <CL/cl_ext.h>
#include <unistd.h>

enum { SIZE = 4096, SIDE = 16 };
static cl_command_queue q;
static cl_mem from, to, image, other;
static cl_kernel kernel;
static char host[SIZE];
static char *shared, *unified;
static const size_t zero[3], region[3] = {SIDE, SIDE, 1}, bytes[3] = {16, 4, 1}, items = 64;
static void *mapped;
static int shares, has_images, has_native;
static clEnqueueMemFillINTEL_fn fill_unified;
static clEnqueueMemcpyINTEL_fn copy_unified;
static clEnqueueMigrateMemINTEL_fn migrate_unified;
static clEnqueueMemAdviseINTEL_fn advise_unified;

static void CL_CALLBACK native(void *data) { (void)data; }
static void CL_CALLBACK freed(cl_command_queue queue, cl_uint count, void **pointers, void *data) { (void)queue, (void)count, (void)pointers, (void)data; }

#define BEHIND cl_uint n, const cl_event *list, cl_event *out
#define COMMANDS(X)                                                                                                       \
  X(NDRANGE_KERNEL, 1, clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, NULL, n, list, out))                            \
  X(TASK, 1, clEnqueueTask(q, kernel, n, list, out))                                                                      \
  X(NATIVE_KERNEL, has_native, clEnqueueNativeKernel(q, native, NULL, 0, 0, NULL, NULL, n, list, out))                    \
  X(READ_BUFFER, 1, clEnqueueReadBuffer(q, from, CL_FALSE, 0, SIZE, host, n, list, out))                                  \
  X(WRITE_BUFFER, 1, clEnqueueWriteBuffer(q, from, CL_FALSE, 0, SIZE, host, n, list, out))                                \
  X(COPY_BUFFER, 1, clEnqueueCopyBuffer(q, from, to, 0, 0, SIZE, n, list, out))                                           \
  X(READ_BUFFER_RECT, 1, clEnqueueReadBufferRect(q, from, CL_FALSE, zero, zero, bytes, 0, 0, 0, 0, host, n, list, out))   \
  X(WRITE_BUFFER_RECT, 1, clEnqueueWriteBufferRect(q, from, CL_FALSE, zero, zero, bytes, 0, 0, 0, 0, host, n, list, out)) \
  X(COPY_BUFFER_RECT, 1, clEnqueueCopyBufferRect(q, from, to, zero, zero, bytes, 0, 0, 0, 0, n, list, out))               \
  X(FILL_BUFFER, 1, clEnqueueFillBuffer(q, to, host, 4, 0, SIZE, n, list, out))                                           \
  X(MAP_BUFFER, 1, (mapped = clEnqueueMapBuffer(q, to, CL_FALSE, CL_MAP_READ, 0, SIZE, n, list, out, &error), error))     \
  X(UNMAP_MEM_OBJECT, 1, clEnqueueUnmapMemObject(q, to, mapped, n, list, out))                                            \
  X(MIGRATE_MEM_OBJECTS, 1, clEnqueueMigrateMemObjects(q, 1, &to, CL_MIGRATE_MEM_OBJECT_HOST, n, list, out))              \
  X(READ_IMAGE, has_images, clEnqueueReadImage(q, image, CL_FALSE, zero, region, 0, 0, host, n, list, out))               \
  X(WRITE_IMAGE, has_images, clEnqueueWriteImage(q, image, CL_FALSE, zero, region, 0, 0, host, n, list, out))             \
  X(COPY_IMAGE, has_images, clEnqueueCopyImage(q, image, other, zero, zero, region, n, list, out))                        \
  X(FILL_IMAGE, has_images, clEnqueueFillImage(q, image, host, zero, region, n, list, out))                               \
  X(COPY_IMAGE_TO_BUFFER, has_images, clEnqueueCopyImageToBuffer(q, image, to, zero, region, 0, n, list, out))            \
  X(COPY_BUFFER_TO_IMAGE, has_images, clEnqueueCopyBufferToImage(q, to, image, 0, zero, region, n, list, out))            \
  X(MAP_IMAGE, has_images, map_image(n, list, out))                                                                       \
  X(UNMAP_MEM_OBJECT, has_images, clEnqueueUnmapMemObject(q, image, mapped, n, list, out))                                \
  X(MARKER, 1, clEnqueueMarkerWithWaitList(q, n, list, out))                                                              \
  X(BARRIER, 1, clEnqueueBarrierWithWaitList(q, n, list, out))                                                            \
  X(SVM_MEMCPY, shares, clEnqueueSVMMemcpy(q, CL_FALSE, shared, host, SIZE, n, list, out))                                \
  X(SVM_MEMFILL, shares, clEnqueueSVMMemFill(q, shared, host, 4, SIZE, n, list, out))                                     \
  X(SVM_MAP, shares, clEnqueueSVMMap(q, CL_FALSE, CL_MAP_READ, shared, SIZE, n, list, out))                               \
  X(SVM_UNMAP, shares, clEnqueueSVMUnmap(q, shared, n, list, out))                                                        \
  X(SVM_MIGRATE_MEM, shares, clEnqueueSVMMigrateMem(q, 1, (const void **)&shared, NULL, 0, n, list, out))                 \
  X(SVM_FREE, shares, clEnqueueSVMFree(q, 1, (void **)&shared, freed, NULL, n, list, out))                                \
  X(MEMFILL_INTEL, shares, fill_unified(q, unified, host, 4, SIZE, n, list, out))                                         \
  X(MEMCPY_INTEL, shares, copy_unified(q, CL_FALSE, unified, host, SIZE, n, list, out))                                   \
  X(MIGRATEMEM_INTEL, shares, migrate_unified(q, unified, SIZE, 0, n, list, out))                                         \
  X(MEMADVISE_INTEL, shares, advise_unified(q, unified, SIZE, 0, n, list, out))

static cl_int map_image(BEHIND) {
  size_t row;
  mapped = clEnqueueMapImage(q, image, CL_FALSE, CL_MAP_READ, zero, region, &row, NULL, n, list, out, &error);
  return error;
}
#define ONE(name, there, call) +1
enum { COUNT = COMMANDS(ONE) };

static cl_int enqueue(int which, BEHIND) {
  int at = 0;
#define CASE(name, there, call) if (which == at++) return (there) ? (call) : 1;
  COMMANDS(CASE)
  return 1;
}
static const cl_command_type types[] = {
#define TYPE(name, there, call) CL_COMMAND_##name,
    COMMANDS(TYPE)};

static cl_ulong now(void) {
  cl_ulong device_time = 0, host_time = 0, later = 0;
  OK(clGetDeviceAndHostTimer(device, &device_time, &host_time));
  OK(clGetHostTimer(device, &later));
  TRUE(device_time && host_time && host_time <= later);
  return device_time;
}
static cl_ulong time_of(cl_event event, cl_profiling_info what) {
  cl_ulong time, again;
  OK(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
  OK(clGetEventProfilingInfo(event, what, sizeof again, &again, NULL));
  EQ(time, again);
  return time;
}

/* All commands, each behind an event that the host sets after a while; then all at once, behind one another. */
static void run(cl_command_queue_properties properties) {
  q = new_queue(properties | CL_QUEUE_PROFILING_ENABLE);
  cl_event all[COUNT], none;
  for (int i = 0; i < COUNT; i++) {
    cl_event gate = clCreateUserEvent(context, &error), done = NULL;
    OK(error);
    cl_ulong before = now(), value;
    if (enqueue(i, 1, &gate, &done) == 1) { OK(clSetUserEventStatus(gate, CL_COMPLETE)); OK(clReleaseEvent(gate)); continue; }
    cl_ulong enqueued = now();
    cl_command_type type;
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EQ(type, types[i]);
    OK(clFlush(q));
    EQ(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof value, &value, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    usleep(300);
    cl_ulong opened = now();
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    cl_ulong after = now(), queued = time_of(done, CL_PROFILING_COMMAND_QUEUED), submitted = time_of(done, CL_PROFILING_COMMAND_SUBMIT),
             started = time_of(done, CL_PROFILING_COMMAND_START), ended = time_of(done, CL_PROFILING_COMMAND_END);
    if (!(before <= queued && queued <= enqueued && opened <= started && started <= ended && ended <= after && queued <= submitted && submitted <= started)) {
      fprintf(stderr, "command %x: before %llu, queued %llu, enqueued %llu, submitted %llu, opened %llu, started %llu, ended %llu, after %llu\n", type,
              (unsigned long long)before, (unsigned long long)queued, (unsigned long long)enqueued, (unsigned long long)submitted,
              (unsigned long long)opened, (unsigned long long)started, (unsigned long long)ended, (unsigned long long)after);
      exit(1);
    }
    EQ(time_of(done, CL_PROFILING_COMMAND_COMPLETE), ended);
    EQ(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof value - 1, &value, NULL), CL_INVALID_VALUE);
    EQ(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_COMPLETE + 1, sizeof value, &value, NULL), CL_INVALID_VALUE);
    EQ(clGetEventProfilingInfo(gate, CL_PROFILING_COMMAND_END, sizeof value, &value, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clReleaseEvent(gate)); OK(clReleaseEvent(done));
  }
  cl_ulong before = now(), last = 0;
  int previous = -1;
  for (int i = 0; i < COUNT; i++) {
    all[i] = NULL;
    cl_int code = enqueue(i, previous >= 0, previous >= 0 ? &all[previous] : NULL, &all[i]);
    if (code == 1) continue;
    OK(code);
    previous = i;
  }
  OK(clFinish(q));
  cl_ulong after = now();
  for (int i = 0; i < COUNT; i++) {
    if (!all[i]) continue;
    cl_ulong queued = time_of(all[i], CL_PROFILING_COMMAND_QUEUED), started = time_of(all[i], CL_PROFILING_COMMAND_START), ended = time_of(all[i], CL_PROFILING_COMMAND_END);
    TRUE(before <= queued && queued <= started && started <= ended && ended <= after);
    TRUE(started >= last);
    last = ended;
    OK(clReleaseEvent(all[i]));
  }
  OK(clReleaseCommandQueue(q));
  /* Without the property there are no times. */
  q = new_queue(properties);
  OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &none));
  OK(clFinish(q));
  EQ(clGetEventProfilingInfo(none, CL_PROFILING_COMMAND_END, sizeof last, &last, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
  OK(clReleaseEvent(none)); OK(clReleaseCommandQueue(q));
}

int main(void) {
  alarm(200);
  open_device();
  cl_bool images;
  cl_device_svm_capabilities svm;
  cl_device_exec_capabilities executes;
  cl_ulong one;
  OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof executes, &executes, NULL));
  has_images = images, shares = svm != 0, has_native = (executes & CL_EXEC_NATIVE_KERNEL) != 0;
  EQ(clGetDeviceAndHostTimer(device, NULL, &one), CL_INVALID_VALUE); EQ(clGetDeviceAndHostTimer(device, &one, NULL), CL_INVALID_VALUE);
  EQ(clGetDeviceAndHostTimer(NULL, &one, &one), CL_INVALID_DEVICE); EQ(clGetHostTimer(device, NULL), CL_INVALID_VALUE);
  from = new_buffer(SIZE), to = new_buffer(SIZE);
  kernel = clCreateKernel(new_program("kernel void f(global int *x) { x[get_global_id(0)] += 1; }"), "f", &error);
  OK(error);
  OK(clSetKernelArg(kernel, 0, sizeof from, &from));
  if (has_images) {
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    OK(error);
    other = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    OK(error);
  }
  if (shares) {
    clSharedMemAllocINTEL_fn shared_alloc = (clSharedMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clSharedMemAllocINTEL");
    fill_unified = (clEnqueueMemFillINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMemFillINTEL");
    copy_unified = (clEnqueueMemcpyINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMemcpyINTEL");
    migrate_unified = (clEnqueueMigrateMemINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMigrateMemINTEL");
    advise_unified = (clEnqueueMemAdviseINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMemAdviseINTEL");
    TRUE(shared_alloc && fill_unified && copy_unified && migrate_unified && advise_unified);
    shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    unified = shared_alloc(context, device, NULL, SIZE, 0, &error);
    OK(error);
    TRUE(shared);
  }
  run(0);
  run(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  return 0;
}
