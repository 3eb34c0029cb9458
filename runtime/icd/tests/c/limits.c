/* How many threads and where: what the affinity mask, the environment and the control group say; and a library that is closed
   while it works. */
#define _GNU_SOURCE
#include "client.h"
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static int ended;

static void slow(void *args) { (void)args; usleep(100000); __atomic_store_n(&ended, 1, __ATOMIC_SEQ_CST); }

static void work(void) {
  unsigned char one = 1, back = 0;
  cl_command_queue q = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_mem b = new_buffer(4096);
  for (int i = 0; i < 64; i++) OK(clEnqueueFillBuffer(q, b, &one, 1, i * 64, 64, 0, NULL, NULL));
  OK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, b, CL_TRUE, 4095, 1, &back, 0, NULL, NULL));
  EQ(back, 1);
  OK(clReleaseMemObject(b)); OK(clReleaseCommandQueue(q));
}

/* Closes the library while a command runs: its threads go on in code that is still there. */
static void *close_at_work(void *unused) {
  void *library = dlopen("liboxcl.so.1", RTLD_NOW | RTLD_LOCAL);
  TRUE(library);
  cl_command_queue q = new_queue(0);
  OK(clEnqueueNativeKernel(q, slow, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  OK(clFlush(q));
  EQ(dlclose(library), 0);
  return unused;
}

/* How many threads of the library execute commands, beside the one that waits. */
static int workers(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  TRUE(tasks);
  for (struct dirent *task; (task = readdir(tasks));) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    FILE *file = fopen(path, "r");
    if (!file) continue;
    if (fgets(name, sizeof name, file)) count += !strncmp(name, "oxcl-worker", 11);
    fclose(file);
  }
  closedir(tasks);
  return count;
}

int main(void) {
  const char *threads = getenv("OXCL_NUM_THREADS");
  /* The test has put this process into a control group that allows so many CPUs' time. */
  const char *allowed = getenv("OXCL_TEST_ALLOWED");
  cpu_set_t all, one;
  cl_uint units;
  EQ(sched_getaffinity(0, sizeof all, &all), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) cpu++;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  int bound = !threads && !allowed;
  if (bound) EQ(sched_setaffinity(0, sizeof one, &one), 0);
  open_device();
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
  EQ(units, threads ? atoi(threads) : allowed ? atoi(allowed) : 1);
  work();
  /* A thread gets its name when it begins. */
  for (int i = 0; i < 500 && workers() < (int)units - 1; i++) usleep(2000);
  EQ(workers(), units - 1);
  /* The mask of the program's own thread is as it was. */
  cpu_set_t now;
  EQ(sched_getaffinity(0, sizeof now, &now), 0);
  TRUE(CPU_EQUAL(&now, bound ? &one : &all));
  pthread_t thread;
  TRUE(!pthread_create(&thread, NULL, close_at_work, NULL));
  TRUE(!pthread_join(thread, NULL));
  for (int i = 0; i < 500 && !__atomic_load_n(&ended, __ATOMIC_SEQ_CST); i++) usleep(10000);
  EQ(ended, 1);
  work();
  return 0;
}
