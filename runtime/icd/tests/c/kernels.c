/* Programs and kernels: building, failing, compiling and linking, binaries, arguments, launches, threads. */
#include "client.h"
#include <pthread.h>

static const char *source =
    "kernel void scale(global int *data, int factor, local int *scratch) {\n"
    "  size_t i = get_global_id(0); scratch[get_local_id(0)] = data[i];\n"
    "  data[i] = scratch[get_local_id(0)] * factor; }\n"
    "kernel void add(global int *data, global const int *more) { data[get_global_id(0)] += more[get_global_id(0)]; }\n";

static cl_program program;

static void *thread(void *out) {
  enum { N = 256, ROUNDS = 200 };
  cl_command_queue q = new_queue(0);
  cl_int failed;
  cl_kernel add = clCreateKernel(program, "add", &failed);
  cl_mem data = clCreateBuffer(context, 0, N * 4, NULL, &failed), one = clCreateBuffer(context, 0, N * 4, NULL, &failed);
  int pattern = 1, zero = 0, back[N];
  size_t global = N, local = 16;
  clEnqueueFillBuffer(q, one, &pattern, 4, 0, N * 4, 0, NULL, NULL);
  clEnqueueFillBuffer(q, data, &zero, 4, 0, N * 4, 0, NULL, NULL);
  clSetKernelArg(add, 0, sizeof data, &data);
  clSetKernelArg(add, 1, sizeof one, &one);
  for (int i = 0; i < ROUNDS; i++) failed |= clEnqueueNDRangeKernel(q, add, 1, NULL, &global, &local, 0, NULL, NULL);
  failed |= clEnqueueReadBuffer(q, data, CL_TRUE, 0, N * 4, back, 0, NULL, NULL);
  for (int i = 0; i < N; i++) failed |= back[i] != ROUNDS;
  clReleaseMemObject(data); clReleaseMemObject(one); clReleaseKernel(add); clReleaseCommandQueue(q);
  *(cl_int *)out = failed;
  return NULL;
}

static int called;
static void on_built(cl_program p, void *data) { (void)p; __atomic_store_n((int *)data, 1, __ATOMIC_SEQ_CST); }

/* What the library says of the language is what programs see: macros of extensions, and of optional features. */
static void features(void) {
  static const char *known[] = {
    "atomic_order_acq_rel", "atomic_order_seq_cst", "atomic_scope_all_devices", "atomic_scope_device", "device_enqueue",
    "fp64", "generic_address_space", "images", "int64", "pipes", "program_scope_global_variables", "read_write_images",
    "subgroups", "work_group_collective_functions" };
  static cl_name_version reported[64];
  static char source[1 << 14], extensions[4096];
  size_t bytes, at = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof reported, reported, &bytes));
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    int has = 0;
    for (size_t k = 0; k < bytes / sizeof *reported; k++) has |= !strcmp(reported[k].name + strlen("__opencl_c_"), known[i]);
    at += sprintf(source + at, "#if%s __opencl_c_%s\n#error feature %s\n#endif\n", has ? "ndef" : "def", known[i], known[i]);
  }
  static const char *languages[] = { "cl_khr_byte_addressable_store", "cl_khr_fp16", "cl_khr_fp64", "cl_khr_subgroups",
    "cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics", "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics", "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics" };
  OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
  for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
    at += sprintf(source + at, "#if%s %s\n#error extension %s\n#endif\n", strstr(extensions, languages[i]) ? "ndef" : "def", languages[i], languages[i]);
  const char *text = source;
  cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  OK(error);
  error = clBuildProgram(p, 1, &device, "-cl-std=CL3.0", NULL, NULL);
  if (error) clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof source, source, NULL), fprintf(stderr, "%s\n", source);
  OK(error);
  OK(clReleaseProgram(p));
}

