// Runs a piece of LLVM, clang or lld so that a crash or a fatal error in it ends that piece and not the process.
//
// Shared by the bridges of several crates: everything here is `inline`, so that one program has one fatal error handler
// and one once-flag however many bridges it links. The guarded piece must hold no frames of the caller's language:
// they would be jumped over. A context in which a piece failed is a wreck: nothing that is in it may be used or freed any
// more, which its owners ask for (`isWreck`, see src/context.rs).
#ifndef OXCL_IR_CRASH_GUARD_H
#define OXCL_IR_CRASH_GUARD_H

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include <unistd.h>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"

namespace oxcl {

inline thread_local std::string *fatalMessage = nullptr;
inline std::once_flag guardInstalled;

inline void onFatalError(void *, const char *message, bool) {
  if (fatalMessage)
    *fatalMessage = message;
  // Inside a CrashRecoveryContext this returns to it.
  llvm::sys::Process::Exit(70, /*NoCleanup=*/true);
}

// A stack for signal handlers, unless the thread has one: a stack overflow has no other place to be handled in.
class SignalStack {
public:
  SignalStack() {
    stack_t present = {};
    if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE)) {
      memory = std::malloc(Bytes);
      stack_t mine = {};
      mine.ss_sp = memory;
      mine.ss_size = Bytes;
      if (memory)
        sigaltstack(&mine, nullptr);
    }
  }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;
  ~SignalStack() {
    if (!memory)
      return;
    stack_t off = {};
    off.ss_flags = SS_DISABLE;
    sigaltstack(&off, nullptr);
    std::free(memory);
  }

private:
  static constexpr size_t Bytes = 64 << 10;
  void *memory = nullptr;
};

inline void installGuard() {
  llvm::CrashRecoveryContext::Enable();
  for (int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0) {
      action.sa_flags |= SA_ONSTACK;
      sigaction(signal, &action, nullptr);
    }
  }
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(onFatalError, nullptr);
}

// The contexts in which something failed. None ends, so that no other comes to its address.
struct Wrecks {
  std::mutex lock;
  std::vector<const llvm::LLVMContext *> contexts;
};

inline Wrecks &wrecks() {
  static auto *all = new Wrecks; // threads may ask while the process ends
  return *all;
}

// How many pieces have failed in this process.
inline std::atomic<unsigned> failures{0};

// Whoever keeps something for each context, and is told of wrecks; null where nobody does.
inline std::atomic<void (*)(const llvm::LLVMContext &)> onWreck{nullptr};

inline void noteFailure(const llvm::LLVMContext &context) {
  if (auto *told = onWreck.load())
    told(context);
  std::lock_guard<std::mutex> held(wrecks().lock);
  wrecks().contexts.push_back(&context);
  // Read without order: a context belongs to one thread at a time, and so does what is learned of it.
  failures.fetch_add(1, std::memory_order_relaxed);
}

inline bool isWreck(const llvm::LLVMContext *context) {
  if (failures.load(std::memory_order_relaxed) == 0)
    return false;
  std::lock_guard<std::mutex> held(wrecks().lock);
  const auto &all = wrecks().contexts;
  return std::find(all.begin(), all.end(), context) != all.end();
}

// True if `work`, which is done in `context`, returned; otherwise `fatal` holds LLVM's message, or is empty after a crash by
// signal, and the context is a wreck. Recursion limits in clang and LLVM are made for a stack of 8 MiB:
// the main thread has one, any other lends the work a thread that has.
inline bool runGuarded(const llvm::LLVMContext &context, std::string &fatal, llvm::function_ref<void()> work) {
  std::call_once(guardInstalled, installGuard);
  llvm::CrashRecoveryContext recovery;
  bool whole = false;
  SignalStack here;
  if (gettid() == getpid()) {
    std::string *outer = fatalMessage;
    fatalMessage = &fatal;
    whole = recovery.RunSafely(work);
    fatalMessage = outer;
  } else {
    whole = recovery.RunSafelyOnThread(
        [&] {
          // Not taken away again: a crash leaves it in use, and the thread ends with it.
          thread_local SignalStack there;
          fatalMessage = &fatal;
          work();
        },
        8u << 20);
  }
  if (!whole)
    noteFailure(context);
  return whole;
}

} // namespace oxcl

#endif
