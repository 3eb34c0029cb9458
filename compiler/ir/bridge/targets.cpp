// See targets.h. Takes 0.3 ms, of which x86-64 alone, which is used nearly always, takes the half.

#include "targets.h"

#include <mutex>

#include "llvm/Support/TargetSelect.h"

void oxcl::enterTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers(); // inline assembly
    llvm::InitializeAllDisassemblers();
  });
}

extern "C" void oxcl_ir_enter_targets() { oxcl::enterTargets(); }
