// Solves a sparse system of equations by conjugate gradients: the temperature of a plate whose border is cold and whose points are
// heated. The host enqueues ten rounds at a time and looks at what is left only then. `solve FOLDER`: where solver.cl is.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 96, N = SIDE * SIDE, PARTS = 32, LOCAL = 64, AT_ONCE = 10, MOST = 1000 };

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int status, const char *what) {
  if (status != CL_SUCCESS) {
    fprintf(stderr, "%s: error %d\n", what, status);
    exit(1);
  }
}

static cl_mem buffer(size_t bytes, void *from) {
  cl_int status;
  cl_mem made = clCreateBuffer(context, from ? CL_MEM_COPY_HOST_PTR : 0, bytes, from, &status);
  check(status, "clCreateBuffer");
  return made;
}

// A kernel with its buffers, and behind them a number where it takes one.
static cl_kernel kernel(const char *name, int count, const cl_mem *buffers, const cl_int *number) {
  cl_int status;
  cl_kernel made = clCreateKernel(program, name, &status);
  check(status, name);
  for (int i = 0; i < count; i++) check(clSetKernelArg(made, i, sizeof(cl_mem), &buffers[i]), name);
  if (number) check(clSetKernelArg(made, count, sizeof *number, number), name);
  return made;
}

static void launch(cl_kernel work, size_t global, const size_t *local) {
  check(clEnqueueNDRangeKernel(queue, work, 1, NULL, &global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

static void open_device(const char *folder) {
  static char path[4096], source[16384];
  snprintf(path, sizeof path, "%s/solver.cl", folder);
  FILE *file = fopen(path, "r");
  if (!file || !fread(source, 1, sizeof source - 1, file)) perror(path), exit(1);
  fclose(file);
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
  check(status, "clCreateCommandQueueWithProperties");
  const char *text = source;
  program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
}

int main(int count, char **arguments) {
  open_device(count > 1 ? arguments[1] : ".");

  // Four times a point less its neighbours is what it is heated by.
  static int rows[N + 1], columns[5 * N];
  static float values[5 * N], heat[N], x[N];
  int filled = 0;
  for (int i = 0; i < N; i++) {
    int at[5] = {i >= SIDE ? i - SIDE : -1, i % SIDE ? i - 1 : -1, i, (i + 1) % SIDE ? i + 1 : -1, i + SIDE < N ? i + SIDE : -1};
    for (int k = 0; k < 5; k++)
      if (at[k] >= 0) columns[filled] = at[k], values[filled++] = at[k] == i ? 4 : -1;
    rows[i + 1] = filled;
    heat[i] = (i / SIDE / 24 + i % SIDE / 24) % 2 ? 0.01f : 0;
  }

  // It begins with a cold plate: what is left to explain, and the first direction, are the heat.
  cl_mem vector = buffer(sizeof x, x), rest = buffer(sizeof heat, heat), direction = buffer(sizeof heat, heat);
  cl_mem product = buffer(sizeof x, NULL), step = buffer(PARTS * 4, NULL), left[2] = {buffer(PARTS * 4, NULL), buffer(PARTS * 4, NULL)};
  cl_mem sparse[] = {buffer(sizeof rows, rows), buffer(filled * 4, columns), buffer(filled * 4, values), direction, product};
  cl_int n = N;
  cl_kernel multiply = kernel("multiply", 5, sparse, NULL);
  cl_kernel along = kernel("dot_product", 3, (cl_mem[]){direction, product, step}, &n), squared[2], advance[2], turn[2];
  for (int i = 0; i < 2; i++) {
    squared[i] = kernel("dot_product", 3, (cl_mem[]){rest, rest, left[i]}, &n);
    advance[i] = kernel("advance", 6, (cl_mem[]){direction, product, vector, rest, left[i], step}, NULL);
    turn[i] = kernel("turn", 4, (cl_mem[]){rest, direction, left[!i], left[i]}, NULL);
  }

  size_t local = LOCAL, strided = PARTS * LOCAL;
  launch(squared[0], strided, &local);
  int round = 0;
  float parts[PARTS], sum = 1;
  while (sum > 1e-8f && round < MOST) {
    for (int end = round + AT_ONCE; round < end; round++) {
      int now = round % 2;
      launch(multiply, N, NULL);
      launch(along, strided, &local);
      launch(advance[now], N, NULL);
      launch(squared[!now], strided, &local);
      launch(turn[now], N, NULL);
    }
    check(clEnqueueReadBuffer(queue, left[round % 2], CL_TRUE, 0, sizeof parts, parts, 0, NULL, NULL), "clEnqueueReadBuffer");
    sum = 0;
    for (int i = 0; i < PARTS; i++) sum += parts[i];
  }

  // The host puts the result into the equations.
  check(clEnqueueReadBuffer(queue, vector, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL), "clEnqueueReadBuffer");
  float worst = 0, hottest = 0;
  for (int i = 0; i < N; i++) {
    float found = 0;
    for (int k = rows[i]; k < rows[i + 1]; k++) found += values[k] * x[columns[k]];
    worst = fmaxf(worst, fabsf(found - heat[i]));
    hottest = fmaxf(hottest, x[i]);
  }
  printf("%d equations, %d numbers, %d rounds; the hottest place has %.2f, the worst equation is off by %.0e\n", N, filled, round,
         hottest, worst);
  return worst > 1e-4f;
}
