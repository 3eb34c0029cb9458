/* CL_CONTEXT_MEMORY_INITIALIZE_KHR: local and private memory are zero at first, whatever way a program came and however hot its
   kernels are; and what is wrong with properties and binaries. */
#include "client.h"
#include <CL/cl_ext.h>

enum { LOCAL = 1, PRIVATE = 2, ITEMS = 4096 };
static const char *const source =
    "kernel void k(global int *out, local int *given, int n) {\n"
    "  local int own[64]; int table[32], sum = 0, l = get_local_id(0);\n"
    "  sum += own[l] + given[l];\n"
    "  for (int i = 0; i < n; i++) { sum += table[(l + i) & 31]; table[(l + 7 * i) & 31] -= 0; }\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  own[l] = given[l] = 3 + l;\n"
    "  for (int i = 0; i < n; i++) table[i & 31] = i;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = sum + own[63 - l] - given[63 - l] + (table[1] == 1 ? 0 : n);\n"
    "}\n";

static cl_context with(intptr_t bits) {
  cl_context_properties list[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, bits, 0};
  cl_context made = clCreateContext(list, 1, &device, NULL, NULL, &error);
  OK(error);
  cl_context_properties told[3];
  OK(clGetContextInfo(made, CL_CONTEXT_PROPERTIES, sizeof told, told, NULL));
  EQ(memcmp(told, list, sizeof list), 0);
  return made;
}

/* Runs the kernel until better code has had time to come. */
static void all_zero(cl_program program) {
  cl_kernel kernel = clCreateKernel(program, "k", &error);
  OK(error);
  cl_command_queue queue = new_queue(0);
  cl_mem out = new_buffer(ITEMS * sizeof(int));
  int n = 32, garbage = -1, values[ITEMS];
  size_t global = ITEMS, local = 64;
  OK(clSetKernelArg(kernel, 0, sizeof out, &out));
  OK(clSetKernelArg(kernel, 1, 64 * sizeof(int), NULL));
  OK(clSetKernelArg(kernel, 2, sizeof n, &n));
  /* One device has a thread for each work-item, and no better code. */
  const char *devices = getenv("OXCL_DEVICES");
  int rounds = devices && !strcmp(devices, "ref") ? 4 : 400;
  for (int round = 0; round < rounds; round++) {
    OK(clEnqueueFillBuffer(queue, out, &garbage, sizeof garbage, 0, sizeof values, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++) EQ(values[i], 0);
  }
  OK(clReleaseMemObject(out)); OK(clReleaseCommandQueue(queue)); OK(clReleaseKernel(kernel));
}

static cl_program linked(void) {
  cl_program part = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
  OK(error);
  OK(clCompileProgram(part, 1, &device, "", 0, NULL, NULL, NULL, NULL));
  cl_program program = clLinkProgram(context, 1, &device, "", 1, &part, NULL, NULL, &error);
  OK(error);
  OK(clReleaseProgram(part));
  return program;
}

static cl_program from_binary(cl_program other, cl_int want) {
  cl_program program = binary_of(other);
  EQ(clBuildProgram(program, 1, &device, "", NULL, NULL), want);
  return program;
}

int main(void) {
  open_device();
  reported("cl_khr_initialize_memory");
  cl_context_properties wrong[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 4, 0};
  cl_context_properties twice[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1, CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1, 0};
  EQ((intptr_t)clCreateContext(wrong, 1, &device, NULL, NULL, &error), 0);
  EQ(error, CL_INVALID_PROPERTY);
  EQ((intptr_t)clCreateContext(twice, 1, &device, NULL, NULL, &error), 0);
  EQ(error, CL_INVALID_PROPERTY);
  cl_context plain = with(0), zeroed = with(LOCAL | PRIVATE), half = with(PRIVATE);

  /* First without: what is kept of this program is not for the other context. */
  context = plain;
  cl_program usual = new_program(source);
  context = zeroed;
  cl_program program = new_program(source), joined = linked(), read = from_binary(program, CL_SUCCESS);
  char options[64] = "?";
  OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
  EQ(strcmp(options, ""), 0);
  all_zero(program); all_zero(joined); all_zero(read);
  /* Binaries of contexts that do not ask for it do not do it. */
  cl_program refused = from_binary(usual, CL_BUILD_PROGRAM_FAILURE);
  char log[1024] = "";
  OK(clGetProgramBuildInfo(refused, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  TRUE(strstr(log, "CL_CONTEXT_MEMORY_INITIALIZE_KHR"));
  OK(clReleaseProgram(refused));
  context = half;
  OK(clReleaseProgram(from_binary(program, CL_SUCCESS)));
  context = plain;
  OK(clReleaseProgram(from_binary(program, CL_SUCCESS)));
  OK(clReleaseProgram(usual)); OK(clReleaseProgram(program)); OK(clReleaseProgram(joined)); OK(clReleaseProgram(read));
  OK(clReleaseContext(plain)); OK(clReleaseContext(zeroed)); OK(clReleaseContext(half));
  return 0;
}
