/* Programs in SPIR-V: built, specialised, compiled and linked with OpenCL C, and what is asked of them. */
#include "client.h"
#include "il_modules.h"
#include <unistd.h>

enum { ITEMS = 16 };

static void build(cl_program program) {
  error = clBuildProgram(program, 0, NULL, "", NULL, NULL);
  if (error) {
    char log[4096] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
  }
  OK(error);
}

static void run(cl_program program, const char *name, unsigned *back) {
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(ITEMS * sizeof *back);
  cl_kernel k = clCreateKernel(program, name, &error);
  OK(error);
  OK(clSetKernelArg(k, 0, sizeof b, &b));
  size_t items = ITEMS;
  OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, ITEMS * sizeof *back, back, 0, NULL, NULL));
  OK(clReleaseKernel(k)); OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
}

static cl_program of_words(const unsigned *words, size_t bytes) {
  cl_program program = clCreateProgramWithIL(context, words, bytes, &error);
  OK(error);
  return program;
}

int main(void) {
  alarm(200);
  open_device();
  unsigned back[ITEMS];

  /* What it is. */
  cl_program program = of_words(fill_module, sizeof fill_module);
  size_t size;
  OK(clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
  EQ(size, sizeof fill_module);
  char il[sizeof fill_module], text[16] = "x";
  OK(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof il, il, NULL));
  EQ(memcmp(il, fill_module, sizeof il), 0);
  OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, NULL));
  EQ(strlen(text), 0);

  /* As it says, then with other constants: a later build takes those of its time. */
  build(program);
  run(program, "fill", back);
  for (unsigned i = 0; i < ITEMS; i++) EQ(back[i], 3 * i + 100);
  cl_uint factor = 5;
  cl_ulong offset = 1000;
  cl_uchar upwards = 0;
  OK(clSetProgramSpecializationConstant(program, 7, sizeof factor, &factor));
  build(program);
  run(program, "fill", back);
  for (unsigned i = 0; i < ITEMS; i++) EQ(back[i], 5 * i + 100);
  OK(clSetProgramSpecializationConstant(program, 9, sizeof offset, &offset));
  OK(clSetProgramSpecializationConstant(program, 12, sizeof upwards, &upwards));
  build(program);
  run(program, "fill", back);
  for (unsigned i = 0; i < ITEMS; i++) EQ(back[i], 5 * i - 1000);

  /* Parameters. */
  cl_kernel k = clCreateKernel(program, "fill", &error);
  OK(error);
  char name[16];
  OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
  EQ(strcmp(name, "out"), 0);
  cl_kernel_arg_address_qualifier space;
  OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
  EQ(space, CL_KERNEL_ARG_ADDRESS_GLOBAL);
  OK(clReleaseKernel(k));

  /* Mistakes. */
  EQ(clSetProgramSpecializationConstant(program, 8, sizeof factor, &factor), CL_INVALID_SPEC_ID);
  EQ(clSetProgramSpecializationConstant(program, 7, 8, &offset), CL_INVALID_VALUE);
  EQ(clSetProgramSpecializationConstant(program, 7, sizeof factor, NULL), CL_INVALID_VALUE);
  const char *source = "uint twist(uint x) { return x ^ 5; }";
  cl_program library = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  EQ(clSetProgramSpecializationConstant(library, 7, sizeof factor, &factor), CL_INVALID_PROGRAM);
  EQ(clSetProgramSpecializationConstant(NULL, 7, sizeof factor, &factor), CL_INVALID_PROGRAM);
  TRUE(!clCreateProgramWithIL(context, NULL, 64, &error)); EQ(error, CL_INVALID_VALUE);
  TRUE(!clCreateProgramWithIL(context, fill_module, 0, &error)); EQ(error, CL_INVALID_VALUE);
  TRUE(!clCreateProgramWithIL(context, fill_module, sizeof fill_module - 12, &error)); EQ(error, CL_INVALID_VALUE);
  TRUE(!clCreateProgramWithIL(NULL, fill_module, sizeof fill_module, &error)); EQ(error, CL_INVALID_CONTEXT);
  /* A module whose words are whole and say something wrong: the build log names the place. */
  unsigned wrong[sizeof fill_module / 4];
  memcpy(wrong, fill_module, sizeof wrong);
  wrong[sizeof wrong / 4 - 2] = 1 << 16 | 252; /* OpKill for OpReturn */
  cl_program refused = of_words(wrong, sizeof wrong);
  EQ(clBuildProgram(refused, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  char log[1024] = "";
  OK(clGetProgramBuildInfo(refused, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  TRUE(strstr(log, "OpKill") && strstr(log, "OX0233") && strstr(log, "word"));

  /* Linked with OpenCL C. */
  cl_program parts[2] = {of_words(call_module, sizeof call_module), library};
  for (int i = 0; i < 2; i++) OK(clCompileProgram(parts[i], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  cl_program linked = clLinkProgram(context, 0, NULL, "", 2, parts, NULL, NULL, &error);
  OK(error);
  run(linked, "call", back);
  for (unsigned i = 0; i < ITEMS; i++) EQ(back[i], i ^ 5);
  EQ(clBuildProgram(parts[0], 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);

  OK(clReleaseProgram(linked)); OK(clReleaseProgram(parts[0])); OK(clReleaseProgram(library));
  OK(clReleaseProgram(refused)); OK(clReleaseProgram(program)); OK(clReleaseContext(context));
  return 0;
}
