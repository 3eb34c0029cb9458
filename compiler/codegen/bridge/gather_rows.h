// Gathers that read neighbouring elements, made of loads of rows.
//
// Where each lane reads several elements that lie one behind the other (the parts of a structure, or what a loop goes through row by
// row of a matrix), a gather for each element fetches each lane's line as often as there are elements. One load for each lane fetches them
// all, and shuffles make of these rows the vectors that the gathers would have given.

#pragma once

#include "llvm/IR/PassManager.h"

namespace oxcl {

// Says of an innermost loop that it must be unrolled, if lanes come from one element to the next in it from round to round and it
// writes nothing. What the source says of a loop stays. Out: marks on loops; nothing else changes.
struct UnrollWalks : llvm::PassInfoMixin<UnrollWalks> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

// Replaces gathers of all lanes whose addresses lie constants apart, with nothing written between them, by a load of 16 or 32 bytes
// for each lane and shuffles. Only what lies between two bytes that the gathers read is read. Gathers under masks stay.
struct GatherRows : llvm::PassInfoMixin<GatherRows> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

} // namespace oxcl
