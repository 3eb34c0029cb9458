/* A two-dimensional stencil over the ranks of an MPI job, with OpenCL in each: every rank has a block of the plane with a border
   of one cell, exchanges borders with its four neighbours, and has a kernel compute the next step.

   halo ROWS COLUMNS STEPS PX PY: the plane, and the grid of ranks. Rank 0 computes the same alone and compares, bit by bit.

   A job of ranks of one's own needs nothing of the library but that it behaves in many processes at once: as many threads as
   the rank has processors, and one cache for all. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                                      \
  do {                                                                                \
    cl_int got_ = (call);                                                             \
    if (got_) {                                                                       \
      fprintf(stderr, "%s:%d: %s is %d\n", __FILE__, __LINE__, #call, got_);          \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                   \
    }                                                                                 \
  } while (0)

static const char *source =
    /* Results are compared bit by bit: no sum may be contracted differently from the serial one. */
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "kernel void relax(global const float *in, global float *out, int width) {\n"
    "  int x = get_global_id(0) + 1, y = get_global_id(1) + 1, i = y * width + x;\n"
    "  out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);\n"
    "}\n"
    /* Border cells of a block in a row, west, east, north, south, and back. */
    "kernel void gather(global const float *in, global float *edges, int width, int height) {\n"
    "  int i = get_global_id(0), w = width - 2, h = height - 2;\n"
    "  if (i < h) { edges[i] = in[(i + 1) * width + 1]; edges[h + i] = in[(i + 1) * width + w]; }\n"
    "  if (i < w) { edges[2 * h + i] = in[width + i + 1]; edges[2 * h + w + i] = in[h * width + i + 1]; }\n"
    "}\n"
    "kernel void scatter(global float *in, global const float *edges, int width, int height) {\n"
    "  int i = get_global_id(0), w = width - 2, h = height - 2;\n"
    "  if (i < h) { in[(i + 1) * width] = edges[i]; in[(i + 1) * width + w + 1] = edges[h + i]; }\n"
    "  if (i < w) { in[i + 1] = edges[2 * h + i]; in[(h + 1) * width + i + 1] = edges[2 * h + w + i]; }\n"
    "}\n";

static float first(int x, int y) { return (float)((x * 37 + y * 101) % 97) / 8.0f; }

/* What one rank alone computes. */
static float *serial(int columns, int rows, int steps) {
  int width = columns + 2;
  size_t cells = (size_t)width * (size_t)(rows + 2);
  float *in = calloc(cells, 4), *out = calloc(cells, 4);
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++) in[(y + 1) * width + x + 1] = first(x, y);
  for (int s = 0; s < steps; s++) {
    for (int y = 1; y <= rows; y++)
      for (int x = 1; x <= columns; x++) {
        int i = y * width + x;
        out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
      }
    float *other = in;
    in = out, out = other;
  }
  free(out);
  return in;
}

