/* Matrix products of two kinds, in blocks of 64 x 16 by groups of 16 x 4 that share a part of a matrix: what a short program
   is that benchmarks make of one kernel. All is launched a few times, or for some time, and the speed is printed for each.

     gemm passes N    each kernel N times, beginning with a process that has built nothing
     gemm seconds S   both in turn, for so long
     gemm measure     runs itself: with full code, in a first process, a second one, and one of a second, and says what
                      compilers took; a number behind it is that of busy processes beside

   Without an argument: two passes, whose results are checked. */
#define _GNU_SOURCE
#include "client.h"
#include "measure.h"

enum { N = 256 };

static const char *source =
    "#define ROW(x, s) do { c[0]+=x*s[0]; c[1]+=x*s[1]; c[2]+=x*s[2]; c[3]+=x*s[3]; c[4]+=x*s[4]; c[5]+=x*s[5];"
    " c[6]+=x*s[6]; c[7]+=x*s[7]; c[8]+=x*s[8]; c[9]+=x*s[9]; c[10]+=x*s[10]; c[11]+=x*s[11]; c[12]+=x*s[12];"
    " c[13]+=x*s[13]; c[14]+=x*s[14]; c[15]+=x*s[15]; } while (0)\n"
    "#define BEGIN const int x = get_local_id(0), y = get_local_id(1);"
    " const int row = get_group_id(0) * 64 + x + y * 16, column = get_group_id(1) * 16;\n"
    "#define END for (int i = 0; i < 16; i++) { int at = (column + i) * n + row; out[at] = alpha * c[i] + beta * out[at]; }\n"
    "kernel void plain(global const float *a, global const float *b, global float *out, int n, float alpha, float beta) {"
    " BEGIN local float part[16][17]; float c[16]; for (int i = 0; i < 16; i++) c[i] = 0;"
    " for (int k = 0; k < n; k += 16) {"
    "  for (int i = 0; i < 16; i += 4) part[x][y + i] = b[(column + y + i) * n + k + x];"
    "  barrier(CLK_LOCAL_MEM_FENCE);"
    "  for (int i = 0; i < 16; i++) { float e = a[(k + i) * n + row]; ROW(e, part[i]); }"
    "  barrier(CLK_LOCAL_MEM_FENCE); } END }\n"
    "kernel void transposed(global const float *a, global const float *b, global float *out, int n, float alpha, float beta) {"
    " BEGIN local float part[4][16]; float c[16]; for (int i = 0; i < 16; i++) c[i] = 0;"
    " for (int k = 0; k < n; k += 4) {"
    "  part[y][x] = b[(k + y) * n + column + x];"
    "  barrier(CLK_LOCAL_MEM_FENCE);"
    "  for (int i = 0; i < 4; i++) { float e = a[(k + i) * n + row]; ROW(e, part[i]); }"
    "  barrier(CLK_LOCAL_MEM_FENCE); } END }\n";

/* The client. */

static cl_command_queue queue;
static cl_kernel kernels[2];
static cl_mem a, b, out;
static float matrices[3][N * N];

static void open_program(void) {
  open_device();
  queue = new_queue(0);
  a = new_buffer(sizeof matrices[0]), b = new_buffer(sizeof matrices[0]), out = new_buffer(sizeof matrices[0]);
  for (int i = 0; i < N * N; i++) matrices[0][i] = 1 + i % 7 * 0.25f, matrices[1][i] = 1 + i % 11 * 0.125f;
  cl_program program = new_program(source);
  const char *names[2] = {"plain", "transposed"};
  int n = N;
  float alpha = 1, beta = 0;
  for (int kind = 0; kind < 2; kind++) {
    kernels[kind] = clCreateKernel(program, names[kind], &error);
    OK(error);
    OK(clSetKernelArg(kernels[kind], 0, sizeof a, &a));
    OK(clSetKernelArg(kernels[kind], 1, sizeof b, &b));
    OK(clSetKernelArg(kernels[kind], 2, sizeof out, &out));
    OK(clSetKernelArg(kernels[kind], 3, sizeof n, &n));
    OK(clSetKernelArg(kernels[kind], 4, sizeof alpha, &alpha));
    OK(clSetKernelArg(kernels[kind], 5, sizeof beta, &beta));
  }
}

