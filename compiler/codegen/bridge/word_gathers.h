// Gathers of bytes and shorts, made of gathers of the words that they are in.

#pragma once

#include "llvm/IR/PassManager.h"

namespace oxcl {

// x86 gathers words of 32 and 64 bits only; LLVM loads what is narrower lane by lane, with a branch for each lane under a mask. Here
// each lane gathers the aligned word of 32 bits that its byte or short is in, and shifts it down. Such a word never crosses a page, so that
// what is there besides may be read. In: optimised IR for a processor whose gathers are worth it. Not done: shorts at odd addresses.
struct GatherWords : llvm::PassInfoMixin<GatherWords> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &functions);
};

} // namespace oxcl
