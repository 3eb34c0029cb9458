/* Many programs, each in a process of its own; the smallest piece of one that fails; and many in one process, which must not grow. */

static void drop(const char *word) {
  unsigned thread, call;
  if (sscanf(word, "%u.%u", &thread, &call) == 2 && thread < THREADS && call < CALLS) dropped[thread][call] = 1;
}

enum { LIMIT = 180, WORDS = THREADS * CALLS };

/* Runs a program in a process; 0 if it ends as it should. What it says goes to `log`. */
static int run_alone(const char *self, uint64_t one, const byte (*without)[CALLS], const char *log) {
  static char numbers[WORDS][12];
  char text[24], *list[WORDS + 4] = {(char *)self, "one", text};
  int count = 3, status = 0;
  snprintf(text, sizeof text, "%llu", (unsigned long long)one);
  for (int t = 0; without && t < THREADS; t++)
    for (int i = 0; i < CALLS; i++)
      if (without[t][i]) {
        snprintf(numbers[count - 3], sizeof *numbers, "%d.%d", t, i);
        list[count] = numbers[count - 3];
        count++;
      }
  list[count] = NULL;
  pid_t child = fork();
  if (!child) {
    HOLDS(freopen(log, "w", stderr));
    setpgid(0, 0);
    execv(self, list);
    _exit(3);
  }
  for (long waited = 0;; waited++) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (waited > LIMIT * 500L) {
      const char *stacks = getenv("OXCL_TEST_STACKS");
      char command[300];
      if (stacks) {
        snprintf(command, sizeof command, "gdb -p %d -batch -ex 'thread apply all bt' > %s.stacks 2>&1", child, log);
        if (system(command)) fprintf(stderr, "no stacks\n");
      }
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      FILE *f = fopen(log, "a");
      fprintf(f, "seed %llu hangs\n", (unsigned long long)one);
      fclose(f);
      return 1;
    }
    nap(2000);
  }
  seed = one;
  make_plan();
  int fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (plan.ends && plan.end == KILLED) fine |= WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (plan.ends && (plan.end == THROWN || plan.end == UNWOUND)) fine |= WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  if (!fine) {
    FILE *f = fopen(log, "a");
    fprintf(f, "seed %llu ends with %s %d\n", (unsigned long long)one, WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    fclose(f);
  }
  return !fine;
}

static void show(const char *log) {
  char line[1000];
  FILE *f = fopen(log, "r");
  while (f && fgets(line, sizeof line, f)) fputs(line, stdout);
  if (f) fclose(f);
  fflush(stdout);
}

/* Drops calls for as long as the program still fails, in one of a few runs; whole threads first, then ever smaller pieces. */
static void shrink(const char *self, uint64_t one, const char *log) {
  byte without[THREADS][CALLS] = {{0}};
  byte *flat = &without[0][0];
  int runs = 0;
  seed = one;
  make_plan();
  for (int size = plan.calls; size >= 1 && runs < 400; size = size == 1 ? 0 : (size + 1) / 2)
    for (int t = 0; t < plan.threads; t++)
      for (int from = 0; from < plan.calls; from += size) {
        byte before[sizeof without];
        memcpy(before, flat, sizeof before);
        for (int i = from; i < plan.calls && i < from + size; i++) without[t][i] = 1;
        int fails = 0;
        for (int k = 0; k < 3 && !fails; k++, runs++) fails = run_alone(self, one, (const byte(*)[CALLS])without, log);
        if (!fails) memcpy(flat, before, sizeof before);
      }
  printf("smallest after %d runs: %s one %llu", runs, self, (unsigned long long)one);
  for (int i = 0; i < WORDS; i++)
    if (flat[i] && i / CALLS < plan.threads && i % CALLS < plan.calls) printf(" %d.%d", i / CALLS, i % CALLS);
  printf("\n");
  for (int k = 0; k < 10 && !run_alone(self, one, (const byte(*)[CALLS])without, log); k++) {}
  show(log);
}

/* Shows a file of /proc in one line. */
static void show_line(const char *folder, const char *file) {
  char path[320], text[400];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE *f = fopen(path, "r");
  size_t length = f ? fread(text, 1, sizeof text - 1, f) : 0;
  for (size_t i = 0; i < length; i++)
    if (text[i] < ' ') text[i] = ' ';
  text[length] = 0;
  printf(" %s", text);
  if (f) fclose(f);
}