/* Seconds of one launch, with matrices that are written before and read after. */
static double pass(int kind) {
  OK(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, sizeof matrices[0], matrices[0], 0, NULL, NULL));
  OK(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, sizeof matrices[0], matrices[1], 0, NULL, NULL));
  OK(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, sizeof matrices[0], matrices[2], 0, NULL, NULL));
  size_t global[2] = {N / 4, N / 4}, local[2] = {16, 4};
  double begin = now();
  OK(clEnqueueNDRangeKernel(queue, kernels[kind], 2, NULL, global, local, 0, NULL, NULL));
  OK(clFinish(queue));
  double end = now();
  OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof matrices[2], matrices[2], 0, NULL, NULL));
  return end - begin;
}

static void check(int kind) {
  for (int i = 0; i < 40; i++) {
    int row = i * 37 % N, column = i * 91 % N;
    double want = 0;
    for (int k = 0; k < N; k++) {
      float left = matrices[0][k * N + row], right = matrices[1][kind ? k * N + column : column * N + k];
      want += (double)left * right;
    }
    TRUE(fabs(matrices[2][column * N + row] - want) < 1e-3 * want);
  }
}

static const double work = 2.0 * N * N * N / 1e9;

static void passes(int count, int checked) {
  for (int kind = 0; kind < 2; kind++) {
    double time = 0;
    for (int i = 0; i < count; i++) {
      time += pass(kind);
      if (checked) check(kind);
    }
    printf("%.3f ", count * work / time);
  }
  printf("\n");
}

static void seconds(double length) {
  double time[2] = {0}, end = now() + length;
  int count = 0;
  for (; now() < end; count++) {
    for (int kind = 0; kind < 2; kind++) time[kind] += pass(kind);
  }
  printf("%.3f %.3f\n", count * work / time[0], count * work / time[1]);
}

/* The measuring. */

/* The medians of some rounds, and of the speeds over those of full code in the same round. */
static void show(const char *what, const struct result *got, const struct result *full, int count) {
  double values[6][16];
  for (int i = 0; i < count; i++) {
    for (int kind = 0; kind < 2; kind++) {
      values[kind][i] = got[i].told[kind];
      values[2 + kind][i] = got[i].told[kind] / full[i].told[kind];
    }
    values[4][i] = got[i].compilers, values[5][i] = got[i].until;
  }
  printf("%-28s", what);
  for (int i = 0; i < 6; i++) printf(i == 4 ? " %10.3f" : " %8.2f", median(values[i], count));
  printf("\n");
  fflush(stdout);
}

static void table(int busy) {
  char full_cache[40], cache[40], alone[40];
  printf("%d busy processes beside\n%-28s %8s %8s %8s %8s %10s %8s\n", busy, "", "plain", "transp.", "of full", "of full",
         "compilers", "until");
  enum { BUILT, FULL, FIRST, SECOND, LONG_FULL, LONG_FIRST, LONG_SECOND, KINDS, ROUNDS = 5 };
  const char *names[KINDS] = {"full code, first process", "full code, second process", "two passes, first process",
                              "two passes, second process", "full code, one second", "one second, first process",
                              "one second, second process"};
  struct result all[KINDS][ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    fresh(full_cache), fresh(cache), fresh(alone);
    all[BUILT][round] = run("passes", "2", "off", full_cache);
    all[FULL][round] = run("passes", "2", "off", full_cache);
    all[FIRST][round] = run("passes", "2", "", cache);
    all[SECOND][round] = run("passes", "2", "", cache);
    all[LONG_FULL][round] = run("seconds", "1", "off", full_cache);
    all[LONG_FIRST][round] = run("seconds", "1", "", alone);
    all[LONG_SECOND][round] = run("seconds", "1", "", alone);
    discard(full_cache), discard(cache), discard(alone);
  }
  for (int kind = 0; kind < KINDS; kind++) show(names[kind], all[kind], all[kind < LONG_FULL ? FULL : LONG_FULL], ROUNDS);
}

int main(int count, char **words) {
  if (count > 1 && !strcmp(words[1], "measure")) measure(count > 2 ? atoi(words[2]) : 0, table);
  open_program();
  if (count < 3) passes(2, 1);
  else if (!strcmp(words[1], "passes")) passes(atoi(words[2]), 0);
  else seconds(atof(words[2]));
  return 0;
}