int main(int argc, char **argv) {
  int provided, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 6) {
    if (!rank) fprintf(stderr, "usage: halo ROWS COLUMNS STEPS PX PY\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int rows = atoi(argv[1]), columns = atoi(argv[2]), steps = atoi(argv[3]);
  int dims[2] = {atoi(argv[5]), atoi(argv[4])}, periods[2] = {0, 0}, at[2];
  if (dims[0] * dims[1] != ranks || rows % dims[0] || columns % dims[1]) {
    if (!rank) fprintf(stderr, "the grid does not divide the plane, or has not a block for each of %d ranks\n", ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, at);
  int west, east, north, south;
  MPI_Cart_shift(grid, 1, 1, &west, &east);
  MPI_Cart_shift(grid, 0, 1, &north, &south);
  int w = columns / dims[1], h = rows / dims[0], width = w + 2, height = h + 2;

  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  OK(error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  OK(error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
  cl_kernel relax = clCreateKernel(program, "relax", &error), gather = clCreateKernel(program, "gather", &error),
            scatter = clCreateKernel(program, "scatter", &error);
  OK(error);

  size_t cells = (size_t)width * (size_t)height, edge = 2 * (size_t)(w + h);
  float *block = calloc(cells, 4), *out = malloc(edge * 4), *in = calloc(edge, 4);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) block[(y + 1) * width + x + 1] = first(at[1] * w + x, at[0] * h + y);
  cl_mem planes[2], edges[2];
  for (int i = 0; i < 2; i++) {
    planes[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, cells * 4, block, &error);
    OK(error);
    edges[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, edge * 4, NULL, &error);
    OK(error);
  }
  size_t inner[2] = {(size_t)w, (size_t)h}, longest = (size_t)(w > h ? w : h);
  for (int s = 0; s < steps; s++) {
    cl_mem from = planes[s % 2], to = planes[(s + 1) % 2];
    OK(clSetKernelArg(gather, 0, sizeof from, &from));
    OK(clSetKernelArg(gather, 1, sizeof edges[0], &edges[0]));
    OK(clSetKernelArg(gather, 2, sizeof width, &width));
    OK(clSetKernelArg(gather, 3, sizeof height, &height));
    OK(clEnqueueNDRangeKernel(queue, gather, 1, NULL, &longest, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, edges[0], CL_TRUE, 0, edge * 4, out, 0, NULL, NULL));
    /* What is beyond the plane stays zero. */
    MPI_Request requests[8];
    MPI_Status statuses[8];
    struct { int peer, length, place; } sides[4] = {
        {west, h, 0}, {east, h, h}, {north, w, 2 * h}, {south, w, 2 * h + w}};
    for (int k = 0; k < 4; k++) {
      MPI_Irecv(in + sides[k].place, sides[k].length, MPI_FLOAT, sides[k].peer, k ^ 1, grid, &requests[k]);
      MPI_Isend(out + sides[k].place, sides[k].length, MPI_FLOAT, sides[k].peer, k, grid, &requests[4 + k]);
    }
    MPI_Waitall(8, requests, statuses);
    OK(clEnqueueWriteBuffer(queue, edges[1], CL_FALSE, 0, edge * 4, in, 0, NULL, NULL));
    OK(clSetKernelArg(scatter, 0, sizeof from, &from));
    OK(clSetKernelArg(scatter, 1, sizeof edges[1], &edges[1]));
    OK(clSetKernelArg(scatter, 2, sizeof width, &width));
    OK(clSetKernelArg(scatter, 3, sizeof height, &height));
    OK(clEnqueueNDRangeKernel(queue, scatter, 1, NULL, &longest, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(relax, 0, sizeof from, &from));
    OK(clSetKernelArg(relax, 1, sizeof to, &to));
    OK(clSetKernelArg(relax, 2, sizeof width, &width));
    OK(clEnqueueNDRangeKernel(queue, relax, 2, NULL, inner, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
  }
  OK(clEnqueueReadBuffer(queue, planes[steps % 2], CL_TRUE, 0, cells * 4, block, 0, NULL, NULL));

  /* All blocks to rank 0, without borders. */
  float *mine = malloc((size_t)w * h * 4), *all = rank ? NULL : malloc((size_t)rows * columns * 4);
  for (int y = 0; y < h; y++) memcpy(mine + (size_t)y * w, block + (y + 1) * width + 1, (size_t)w * 4);
  MPI_Gather(mine, w * h, MPI_FLOAT, all, w * h, MPI_FLOAT, 0, grid);
  int wrong = 0;
  if (!rank) {
    float *want = serial(columns, rows, steps);
    for (int r = 0; r < ranks; r++) {
      int place[2];
      MPI_Cart_coords(grid, r, 2, place);
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
          float a = all[(size_t)r * w * h + (size_t)y * w + x];
          float b = want[(place[0] * h + y + 1) * (columns + 2) + place[1] * w + x + 1];
          wrong += memcmp(&a, &b, 4) != 0;
        }
    }
    printf("halo: %d x %d cells, %d steps, %d x %d ranks: %s\n", rows, columns, steps, dims[1], dims[0],
           wrong ? "WRONG" : "as a serial run");
    free(want);
  }
  MPI_Bcast(&wrong, 1, MPI_INT, 0, grid);
  MPI_Finalize();
  return wrong != 0;
}
