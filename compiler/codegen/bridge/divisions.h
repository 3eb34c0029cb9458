// Divisions that a loop repeats for some of its rounds only.

#ifndef OXCL_DIVISIONS_H
#define OXCL_DIVISIONS_H

#include "llvm/IR/PassManager.h"

namespace oxcl {

// Before the loop vectoriser: an integer division that not every round of an innermost loop makes, of numbers that no round
// changes, is made once before the loop, with a divisor that cannot trap.
//
// LLVM 22.1 is wrong about those that it leaves where they are: where the quotient only chooses the address of an access, it
// computes it under the mask of the vector's first lane and takes it for all lanes.
class HoistDivisions : public llvm::PassInfoMixin<HoistDivisions> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

} // namespace oxcl

#endif
