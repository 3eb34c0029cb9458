// Ends a piece of LLVM that takes more time or memory than there is any reason to: over bytes that are no real module some parts
// of LLVM run for ever, or as good as that, or ask for memory without end. The piece then fails as by a crash.
//
// On entry: `begin` and `end` are called by the guarded piece itself, on its own thread (see crash_guard.h). A piece that was
// ended may have held a lock of LLVM's or of the heap's: whoever learns of it does best to end the process soon.
#ifndef OXCL_IR_WATCH_H
#define OXCL_IR_WATCH_H

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace oxcl {

class Watch {
public:
  // Limits for the processor time of the piece and for what the process grows by meanwhile.
  Watch(unsigned seconds, uint64_t bytes) : seconds(seconds), bytes(bytes) {}
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;
  ~Watch() {
    end();
    if (watcher.joinable())
      watcher.join();
  }

  void begin() {
    watched = gettid();
    if (pthread_getcpuclockid(pthread_self(), &clock) != 0)
      return;
    start = resident();
    begun = processor();
    watcher = std::thread([this] { watch(); });
  }

  // Also for the caller, as soon as the piece has ended in whatever way.
  void end() {
    {
      std::lock_guard<std::mutex> held(lock);
      done = true;
    }
    wake.notify_one();
  }

  // Why the piece was ended; null where it was not. After `end`.
  const char *reason() const { return why; }

private:
  void watch() {
    std::unique_lock<std::mutex> held(lock);
    while (!wake.wait_for(held, std::chrono::milliseconds(10), [this] { return done; })) {
      // The thread may have worked for long before: a server's takes one job after the other.
      bool isLong = processor() - begun > int64_t(seconds) * 1000;
      bool isLarge = resident() > start + bytes;
      if (!isLong && !isLarge)
        continue;
      why = isLong ? "it takes too long" : "it takes too much memory";
      // Under the lock, so that the piece is still under guard.
      syscall(SYS_tgkill, getpid(), watched, SIGABRT);
      return;
    }
  }

  // Milliseconds that the watched thread has worked in all.
  int64_t processor() const {
    timespec used = {};
    return clock_gettime(clock, &used) == 0 ? int64_t(used.tv_sec) * 1000 + used.tv_nsec / 1000000 : 0;
  }

  static uint64_t resident() {
    unsigned long total = 0, kept = 0;
    if (FILE *file = std::fopen("/proc/self/statm", "re")) {
      if (std::fscanf(file, "%lu %lu", &total, &kept) != 2)
        kept = 0;
      std::fclose(file);
    }
    return uint64_t(kept) * uint64_t(sysconf(_SC_PAGESIZE));
  }

  unsigned seconds;
  uint64_t bytes;
  uint64_t start = 0;
  int64_t begun = 0;
  pid_t watched = 0;
  clockid_t clock = {};
  const char *why = nullptr;
  bool done = false;
  std::mutex lock;
  std::condition_variable wake;
  std::thread watcher;
};

} // namespace oxcl

#endif
