/* Objects without a compiler: buffers, parts, rectangles, maps, events, callbacks, native kernels, sub-devices. */
#include "client.h"

static int released, completed;
static void on_release(cl_mem m, void *data) { (void)m; released = released * 10 + (int)(intptr_t)data; }
static void on_context(cl_context c, void *data) { (void)c; *(int *)data += 1; }
static void on_event(cl_event e, cl_int status, void *data) {
  (void)e;
  __atomic_fetch_add((int *)data, status == CL_COMPLETE ? 1 : 100, __ATOMIC_SEQ_CST);
}
struct job { int *memory; int value; };
static void job(void *args) { struct job *j = args; j->memory[1] = j->value; }

static void buffers(void) {
  cl_command_queue q = new_queue(CL_QUEUE_PROFILING_ENABLE);
  unsigned char data[1024], back[1024] = {0};
  for (int i = 0; i < 1024; i++) data[i] = (unsigned char)i;
  cl_mem b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
  OK(error);
  cl_buffer_region part = {256, 128};
  cl_mem s = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
  OK(error);
  size_t offset;
  OK(clGetMemObjectInfo(s, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
  EQ(offset, 256);
  unsigned char fill[2] = {7, 9};
  OK(clEnqueueFillBuffer(q, s, fill, 2, 16, 32, 0, NULL, NULL));
  OK(clEnqueueCopyBuffer(q, s, b, 16, 512, 4, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  EQ(back[256 + 16], 7); EQ(back[256 + 17], 9); EQ(back[512], 7); EQ(back[516], (unsigned char)516);
  EQ(clEnqueueCopyBuffer(q, s, b, 0, 300, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);

  size_t from[3] = {1, 2, 0}, to[3] = {0, 0, 0}, region[3] = {4, 3, 1};
  unsigned char rect[12];
  OK(clEnqueueReadBufferRect(q, b, CL_TRUE, from, to, region, 16, 0, 4, 0, rect, 0, NULL, NULL));
  for (int y = 0; y < 3; y++) for (int x = 0; x < 4; x++) EQ(rect[4 * y + x], (y + 2) * 16 + x + 1);
  OK(clEnqueueWriteBufferRect(q, b, CL_TRUE, to, to, region, 32, 0, 4, 0, rect, 0, NULL, NULL));
  size_t far[3] = {0, 8, 0};
  OK(clEnqueueCopyBufferRect(q, b, b, to, far, region, 32, 0, 32, 0, 0, NULL, NULL));
  unsigned char *map = clEnqueueMapBuffer(q, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 256, 64, 0, NULL, NULL, &error);
  OK(error);
  EQ(map[0], rect[0]);
  cl_uint maps;
  OK(clGetMemObjectInfo(b, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
  EQ(maps, 1);
  map[1] = 77;
  EQ(clEnqueueUnmapMemObject(q, b, map + 1, 0, NULL, NULL), CL_INVALID_VALUE);
  OK(clEnqueueUnmapMemObject(q, b, map, 0, NULL, NULL));
  OK(clEnqueueMigrateMemObjects(q, 1, &b, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
  cl_event read;
  OK(clEnqueueReadBuffer(q, b, CL_FALSE, 257, 1, back, 0, NULL, &read));
  OK(clWaitForEvents(1, &read));
  EQ(back[0], 77);
  cl_ulong times[4];
  for (int i = 0; i < 4; i++) OK(clGetEventProfilingInfo(read, CL_PROFILING_COMMAND_QUEUED + i, 8, &times[i], NULL));
  TRUE(times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
  OK(clReleaseEvent(read));

  int host[2] = {0, 0};
  cl_mem u = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof host, host, &error);
  OK(error);
  struct job args = {NULL, 41};
  const void *place = &args.memory;
  OK(clEnqueueNativeKernel(q, job, &args, sizeof args, 1, &u, &place, 0, NULL, NULL));
  OK(clFinish(q));
  EQ(host[1], 41);
  OK(clSetMemObjectDestructorCallback(u, on_release, (void *)1));
  OK(clSetMemObjectDestructorCallback(u, on_release, (void *)2));
  OK(clReleaseMemObject(u));
  EQ(released, 21);
  OK(clReleaseMemObject(s));
  OK(clReleaseMemObject(b));
  OK(clReleaseCommandQueue(q));
}

static void events(void) {
  cl_command_queue q = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_mem b = new_buffer(64);
  cl_event user = clCreateUserEvent(context, &error), done, marker;
  OK(error);
  int zero = 0;
  OK(clEnqueueFillBuffer(q, b, &zero, 4, 0, 64, 1, &user, &done));
  OK(clEnqueueMarkerWithWaitList(q, 1, &done, &marker));
  OK(clSetEventCallback(done, CL_COMPLETE, on_event, &completed));
  cl_int status;
  OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  TRUE(status > CL_COMPLETE);
  OK(clSetUserEventStatus(user, CL_COMPLETE));
  EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
  OK(clWaitForEvents(1, &marker));
  OK(clFinish(q));
  while (!__atomic_load_n(&completed, __ATOMIC_SEQ_CST)) {}
  EQ(completed, 1);
  OK(clReleaseEvent(user)); OK(clReleaseEvent(done)); OK(clReleaseEvent(marker));

  user = clCreateUserEvent(context, &error);
  OK(clEnqueueFillBuffer(q, b, &zero, 4, 0, 64, 1, &user, &done));
  OK(clSetUserEventStatus(user, -99));
  EQ(clWaitForEvents(1, &done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  TRUE(status < 0);
  OK(clReleaseEvent(user)); OK(clReleaseEvent(done)); OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
}

static void parts(void) {
  cl_uint units, count;
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
  if (units < 2) return;
  cl_device_partition_property ways[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  OK(clCreateSubDevices(device, ways, 0, NULL, &count));
  EQ(count, units);
  cl_device_id one, two[2];
  cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
  OK(clCreateSubDevices(device, counts, 2, two, NULL));
  OK(clGetDeviceInfo(two[0], CL_DEVICE_PARENT_DEVICE, sizeof one, &one, NULL));
  TRUE(one == device);
  cl_context c = clCreateContext(NULL, 2, two, NULL, NULL, &error);
  OK(error);
  cl_command_queue q = clCreateCommandQueue(c, two[1], 0, &error);
  OK(error);
  EQ(clCreateCommandQueue(c, device, 0, &error) != NULL, 0);
  EQ(error, CL_INVALID_DEVICE);
  OK(clReleaseCommandQueue(q)); OK(clReleaseContext(c)); OK(clReleaseDevice(two[0])); OK(clReleaseDevice(two[1]));
}

/* Parts along what CPUs share: as many compute units as the whole, each domain that is reported, and the choice of ours. */
static void domains(void) {
  cl_device_affinity_domain all, domain;
  cl_uint units, sum = 0, count;
  OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof all, &all, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
  cl_device_partition_property none[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, 0};
  if (!(all & CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE))
    EQ(clCreateSubDevices(device, none, 0, NULL, &count), all ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE);
  for (domain = CL_DEVICE_AFFINITY_DOMAIN_NUMA; domain <= CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE; domain <<= 1) {
    if (!(all & domain)) continue;
    cl_device_partition_property way[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, domain, 0}, type[3];
    cl_device_id parts[256];
    OK(clCreateSubDevices(device, way, 256, parts, &count));
    TRUE(count > 1);
    sum = 0;
    for (cl_uint i = 0; i < count; i++) {
      cl_uint own;
      OK(clGetDeviceInfo(parts[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof own, &own, NULL));
      sum += own;
      OK(clGetDeviceInfo(parts[i], CL_DEVICE_PARTITION_TYPE, sizeof type, type, NULL));
      EQ(type[0], CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
      if (domain != CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE) EQ(type[1], domain);
      TRUE(type[1] & all);
      OK(clReleaseDevice(parts[i]));
    }
    EQ(sum, units);
  }
}

int main(void) {
  open_device();
  buffers();
  events();
  parts();
  domains();
  int gone = 0;
  OK(clSetContextDestructorCallback(context, on_context, &gone));
  OK(clRetainContext(context));
  OK(clReleaseContext(context));
  EQ(gone, 0);
  OK(clReleaseContext(context));
  EQ(gone, 1);
  return 0;
}
