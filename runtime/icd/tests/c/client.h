/* What the C test programs share: a failed check names its line and ends the program. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OK(call) EQ(call, CL_SUCCESS)
#define EQ(call, want)                                                                          \
  do {                                                                                          \
    long long got_ = (long long)(call), want_ = (long long)(want);                              \
    if (got_ != want_) {                                                                        \
      fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #call, got_, want_); \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)
#define TRUE(what) EQ(!!(what), 1)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_int error;

static inline void open_device(void) {
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  OK(error);
}

static inline cl_command_queue new_queue(cl_command_queue_properties properties) {
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &error);
  OK(error);
  return queue;
}

static inline cl_mem new_buffer(size_t size) {
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &error);
  OK(error);
  return buffer;
}

static inline cl_program new_program(const char *source) {
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  error = clBuildProgram(program, 1, &device, "", NULL, NULL);
  if (error) {
    char log[4096] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
  }
  OK(error);
  return program;
}

/* A program of another one's binary, not built yet. */
static inline cl_program binary_of(cl_program other) {
  size_t size;
  OK(clGetProgramInfo(other, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char *bytes = malloc(size);
  OK(clGetProgramInfo(other, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
  cl_program program =
      clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, NULL, &error);
  OK(error);
  free(bytes);
  return program;
}

/* Forks so many children one after the other, each of which must end well. */
static inline void fork_children(int children, int (*child_does)(void)) {
  for (int i = 0; i < children; i++) {
    pid_t child = fork();
    TRUE(child >= 0);
    if (!child) _exit(child_does());
    int status;
    TRUE(waitpid(child, &status, 0) == child);
    EQ(status, 0);
  }
}

/* The device reports an extension of this name. */
static inline void reported(const char *extension) {
  char names[4096];
  OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
  const char *at = strstr(names, extension);
  TRUE(at);
  at += strlen(extension);
  TRUE(*at == ' ' || !*at);
}
