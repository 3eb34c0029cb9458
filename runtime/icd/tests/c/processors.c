/* Simulated processors, alone and beside the host's: what they say of themselves, kernels, what kernels print, and a buffer
   that goes from device to device. */
#include "client.h"
#include <unistd.h>

enum { N = 256, LOCAL = 16 };

static const char *source =
    "kernel void add(global const int *a, global const int *b, global int *c) {\n"
    "  size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
    "kernel void sum(global const int *in, global int *out, local int *part) {\n"
    "  int l = get_local_id(0);\n"
    "  part[l] = in[get_global_id(0)];\n"
    "  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l < step) part[l] += part[l + step];\n"
    "  }\n"
    "  if (l == 0) out[get_group_id(0)] = part[0]; }\n"
    "kernel void tell(global const int *in, float f) { printf(\"%d %.2f %s|\", in[3], f, \"text\"); }\n";

static cl_ulong number(cl_device_id of, cl_device_info what) {
  cl_ulong value = 0;
  OK(clGetDeviceInfo(of, what, sizeof value, &value, NULL));
  return value;
}

static void text_is(cl_device_id of, cl_device_info what, const char *part, int there) {
  char text[2048];
  OK(clGetDeviceInfo(of, what, sizeof text, text, NULL));
  EQ(strstr(text, part) != NULL, there);
}

static void queries(cl_device_id of) {
  EQ(number(of, CL_DEVICE_ADDRESS_BITS), 32);
  EQ(number(of, CL_DEVICE_ENDIAN_LITTLE), CL_TRUE);
  EQ(number(of, CL_DEVICE_DOUBLE_FP_CONFIG), 0);
  EQ(number(of, CL_DEVICE_SVM_CAPABILITIES), 0);
  EQ(number(of, CL_DEVICE_HOST_UNIFIED_MEMORY), CL_FALSE);
  EQ(number(of, CL_DEVICE_MAX_COMPUTE_UNITS), 1);
  EQ(number(of, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT), CL_FALSE);
  /* Memory of 16 MiB, of which the device needs some. */
  cl_ulong memory = number(of, CL_DEVICE_GLOBAL_MEM_SIZE);
  TRUE(memory > 8 << 20 && memory < 16 << 20);
  TRUE(number(of, CL_DEVICE_MAX_MEM_ALLOC_SIZE) <= memory);
  cl_ulong printf_buffer = number(of, CL_DEVICE_PRINTF_BUFFER_SIZE);
  TRUE(printf_buffer >= 1024 && printf_buffer < memory);
  text_is(of, CL_DEVICE_PROFILE, "EMBEDDED_PROFILE", 1);
  text_is(of, CL_DEVICE_EXTENSIONS, "cles_khr_int64", 1);
  text_is(of, CL_DEVICE_EXTENSIONS, "cl_khr_fp64", 0);
  text_is(of, CL_DEVICE_EXTENSIONS, "cl_intel_unified_shared_memory", 0);
}

static void run(cl_kernel kernel, cl_command_queue q, size_t global, size_t local) {
  OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
}

static cl_kernel kernel_of(cl_program program, const char *name) {
  cl_kernel kernel = clCreateKernel(program, name, &error);
  OK(error);
  return kernel;
}

