/* Compilers that have nothing to do end: all within 15 s, and at once where the program says that it needs no compiler. */
#include "client.h"
#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

/* Compilers of this process that live. */
static int compilers(void) {
  int count = 0;
  char want[40];
  snprintf(want, sizeof want, "--host=%d", (int)getpid());
  DIR *all = opendir("/proc");
  for (struct dirent *one; (one = readdir(all));) {
    if (!isdigit(one->d_name[0])) continue;
    char path[300], words[4096] = "";
    snprintf(path, sizeof path, "/proc/%s/cmdline", one->d_name);
    FILE *file = fopen(path, "r");
    if (!file) continue;
    size_t length = fread(words, 1, sizeof words - 1, file);
    fclose(file);
    for (size_t at = 0; at < length; at += strlen(words + at) + 1) count += !strcmp(words + at, want);
  }
  closedir(all);
  return count;
}

static void build(int number) {
  static char source[20000];
  *source = 0;
  for (int i = 0; i < 40; i++)
    sprintf(source + strlen(source), "kernel void f%d(global float *x) { x[get_global_id(0)] = sin(x[0] + %d); }\n", i, number);
  OK(clReleaseProgram(new_program(source)));
}

int main(void) {
  alarm(120);
  open_device();
  build(1);
  TRUE(compilers() > 0);
  int half_seconds = 0;
  while (compilers() > 0 && half_seconds < 30) { usleep(500000); half_seconds++; }
  EQ(compilers(), 0);
  /* The next build has one again. */
  build(2);
  TRUE(compilers() > 0);
  OK(clUnloadPlatformCompiler(platform));
  /* One that makes better code in the background has work. */
  const char *improves = getenv("OXCL_IMPROVE");
  if (improves && !strcmp(improves, "off")) {
    for (int i = 0; compilers() > 0 && i < 20; i++) usleep(100000);
    EQ(compilers(), 0);
  }
  build(3);
  return 0;
}
