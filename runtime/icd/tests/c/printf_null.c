/* A null pointer as a string for printf is no end of the program. */
#include "client.h"
#include <unistd.h>

int main(void) {
  alarm(60);
  int out[2];
  OK(pipe(out));
  int kept = dup(1);
  TRUE(dup2(out[1], 1) == 1);
  open_device();
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(64);
  cl_program p = new_program(
      "kernel void f(global int *x, global char *s) { printf(\"<%s|%8s|%.2s>\\n\", (constant char *)0, (global char *)s, \"abc\"); x[0] = 1; }");
  cl_kernel k = clCreateKernel(p, "f", &error);
  OK(error);
  cl_mem none = NULL;
  OK(clSetKernelArg(k, 0, sizeof b, &b)); OK(clSetKernelArg(k, 1, sizeof none, &none));
  size_t one = 1;
  OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clFinish(q));
  fflush(stdout);
  char text[200] = "";
  dup2(kept, 1);
  close(out[1]);
  TRUE(read(out[0], text, sizeof text - 1) > 0);
  if (strcmp(text, "<(null)|  (null)|ab>\n")) fprintf(stderr, "printed: %s", text);
  TRUE(!strcmp(text, "<(null)|  (null)|ab>\n"));
  return 0;
}
