// Runs a piece of LLVM that works on what is in one context, so that it returns with words whatever goes wrong: LLVM's
// diagnostics, which LLVM itself would print before it ends the process; fatal errors; crashes (see crash_guard.h).
//
// On exit, if it crashed: the context is a wreck.
#ifndef OXCL_IR_GUARDED_H
#define OXCL_IR_GUARDED_H

#include "crash_guard.h"

#include <memory>
#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

namespace oxcl {

// While it lives, errors of a context are told to a text.
class Diagnosed {
public:
  Diagnosed(llvm::LLVMContext &context, std::string &errors)
      : context(context), outer(context.getDiagnosticHandler()) {
    context.setDiagnosticHandler(std::make_unique<Handler>(errors));
  }
  Diagnosed(const Diagnosed &) = delete;
  Diagnosed &operator=(const Diagnosed &) = delete;
  ~Diagnosed() { context.setDiagnosticHandler(std::move(outer)); }

private:
  struct Handler : llvm::DiagnosticHandler {
    std::string &errors;
    explicit Handler(std::string &errors) : errors(errors) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
      if (info.getSeverity() != llvm::DS_Error)
        return true;
      if (!errors.empty())
        errors += "; ";
      llvm::raw_string_ostream stream(errors);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
      return true;
    }
  };

  llvm::LLVMContext &context;
  std::unique_ptr<llvm::DiagnosticHandler> outer;
};

// How a guarded piece ended. The numbers are known to src/raw.rs.
enum class Ended : uint32_t { Well = 0, Refused = 1, Crashed = 2 };

// Runs `work`, which adds to its argument what it refuses; `words` says why it did not end well.
inline Ended guarded(llvm::LLVMContext &context, std::string &words, llvm::function_ref<void(std::string &)> work) {
  std::string fatal;
  auto *errors = new std::string; // a crash may leave it in use
  Diagnosed diagnosed(context, *errors);
  if (!runGuarded(context, fatal, [&] { work(*errors); })) {
    words = fatal.empty() ? "LLVM crashed" : fatal;
    return Ended::Crashed;
  }
  words = *errors;
  delete errors;
  return words.empty() ? Ended::Well : Ended::Refused;
}

} // namespace oxcl

#endif
