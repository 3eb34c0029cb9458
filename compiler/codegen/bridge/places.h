// Where the lanes of a gather or a scatter go, taken apart: what all lanes add to a base, and what each lane adds.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"

namespace llvm {
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace oxcl {

enum class Extension { None, Sign, Zero };

// A number, or one for each lane, that is added to an address: so many bytes for each.
struct Summand {
  // What it is replaced by, where it is.
  llvm::WeakTrackingVH number;
  Extension extension;
  int64_t bytes;
  bool operator==(const Summand &other) const {
    return static_cast<llvm::Value *>(number) == static_cast<llvm::Value *>(other.number) && extension == other.extension &&
           bytes == other.bytes;
  }
};

// The lanes' addresses: a base, what all lanes add to it, and what each lane adds.
struct Place {
  // A pointer, or one for each lane.
  llvm::WeakTrackingVH base;
  llvm::SmallVector<Summand, 4> same;
  llvm::SmallVector<Summand, 4> own;
  int64_t constant = 0;
};

// The lanes' addresses that a vector of pointers holds; none where they are not of this form.
std::optional<Place> placeOf(llvm::Value *pointers, const llvm::DataLayout &layout);

// What all lanes add, with the base where it is one for all.
const llvm::SCEV *common(const Place &place, llvm::ScalarEvolution &evolution);

// A number of 64 bits.
llvm::Value *extended(llvm::IRBuilder<> &b, llvm::Value *number, Extension extension);

// The number of bytes that all lanes add to the base, and `more`.
llvm::Value *shared(const Place &place, int64_t more, llvm::IRBuilder<> &b);

// A number times so many bytes.
llvm::Value *times(llvm::IRBuilder<> &b, llvm::Value *number, int64_t bytes);

} // namespace oxcl
