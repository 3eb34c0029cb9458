// Keeps optional passes away from functions that are as good as never run: the code for ids of 2^31 and more that stands beside
// other code for the rest. What it costs to compile is what matters of it.
//
// On entry: the callbacks of a pass manager. On exit: they skip functions with the attribute `oxcl-rare`, and their loops; one pass may
// go on.
#ifndef OXCL_IR_RARE_H
#define OXCL_IR_RARE_H

#include "llvm/ADT/Any.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"

namespace oxcl {

inline bool isRare(const llvm::Function &function) { return function.hasFnAttribute("oxcl-rare"); }

inline void leaveRareFunctionsAlone(llvm::PassInstrumentationCallbacks &callbacks, llvm::StringRef butFor = "") {
  callbacks.registerShouldRunOptionalPassCallback([butFor](llvm::StringRef pass, llvm::Any unit) {
    if (pass == butFor)
      return true;
    if (auto *function = llvm::any_cast<const llvm::Function *>(&unit))
      return !isRare(**function);
    if (auto *loop = llvm::any_cast<const llvm::Loop *>(&unit))
      return !isRare(*(*loop)->getHeader()->getParent());
    return true;
  });
}

} // namespace oxcl

#endif
