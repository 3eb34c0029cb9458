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
    simulated++;
  }
  TRUE(simulated > 0);
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
