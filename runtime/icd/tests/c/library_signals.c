/* Threads of the library take no signal of the program's: it waits for one that is blocked in its own thread only. */
#include "client.h"
#include <dirent.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data) {}
static void CL_CALLBACK on_build(cl_program program, void *data) {}

/* Signals that a thread cannot do without are those that its own faults raise. */
static unsigned long long blocked(const char *thread) {
  char path[300], line[300];
  unsigned long long mask = ~0ull;
  snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "SigBlk: %llx", &mask);
  if (file) fclose(file);
  return mask;
}

int main(void) {
  alarm(60);
  open_device();
  cl_command_queue q = new_queue(0);
  cl_mem b = new_buffer(4096);
  int zero = 0;
  cl_event done;
  OK(clEnqueueFillBuffer(q, b, &zero, 4, 0, 4096, 0, NULL, &done));
  OK(clSetEventCallback(done, CL_COMPLETE, on_event, NULL));
  OK(clFinish(q));
  const char *source = "kernel void f(global int *x) { x[get_global_id(0)] = 1; }";
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  OK(clBuildProgram(p, 1, &device, "", on_build, NULL));

  int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGKILL, SIGSTOP, 32, 33, 34};
  unsigned long long own = 0;
  for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++) own |= 1ull << (fatal[i] - 1);
  for (int round = 0; round < 40; round++) {
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; (task = readdir(tasks));) {
      if (task->d_name[0] == '.' || atoi(task->d_name) == getpid()) continue;
      unsigned long long mask = blocked(task->d_name);
      if (~mask & ~own) fprintf(stderr, "thread %s blocks %llx\n", task->d_name, mask);
      EQ(~mask & ~own, 0);
    }
    closedir(tasks);
    usleep(5000);
  }
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  OK(sigprocmask(SIG_BLOCK, &set, NULL));
  OK(kill(getpid(), SIGUSR1));
  struct timespec long_enough = {10, 0};
  EQ(sigtimedwait(&set, NULL, &long_enough), SIGUSR1);
  return 0;
}
