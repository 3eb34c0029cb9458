/* Thousands of contexts that do nothing: few threads, and no long time. */
#include "client.h"
#include <dirent.h>
#include <time.h>
#include <unistd.h>

static int threads(void) {
  int count = 0;
  DIR *all = opendir("/proc/self/task");
  while (readdir(all)) count++;
  closedir(all);
  return count - 2;
}

int main(void) {
  alarm(60);
  open_device();
  OK(clReleaseContext(context));
  int most = 0;
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < 5000; i++) {
    cl_context one = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    OK(clReleaseContext(one));
    if (i % 10 == 0) {
      int now = threads();
      if (now > most) most = now;
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &b);
  double seconds = (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec);
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (most > processors + 8 || seconds > 2) fprintf(stderr, "%d threads, %.2f s\n", most, seconds);
  TRUE(most <= processors + 8);
  TRUE(seconds <= 2);
  return 0;
}