/* A process: its words, when it began, and the call of the system that each of its threads is in; with gdb, its stacks. */
static void show_process(const char *number) {
  char tasks[64], thread[320];
  struct dirent *entry;
  snprintf(tasks, sizeof tasks, "/proc/%s", number);
  printf("process %s:", number);
  show_line(tasks, "cmdline"), show_line(tasks, "stat");
  printf("\n");
  snprintf(tasks, sizeof tasks, "/proc/%s/task", number);
  DIR *d = opendir(tasks);
  while (d && (entry = readdir(d)))
    if (entry->d_name[0] != '.') {
      snprintf(thread, sizeof thread, "%s/%s", tasks, entry->d_name);
      printf("  thread %s", entry->d_name);
      show_line(thread, "comm"), show_line(thread, "wchan"), show_line(thread, "syscall");
      printf("\n");
    }
  if (d) closedir(d);
  fflush(stdout);
  if (!getenv("OXCL_TEST_STACKS")) return;
  snprintf(thread, sizeof thread, "gdb -p %s -batch -ex 'thread apply all bt'", number);
  if (system(thread)) printf("no stacks\n");
}

/* Processes below this one, which inherits those whose parents have ended; shown if `named`. */
static int leftovers(int named) {
  char path[64], text[4096] = "";
  int count = 0, status;
  while (waitpid(-1, &status, WNOHANG) > 0) {}
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  FILE *f = fopen(path, "r");
  if (f && fgets(text, sizeof text, f))
    for (char *rest, *p = strtok_r(text, " ", &rest); p; p = strtok_r(NULL, " ", &rest), count++)
      if (named) show_process(p);
  if (f) fclose(f);
  return count;
}

static int campaign(const char *self, uint64_t first, long count, long seconds) {
  char log[200];
  struct timespec start, now;
  snprintf(log, sizeof log, "%s/random-calls.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", getpid());
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  clock_gettime(CLOCK_MONOTONIC, &start);
  long ends = 0, forks = 0, failed = 0;
  long i = 0;
  now = start;
  for (; i < count && now.tv_sec - start.tv_sec < seconds; i++) {
    if (run_alone(self, first + i, NULL, log)) {
      failed++;
      printf("seed %llu fails:\n", (unsigned long long)(first + i));
      show(log);
      if (!getenv("OXCL_TEST_GOES_ON")) {
        shrink(self, first + i, log);
        return 1;
      }
    }
    ends += plan.ends, forks += plan.forks;
    leftovers(0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (i % 100 == 99) printf("%ld programs, %ld failed, %ld s\n", i + 1, failed, (long)(now.tv_sec - start.tv_sec)), fflush(stdout);
  }
  unlink(log);
  /* Compilers that were at work finish that within ten seconds. */
  int left = 0;
  for (int i = 0; i < 60 && (left = leftovers(0)); i++) nap(500000);
  if (left) printf("%d processes are left\n", left), leftovers(1);
  printf("%ld programs, %ld ended early, %ld forked, %ld failed\n", i, ends, forks, failed);
  return failed || left;
}

static long number_in(const char *file, const char *key) {
  char line[256];
  long value = -1;
  FILE *f = fopen(file, "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, key, strlen(key))) value = atol(line + strlen(key));
  if (f) fclose(f);
  return value;
}

static long descriptors_now(void) {
  long count = 0;
  DIR *d = opendir("/proc/self/fd");
  while (d && readdir(d)) count++;
  if (d) closedir(d);
  return count;
}

/* Programs one after the other in this process: from the first quarter on memory, threads and descriptors stay as they are. */
static int series(uint64_t first, long count) {
  long memory = 0, threads = 0, descriptors = 0;
  open_platform();
  for (long i = 0; i < count; i++) {
    seed = first + i;
    make_plan();
    if (plan.ends) continue;
    run_program();
    if (memory || i < count / 4) continue;
    nap(300000);
    long now = number_in("/proc/self/status", "VmRSS:"), running = number_in("/proc/self/status", "Threads:"), open = descriptors_now();
    printf("after %ld programs %ld KiB, %ld threads, %ld descriptors\n", i + 1, now, running, open);
    fflush(stdout); /* Children of forks would write it again. */
    memory = now, threads = running, descriptors = open;
  }
  long now = number_in("/proc/self/status", "VmRSS:"), running = number_in("/proc/self/status", "Threads:"), open = descriptors_now();
  if (!memory) return 0;
  printf("after %ld programs %ld KiB, %ld threads, %ld descriptors\n", count, now, running, open);
  int grown = now > memory + memory / 4 + 16384 || running > threads + 2 || open > descriptors + 12;
  if (grown) printf("the process grows: %ld to %ld KiB, %ld to %ld threads, %ld to %ld descriptors\n", memory, now, threads, running, descriptors, open);
  return grown;
}
