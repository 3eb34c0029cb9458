// Gathers and scatters of lanes that lie a few elements apart, made of consecutive accesses and shuffles.
//
// Where each lane reads or writes every second, third, … element (the real parts of complex numbers, a colour of pixels, a field of a
// structure), a gather fetches lane by lane what a few loads of neighbouring elements fetch at once.

#pragma once

#include "llvm/IR/PassManager.h"

namespace oxcl {

// Replaces gathers of all lanes whose addresses are the same few elements apart by loads of all that lies between the first lane's and
// the last lane's element, and shuffles; scatters of all lanes likewise, where together they write every element. Other accesses may stand
// between those of a group if they are known to be of other fields. Only what lies between two elements that the gathers read is read.
// What is under masks stays, and so does what shuffles would not make faster.
struct JoinStrides : llvm::PassInfoMixin<JoinStrides> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

} // namespace oxcl
