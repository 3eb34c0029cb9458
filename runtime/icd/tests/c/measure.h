/* How a client measures itself: it runs as a process of its own, whose compilers come to the one that measures when it ends. What
   it prints are two numbers. Beside it processes may keep the machine busy. */
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

struct result {
  double told[2];
  /* Seconds of processor time of all compilers, and until the last one had ended. */
  double compilers, until;
};

static double processor(const struct rusage *use) {
  return use->ru_utime.tv_sec + use->ru_stime.tv_sec + (use->ru_utime.tv_usec + use->ru_stime.tv_usec) / 1e6;
}

/* Runs this program with two words behind its name, and waits for it and for its compilers, which come to us when it ends. */
static struct result run(const char *how, const char *number, const char *improve, const char *cache) {
  int ends[2];
  TRUE(pipe(ends) == 0);
  struct result result = {{0}, 0, 0};
  pid_t child = fork();
  if (!child) {
    dup2(ends[1], 1);
    close(ends[0]), close(ends[1]);
    setenv("OXCL_IMPROVE", improve, 1);
    setenv("OXCL_CACHE_DIR", cache, 1);
    execl("/proc/self/exe", "client", how, number, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  FILE *output = fdopen(ends[0], "r");
  TRUE(fscanf(output, "%lf %lf", &result.told[0], &result.told[1]) == 2);
  fclose(output);
  double ended = 0;
  struct rusage use;
  for (pid_t one; (one = wait4(-1, NULL, __WALL, &use)) > 0;) {
    if (one == child) ended = now();
    else result.compilers += processor(&use);
  }
  result.until = now() - ended;
  return result;
}

static int by_size(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static double median(double *values, int count) {
  qsort(values, count, sizeof *values, by_size);
  return values[count / 2];
}

static char *fresh(char *place) {
  strcpy(place, "/tmp/oxcl-gemm-XXXXXX");
  TRUE(mkdtemp(place) != NULL);
  return place;
}

static void discard(const char *place) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", place);
  TRUE(system(command) == 0);
}

/* Has `table` printed in a process to which the compilers come, and ends. */
static void measure(int busy, void (*table)(int)) {
  pid_t hogs[64];
  if (busy > 64) busy = 64;
  for (int i = 0; i < busy; i++) {
    hogs[i] = fork();
    if (!hogs[i]) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (volatile long turn = 0;; turn++) {}
    }
  }
  pid_t measuring = fork();
  if (!measuring) {
    /* Those that keep the machine busy are our brothers, and are not waited for. */
    TRUE(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    table(busy);
    exit(0);
  }
  int status = 1;
  waitpid(measuring, &status, 0);
  for (int i = 0; i < busy; i++) kill(hogs[i], SIGKILL);
  exit(status != 0);
}