/* A link that fails leaves a program that says why; one that cannot begin leaves none. */
static void failed_link(void) {
  const char *text = "int missing(int); kernel void k(global int *x) { x[0] = missing(1); }";
  cl_program object = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  OK(error);
  OK(clCompileProgram(object, 1, &device, "", 0, NULL, NULL, NULL, NULL));
  cl_program failed = clLinkProgram(context, 1, &device, "", 1, &object, NULL, NULL, &error);
  EQ(error, CL_LINK_PROGRAM_FAILURE);
  TRUE(failed != NULL);
  cl_build_status status;
  char log[4096] = "";
  OK(clGetProgramBuildInfo(failed, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  EQ(status, CL_BUILD_ERROR);
  OK(clGetProgramBuildInfo(failed, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  TRUE(strstr(log, "missing") != NULL);
  OK(clReleaseProgram(failed));
  TRUE(clLinkProgram(context, 1, &device, "-no-such-option", 1, &object, NULL, NULL, &error) == NULL);
  EQ(error, CL_INVALID_LINKER_OPTIONS);
  OK(clReleaseProgram(object));
}

/* Programs without kernels are programs. */
static void without_kernels(cl_program object) {
  const char *none = "global int counter[3]; int helper(int x) { return x + counter[1]; }";
  cl_program without = clCreateProgramWithSource(context, 1, &none, NULL, &error);
  OK(error);
  OK(clBuildProgram(without, 1, &device, "-cl-std=CL3.0", NULL, NULL));
  size_t count = 1, length = 0, bytes = 0, size = 0;
  OK(clGetProgramInfo(without, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
  EQ(count, 0);
  OK(clGetProgramInfo(without, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &length));
  EQ(length, 1);
  OK(clGetProgramBuildInfo(without, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes, &bytes, NULL));
  EQ(bytes, 12);
  cl_uint kernels = 1;
  OK(clCreateKernelsInProgram(without, 0, NULL, &kernels));
  EQ(kernels, 0);
  clCreateKernel(without, "helper", &error);
  EQ(error, CL_INVALID_KERNEL_NAME);
  OK(clGetProgramInfo(without, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  TRUE(size > 0);
  cl_program empty = new_program(" ");
  OK(clGetProgramInfo(empty, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
  EQ(count, 0);
  cl_program alone = clLinkProgram(context, 0, NULL, "", 1, &object, NULL, NULL, &error);
  OK(error);
  OK(clGetProgramInfo(alone, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
  EQ(count, 0);
}

int main(void) {
  open_device();
  cl_command_queue q = new_queue(0);
  program = new_program(source);
  cl_kernel scale = clCreateKernel(program, "scale", &error);
  OK(error);
  EQ(clCreateKernel(program, "nothing", &error) != NULL, 0); EQ(error, CL_INVALID_KERNEL_NAME);
  cl_uint count;
  OK(clGetKernelInfo(scale, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
  EQ(count, 3);
  char text[64];
  OK(clGetKernelArgInfo(scale, 1, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
  TRUE(!strcmp(text, "factor"));

  int values[64], factor = 3;
  for (int i = 0; i < 64; i++) values[i] = i;
  cl_mem data = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
  size_t global = 64, local = 8, uneven = 0, big = 1 << 20;
  EQ(clEnqueueNDRangeKernel(q, scale, 1, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  EQ(clSetKernelArg(scale, 9, sizeof data, &data), CL_INVALID_ARG_INDEX);
  EQ(clSetKernelArg(scale, 0, 4, &data), CL_INVALID_ARG_SIZE);
  EQ(clSetKernelArg(scale, 0, sizeof data, &q), CL_INVALID_MEM_OBJECT);
  EQ(clSetKernelArg(scale, 1, 8, values), CL_INVALID_ARG_SIZE);
  EQ(clSetKernelArg(scale, 1, 4, NULL), CL_INVALID_ARG_VALUE);
  // Since OpenCL 3.1 local memory may be of no size.
  OK(clSetKernelArg(scale, 2, 0, NULL));
  OK(clSetKernelArg(scale, 0, sizeof data, &data));
  OK(clSetKernelArg(scale, 1, sizeof factor, &factor));
  OK(clSetKernelArg(scale, 2, 8 * 4, NULL));
  EQ(clEnqueueNDRangeKernel(q, scale, 4, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
  EQ(clEnqueueNDRangeKernel(q, scale, 1, NULL, &global, &uneven, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
  EQ(clEnqueueNDRangeKernel(q, scale, 1, NULL, &global, &big, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
  OK(clEnqueueNDRangeKernel(q, scale, 1, NULL, &uneven, NULL, 0, NULL, NULL));
  cl_kernel copy = clCloneKernel(scale, &error);
  OK(error);
  OK(clEnqueueNDRangeKernel(q, copy, 1, NULL, &global, &local, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, data, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
  for (int i = 0; i < 64; i++) EQ(values[i], 3 * i);
  EQ(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);

  /* A buffer that went away is no argument any more. */
  OK(clReleaseMemObject(data));
  EQ(clEnqueueNDRangeKernel(q, scale, 1, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  OK(clReleaseKernel(copy)); OK(clReleaseKernel(scale));

  pthread_t threads[4];
  cl_int failed[4];
  for (int i = 0; i < 4; i++) TRUE(!pthread_create(&threads[i], NULL, thread, &failed[i]));
  for (int i = 0; i < 4; i++) { pthread_join(threads[i], NULL); EQ(failed[i], 0); }

  /* Binaries go round. */
  size_t size;
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char *binary = malloc(size);
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  const unsigned char *given = binary;
  cl_program again = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &error);
  OK(error);
  OK(clBuildProgram(again, 0, NULL, "", NULL, NULL));
  OK(clGetProgramInfo(again, CL_PROGRAM_NUM_KERNELS, sizeof size, &size, NULL));
  EQ(size, 2);
  size_t four = 4;
  clCreateProgramWithBinary(context, 1, &device, &four, &given, NULL, &error);
  EQ(error, CL_INVALID_BINARY);

  /* Errors of the source are in the log; options are checked; the next build works. */
  const char *bad = "kernel void broken(global int *x) { x[0] = nothing; }";
  cl_program wrong = clCreateProgramWithSource(context, 1, &bad, NULL, &error);
  EQ(clBuildProgram(wrong, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  char log[4096];
  OK(clGetProgramBuildInfo(wrong, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  TRUE(strstr(log, "nothing"));
  EQ(clCreateKernel(wrong, "broken", &error) != NULL, 0); EQ(error, CL_INVALID_PROGRAM_EXECUTABLE);
  EQ(clBuildProgram(wrong, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
  cl_program later = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(clBuildProgram(later, 1, &device, "-cl-std=CL3.0", on_built, &called));
  while (!__atomic_load_n(&called, __ATOMIC_SEQ_CST)) {}
  cl_build_status status;
  OK(clGetProgramBuildInfo(later, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  EQ(status, CL_BUILD_SUCCESS);

  /* Compile with a header, and link. */
  const char *user = "#include \"twice.h\"\nint twice(int);\nkernel void k(global int *x) { x[0] = TIMES * twice(x[0]); }";
  const char *library = "int twice(int x) { return 2 * x; }", *header = "#define TIMES 5\n", *name = "twice.h";
  cl_program parts[2] = {clCreateProgramWithSource(context, 1, &user, NULL, &error),
                         clCreateProgramWithSource(context, 1, &library, NULL, &error)};
  cl_program h = clCreateProgramWithSource(context, 1, &header, NULL, &error);
  OK(clCompileProgram(parts[0], 0, NULL, "", 1, &h, &name, NULL, NULL));
  OK(clCompileProgram(parts[1], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  cl_program linked = clLinkProgram(context, 0, NULL, "", 2, parts, NULL, NULL, &error);
  OK(error);
  cl_kernel k = clCreateKernel(linked, "k", &error);
  OK(error);
  int seven = 7;
  cl_mem x = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, &seven, &error);
  OK(clSetKernelArg(k, 0, sizeof x, &x));
  OK(clEnqueueTask(q, k, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 4, &seven, 0, NULL, NULL));
  EQ(seven, 70);

  without_kernels(parts[1]);
  failed_link();
  features();

  /* An address as an argument. */
  int *svm = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 4, 0);
  *svm = 2;
  OK(clSetKernelArgSVMPointer(k, 0, svm));
  OK(clEnqueueTask(q, k, 0, NULL, NULL));
  OK(clFinish(q));
  EQ(*svm, 20);
  OK(clReleaseKernel(k));
  return 0;
}
