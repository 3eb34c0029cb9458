// Masked accesses of the first lanes only.

#ifndef OXCL_FIRST_LANES_H
#define OXCL_FIRST_LANES_H

#include "llvm/IR/PassManager.h"

namespace oxcl {

// Turns a masked load or store whose mask is constant and has the first 1, 2, 4 ... lanes into a plain one of a vector of
// so many. Such masks come from rounds of a reduction that were written out: work-items l < 8, l < 4 ...
//
// A processor does not hand what a masked store wrote to a load that follows: the load waits until the store has reached the
// cache. It hands on what a plain one wrote.
class AccessFirstLanes : public llvm::PassInfoMixin<AccessFirstLanes> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

} // namespace oxcl

#endif
