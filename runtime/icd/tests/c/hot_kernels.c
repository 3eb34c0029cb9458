/* Many small kernels of one program, all of which become hot: what compilers take for them in all, beside what they take for the
   program in full quality at once.

     hot_kernels KERNELS SECONDS    launches all in turn for so long; prints how soon the first had ended, and passes a second
     hot_kernels measure [BUSY [KERNELS]]
                                    runs itself with 1, 4, 8 and 24 kernels, or so many, and says what compilers took; BUSY
                                    processes beside

   Without an argument: 4 kernels, whose results are checked. */
#define _GNU_SOURCE
#include "client.h"
#include "measure.h"

enum { ITEMS = 4096, LOCAL = 64, MOST = 64, ROUNDS = 64 };

/* Element by element, a loop with mathematics, a sum in local memory, vectors. */
static const char *bodies[4] = {
    "a[i] = mix3(a[i], b[i], %d.0f) + (float)get_local_id(0);",
    "float s = 0; for (int k = 0; k < n; k++) s += native_sqrt(b[k] + %d) * exp(b[i]); a[i] = s;",
    "local float t[64]; int l = get_local_id(0); t[l] = b[i]; barrier(CLK_LOCAL_MEM_FENCE);"
    " for (int s = 32; s > 0; s >>= 1) { if (l < s) t[l] += t[l + s] + %d; barrier(CLK_LOCAL_MEM_FENCE); }"
    " if (l == 0) a[get_group_id(0)] = t[0];",
    "float4 v = vload4(i, b); v = clamp(v * (float4)(%d), 0.0f, 1.0f); vstore4(sin(v), i, a);"};

static float host[ITEMS * 4];

static void run_kernels(int kernels, double seconds, int checked) {
  static char source[1 << 16] = "float mix3(float a, float b, float c) { return a * b + c * (1.0f - b); }\n";
  static cl_kernel all[MOST];
  TRUE(kernels > 0 && kernels <= MOST);
  double begin = now(), first = 0;
  for (int k = 0; k < kernels; k++) {
    char *at = source + strlen(source);
    at += sprintf(at, "kernel void k%d(global float *a, global const float *b, int n) { int i = get_global_id(0); ", k);
    at += sprintf(at, bodies[k % 4], k + 1);
    strcpy(at, " }\n");
  }
  open_device();
  cl_command_queue queue = new_queue(0);
  cl_program program = new_program(source);
  cl_mem a = new_buffer(sizeof host), b = new_buffer(sizeof host);
  for (int i = 0; i < ITEMS * 4; i++) host[i] = 0.25f;
  OK(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
  int n = ROUNDS;
  for (int k = 0; k < kernels; k++) {
    char name[20];
    sprintf(name, "k%d", k);
    all[k] = clCreateKernel(program, name, &error);
    OK(error);
    OK(clSetKernelArg(all[k], 0, sizeof a, &a));
    OK(clSetKernelArg(all[k], 1, sizeof b, &b));
    OK(clSetKernelArg(all[k], 2, sizeof n, &n));
  }
  size_t items = ITEMS, local = LOCAL;
  long passes = 0;
  double start = now();
  do {
    for (int k = 0; k < kernels; k++) {
      OK(clEnqueueNDRangeKernel(queue, all[k], 1, NULL, &items, &local, 0, NULL, NULL));
      OK(clFinish(queue));
      if (!first) first = now() - begin;
    }
    passes++;
  } while (now() - start < seconds);
  for (int k = 0; checked && k < kernels; k++) {
    OK(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, all[k], 1, NULL, &items, &local, 0, NULL, NULL));
    float got[ITEMS];
    OK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < (k % 4 == 2 ? ITEMS / LOCAL : ITEMS); i++) {
      double want = k % 4 == 0   ? 0.0625 + (k + 1) * 0.75 + i % LOCAL
                    : k % 4 == 1 ? ROUNDS * sqrt(0.25 + k + 1) * exp(0.25)
                    : k % 4 == 2 ? LOCAL * 0.25 + (LOCAL - 1) * (k + 1)
                                 : sin(fmin(0.25 * (k + 1), 1));
      TRUE(fabs(got[i] - want) < 1e-3 * want);
    }
  }
  printf("%.4f %.1f\n", first, passes / (now() - start));
}

/* The measuring. */

static const char *only;

static void table(int busy) {
  enum { REPEATED = 3 };
  const char *counts[] = {"1", "4", "8", "24"};
  printf("%d busy processes beside; processor time of all compilers, s\n%-8s %10s %10s %8s %12s %12s %8s\n", busy, "kernels", "full",
         "by heat", "ratio", "first, full", "first, heat", "until");
  for (size_t at = 0; at < sizeof counts / sizeof *counts; at++) {
    if (only && strcmp(only, counts[at])) continue;
    double full[REPEATED], heat[REPEATED], ratio[REPEATED], first[2][REPEATED], until[REPEATED];
    for (int round = 0; round < REPEATED; round++) {
      char one[40], other[40];
      fresh(one), fresh(other);
      struct result off = run(counts[at], "0.1", "off", one), on = run(counts[at], "3", "", other);
      discard(one), discard(other);
      full[round] = off.compilers, heat[round] = on.compilers, ratio[round] = on.compilers / off.compilers;
      first[0][round] = off.told[0], first[1][round] = on.told[0], until[round] = on.until;
    }
    printf("%-8s %10.3f %10.3f %8.2f %12.3f %12.3f %8.1f\n", counts[at], median(full, REPEATED), median(heat, REPEATED),
           median(ratio, REPEATED), median(first[0], REPEATED), median(first[1], REPEATED), median(until, REPEATED));
    fflush(stdout);
  }
}

int main(int count, char **words) {
  if (count > 1 && !strcmp(words[1], "measure")) {
    if (count > 3) only = words[3];
    measure(count > 2 ? atoi(words[2]) : 0, table);
  }
  if (count > 2) run_kernels(atoi(words[1]), atof(words[2]), 0);
  else run_kernels(4, 0.5, 1);
  return 0;
}
