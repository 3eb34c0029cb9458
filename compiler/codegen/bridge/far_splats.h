// Numbers from memory that are spread over all lanes before a loop and used in it.

#ifndef OXCL_FAR_SPLATS_H
#define OXCL_FAR_SPLATS_H

#include "llvm/IR/PassManager.h"

namespace oxcl {

// Loads numbers again where a loop uses them, if they were loaded and spread over lanes before it and there are more of them than
// registers: each would be stored to the stack as a whole vector, and be read from there in each round. An operation of AVX-512 takes a
// number from memory and spreads it by itself, and where there is no such operation a load that spreads costs what the stack's does.
//
// In: optimised IR, after the last pass that moves loads out of loops. Only numbers in memory that one work-group alone uses, and that
// nothing writes between the load and the use. Not done: numbers that are used in straight code alone.
class ReloadFarSplats : public llvm::PassInfoMixin<ReloadFarSplats> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

} // namespace oxcl

#endif
