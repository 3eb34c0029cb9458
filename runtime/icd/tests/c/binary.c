/* A program's binary, kept by one process and used by another: executable code, and the module that functions for local sizes
   are made of, so that a binary gets faster when it is used, as a program of sources does.

     binary keep FILE    builds from sources and keeps what CL_PROGRAM_BINARIES gives
     binary use FILE     launches the kernel of that binary with one local size for two seconds, and checks what it computes */
#include "client.h"
#include <time.h>

enum { ITEMS = 4096, LOCAL = 64 };

static const char *source =
    "constant uint factors[4] = {1664525u, 22695477u, 134775813u, 214013u};\n"
    "uint step(uint value, int i) { return value * factors[i & 3] + 1013904223u; }\n"
    "kernel void spin(global uint *values, int rounds) {"
    " int item = get_global_id(0);"
    " uint value = values[item] + (uint)get_local_size(0);"
    " for (int i = 0; i < rounds; i++) value = step(value, i);"
    " values[item] = value; }\n"
    "kernel void other(global uint *values) { values[get_global_id(0)] ^= 1u; }\n";

static const unsigned factors[4] = {1664525u, 22695477u, 134775813u, 214013u};

static unsigned expected(unsigned value, int rounds) {
  value += LOCAL;
  for (int i = 0; i < rounds; i++) value = value * factors[i & 3] + 1013904223u;
  return value;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void keep(const char *path) {
  cl_program program = new_program(source);
  size_t size;
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  TRUE(size > 0);
  unsigned char *bytes = malloc(size);
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
  /* The module is there, beside code of full quality. */
  TRUE(memmem(bytes, size, "/oxcl.bc", 8) != NULL);
  FILE *file = fopen(path, "wb");
  TRUE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
  free(bytes);
  OK(clReleaseProgram(program));
}

static void use(const char *path) {
  FILE *file = fopen(path, "rb");
  TRUE(file && fseek(file, 0, SEEK_END) == 0);
  size_t size = ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(size);
  TRUE(fread(bytes, 1, size, file) == size && fclose(file) == 0);
  cl_int status;
  const unsigned char *read = bytes;
  cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &read, &status, &error);
  OK(error);
  OK(status);
  OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, "spin", &error);
  OK(error);
  cl_command_queue queue = new_queue(0);
  cl_mem buffer = new_buffer(ITEMS * sizeof(unsigned));
  static unsigned values[ITEMS];
  for (double end = now() + 2; now() < end;) {
    int rounds = 2000;
    for (int i = 0; i < ITEMS; i++) values[i] = i * 7;
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    size_t global = ITEMS, local = LOCAL;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i += 511) EQ(values[i], expected(i * 7, rounds));
  }
  OK(clReleaseKernel(kernel));
  OK(clReleaseProgram(program));
  free(bytes);
}

int main(int count, char **words) {
  if (count != 3) return 2;
  open_device();
  if (!strcmp(words[1], "keep")) keep(words[2]);
  else use(words[2]);
  return 0;
}