/* The sum of all is built up on one device after the other. */
static void kernels(cl_device_id *devices, cl_uint count) {
  context = clCreateContext(NULL, count, devices, NULL, NULL, &error);
  OK(error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  error = clBuildProgram(program, count, devices, "", NULL, NULL);
  for (cl_uint d = 0; d < count && error; d++) {
    char log[4096] = "";
    clGetProgramBuildInfo(program, devices[d], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
  }
  OK(error);
  cl_kernel add = kernel_of(program, "add"), sum = kernel_of(program, "sum"), tell = kernel_of(program, "tell");
  int a[N], b[N], c[N], parts[N / LOCAL];
  for (int i = 0; i < N; i++) a[i] = 3 * i, b[i] = 1000 - i;
  cl_mem left = new_buffer(sizeof a), right = new_buffer(sizeof b), both = new_buffer(sizeof c), out = new_buffer(sizeof parts);
  for (cl_uint d = 0; d < count; d++) {
    device = devices[d];
    cl_command_queue q = new_queue(0);
    if (d == 0) OK(clEnqueueWriteBuffer(q, left, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
    OK(clEnqueueWriteBuffer(q, right, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    clSetKernelArg(add, 0, sizeof left, &left);
    clSetKernelArg(add, 1, sizeof right, &right);
    clSetKernelArg(add, 2, sizeof both, &both);
    run(add, q, N, LOCAL);
    clSetKernelArg(sum, 0, sizeof both, &both);
    clSetKernelArg(sum, 1, sizeof out, &out);
    clSetKernelArg(sum, 2, LOCAL * sizeof(int), NULL);
    run(sum, q, N, LOCAL);
    OK(clEnqueueReadBuffer(q, both, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof parts, parts, 0, NULL, NULL));
    for (int i = 0; i < N; i++) EQ(c[i], a[i] + (int)(d + 1) * b[i]);
    for (int g = 0; g < N / LOCAL; g++) {
      int want = 0;
      for (int i = 0; i < LOCAL; i++) want += c[g * LOCAL + i];
      EQ(parts[g], want);
    }
    float f = 1.5f;
    clSetKernelArg(tell, 0, sizeof both, &both);
    clSetKernelArg(tell, 1, sizeof f, &f);
    run(tell, q, 1, 1);
    OK(clFinish(q));
    /* The next device goes on from here. */
    cl_mem next = left;
    left = both, both = next;
    OK(clReleaseCommandQueue(q));
  }
  clReleaseMemObject(left), clReleaseMemObject(right), clReleaseMemObject(both), clReleaseMemObject(out);
  clReleaseKernel(add), clReleaseKernel(sum), clReleaseKernel(tell);
  OK(clReleaseProgram(program));
  OK(clReleaseContext(context));
}

/* Content that comes with a buffer goes to a device as source of a copy, with reading, and as a kernel's argument. */
static void with_content(cl_device_id of) {
  device = of;
  context = clCreateContext(NULL, 1, &of, NULL, NULL, &error);
  OK(error);
  cl_command_queue q = new_queue(CL_QUEUE_PROFILING_ENABLE);
  const char *text = "kernel void copy(global const int4 *a, global int4 *b) { b[get_global_id(0)] = a[get_global_id(0)]; }";
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  OK(error);
  OK(clBuildProgram(program, 1, &of, "", NULL, NULL));
  cl_kernel copy = kernel_of(program, "copy");
  /* More bytes than are moved at a time. */
  enum { COUNT = 80000 };
  EQ(clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0) == NULL, 1);
  int one = 1, two = 2;
  EQ(clEnqueueSVMMemcpy(q, CL_TRUE, &one, &two, sizeof one, 0, NULL, NULL), CL_INVALID_OPERATION);
  EQ(clEnqueueSVMMemFill(q, &one, &two, sizeof two, sizeof one, 0, NULL, NULL), CL_INVALID_OPERATION);
  EQ(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, &one, sizeof one, 0, NULL, NULL), CL_INVALID_OPERATION);
  EQ(clEnqueueSVMUnmap(q, &one, 0, NULL, NULL), CL_INVALID_OPERATION);
  EQ(clSetKernelArgSVMPointer(copy, 0, &one), CL_INVALID_OPERATION);
  EQ(clSetKernelArgSVMPointer(copy, 9, &one), CL_INVALID_OPERATION);
  void *pointers[] = {&one};
  cl_bool system = CL_TRUE;
  EQ(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_INVALID_OPERATION);
  EQ(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof system, &system), CL_INVALID_OPERATION);
  EQ(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_INVALID_KERNEL);
  static int in[COUNT], out[COUNT];
  for (int i = 0; i < COUNT; i++) in[i] = 7 * i + 1;
  const cl_mem_flags flags[] = {
      CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
      CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR};
  for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
    cl_mem from = clCreateBuffer(context, flags[f], sizeof in, in, &error);
    OK(error);
    cl_mem to = new_buffer(sizeof in);
    OK(clEnqueueCopyBuffer(q, from, to, 40, 0, sizeof in - 40, 0, NULL, NULL));
    memset(out, 0, sizeof out);
    OK(clEnqueueReadBuffer(q, from, CL_TRUE, 0, sizeof in, out, 0, NULL, NULL));
    EQ(memcmp(in, out, sizeof in), 0);
    OK(clEnqueueReadBuffer(q, to, CL_TRUE, 0, sizeof in - 40, out, 0, NULL, NULL));
    EQ(memcmp((char *)in + 40, out, sizeof in - 40), 0);
    size_t corner[3] = {4, 1, 0}, origin[3] = {0, 0, 0}, region[3] = {8, 5, 1};
    OK(clEnqueueReadBufferRect(q, from, CL_TRUE, corner, origin, region, 100, 0, 8, 0, out, 0, NULL, NULL));
    for (int row = 0; row < 5; row++) EQ(memcmp((char *)in + 104 + 100 * row, (char *)out + 8 * row, 8), 0);
    size_t items = COUNT / 4;
    OK(clSetKernelArg(copy, 0, sizeof from, &from));
    OK(clSetKernelArg(copy, 1, sizeof to, &to));
    cl_event done[2];
    OK(clEnqueueNDRangeKernel(q, copy, 1, NULL, &items, NULL, 0, NULL, &done[0]));
    memset(out, 0, sizeof out);
    OK(clEnqueueReadBuffer(q, to, CL_TRUE, 0, sizeof in, out, 0, NULL, &done[1]));
    for (int e = 0; e < 2; e++) {
      const cl_profiling_info when[4] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                         CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
      cl_ulong before = 0, at;
      for (int w = 0; w < 4; w++, before = at) {
        OK(clGetEventProfilingInfo(done[e], when[w], sizeof at, &at, NULL));
        TRUE(at >= before && at > 0);
      }
      OK(clReleaseEvent(done[e]));
    }
    EQ(memcmp(in, out, sizeof in), 0);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
  }
  OK(clReleaseKernel(copy));
  OK(clReleaseProgram(program));
  OK(clReleaseCommandQueue(q));
  OK(clReleaseContext(context));
}

static char told[2048];
static int tellings;

static void CL_CALLBACK tell_me(const char *text, const void *more, size_t size, void *data) {
  EQ(data == (void *)&tellings, 1);
  snprintf(told, sizeof told, "%s", text);
  __atomic_add_fetch(&tellings, 1, __ATOMIC_SEQ_CST);
}

/* A kernel that accesses memory that is not there fails with its cause, what waits for it fails with it, and the device goes on. */
static void faults(cl_device_id of) {
  device = of;
  tellings = 0;
  context = clCreateContext(NULL, 1, &of, tell_me, &tellings, &error);
  OK(error);
  const char *text = "kernel void astray(global int *a) { a[get_global_id(0) + (a[0] << 20)] = 1; }\n"
                     "kernel void right(global int *a) { a[get_global_id(0)] = 5; }\n";
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  OK(error);
  OK(clBuildProgram(program, 1, &of, "", NULL, NULL));
  cl_kernel astray = kernel_of(program, "astray"), right = kernel_of(program, "right");
  cl_command_queue q = new_queue(0);
  int values[4] = {100, 0, 0, 0};
  cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
  OK(error);
  OK(clSetKernelArg(astray, 0, sizeof a, &a));
  size_t one = 1, four = 4;
  cl_event failed, after;
  OK(clEnqueueNDRangeKernel(q, astray, 1, NULL, &one, NULL, 0, NULL, &failed));
  OK(clEnqueueMarkerWithWaitList(q, 1, &failed, &after));
  EQ(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EQ(clWaitForEvents(1, &after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  cl_int status = 0;
  OK(clGetEventInfo(failed, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  TRUE(status < 0);
  /* Whichever thread comes upon the cause first tells it, which may end after the other's wait. */
  for (int i = 0; i < 5000 && !__atomic_load_n(&tellings, __ATOMIC_SEQ_CST); i++) usleep(1000);
  EQ(__atomic_load_n(&tellings, __ATOMIC_SEQ_CST), 1);
  if (!strstr(told, "'astray'")) fprintf(stderr, "told '%s'\n", told);
  TRUE(strstr(told, "'astray'") != NULL);
  OK(clReleaseEvent(failed));
  OK(clReleaseEvent(after));
  OK(clReleaseMemObject(a));
  /* Without events. */
  cl_command_queue second = new_queue(0);
  a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
  OK(error);
  OK(clSetKernelArg(astray, 0, sizeof a, &a));
  OK(clEnqueueNDRangeKernel(second, astray, 1, NULL, &one, NULL, 0, NULL, NULL));
  clFinish(second);
  for (int i = 0; i < 5000 && __atomic_load_n(&tellings, __ATOMIC_SEQ_CST) < 2; i++) usleep(1000);
  EQ(__atomic_load_n(&tellings, __ATOMIC_SEQ_CST), 2);
  OK(clReleaseMemObject(a));
  cl_mem b = new_buffer(sizeof values);
  cl_command_queue third = new_queue(0);
  OK(clSetKernelArg(right, 0, sizeof b, &b));
  OK(clEnqueueNDRangeKernel(third, right, 1, NULL, &four, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(third, b, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
  for (int i = 0; i < 4; i++) EQ(values[i], 5);
  EQ(tellings, 2);
  /* Commands behind a user event that fails: none is executed, all end. */
  cl_event gate = clCreateUserEvent(context, &error), behind[4];
  OK(error);
  memset(values, 0, sizeof values);
  OK(clEnqueueWriteBuffer(third, b, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
  for (int i = 0; i < 4; i++) OK(clEnqueueNDRangeKernel(third, right, 1, NULL, &four, NULL, 1, &gate, &behind[i]));
  OK(clSetUserEventStatus(gate, -7));
  EQ(clWaitForEvents(4, behind), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  for (int i = 0; i < 4; i++) {
    OK(clGetEventInfo(behind[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EQ(status, -7);
    OK(clReleaseEvent(behind[i]));
  }
  OK(clReleaseEvent(gate));
  cl_command_queue fourth = new_queue(0);
  OK(clEnqueueReadBuffer(fourth, b, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
  for (int i = 0; i < 4; i++) EQ(values[i], 0);
  OK(clReleaseCommandQueue(fourth));
  OK(clReleaseMemObject(b));
  clReleaseCommandQueue(q), clReleaseCommandQueue(second), clReleaseCommandQueue(third);
  clReleaseKernel(astray), clReleaseKernel(right);
  OK(clReleaseProgram(program));
  OK(clReleaseContext(context));
}

/* What was built for one device is a binary for another only if that is the same machine. */
static void binaries(const cl_device_id *devices, cl_uint count) {
  for (cl_uint from = 0; from < count; from++) {
    cl_context c = clCreateContext(NULL, 1, &devices[from], NULL, NULL, &error);
    OK(error);
    cl_program made = clCreateProgramWithSource(c, 1, &source, NULL, &error);
    OK(error);
    OK(clBuildProgram(made, 1, &devices[from], "", NULL, NULL));
    size_t size;
    OK(clGetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    OK(clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    for (cl_uint to = 0; to < count; to++) {
      if (number(devices[to], CL_DEVICE_TYPE) != CL_DEVICE_TYPE_ACCELERATOR) continue;
      char own[64], other[64];
      OK(clGetDeviceInfo(devices[from], CL_DRIVER_VERSION, sizeof own, own, NULL));
      OK(clGetDeviceInfo(devices[to], CL_DRIVER_VERSION, sizeof other, other, NULL));
      cl_context into = clCreateContext(NULL, 1, &devices[to], NULL, NULL, &error);
      OK(error);
      const unsigned char *given = bytes;
      cl_program again = clCreateProgramWithBinary(into, 1, &devices[to], &size, &given, NULL, &error);
      EQ(error, strcmp(own, other) ? CL_INVALID_BINARY : CL_SUCCESS);
      if (!error) OK(clReleaseProgram(again));
      OK(clReleaseContext(into));
    }
    free(bytes);
    OK(clReleaseProgram(made));
    OK(clReleaseContext(c));
  }
}

int main(void) {
  char file[] = "/tmp/oxcl-processors-XXXXXX", have[256] = "", want[256] = "";
  int at = mkstemp(file);
  TRUE(at >= 0 && freopen(file, "w+", stdout) != NULL);
  cl_device_id devices[4];
  cl_uint count, simulated = 0;
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, devices, &count));
  for (cl_uint d = 0; d < count; d++) {
    if (number(devices[d], CL_DEVICE_TYPE) != CL_DEVICE_TYPE_ACCELERATOR) continue;
    queries(devices[d]);
    with_content(devices[d]);
    faults(devices[d]);
    simulated++;
  }
  TRUE(simulated > 0);
  binaries(devices, count);
  kernels(devices, count);
  for (cl_uint d = 0; d < count; d++)
    sprintf(want + strlen(want), "%d 1.50 text|", 3 * 3 + (int)(d + 1) * (1000 - 3));
  fflush(stdout);
  TRUE(pread(at, have, sizeof have - 1, 0) > 0);
  unlink(file);
  if (strcmp(have, want)) fprintf(stderr, "printed '%s' instead of '%s'\n", have, want);
  EQ(strcmp(have, want), 0);
  return 0;
}
