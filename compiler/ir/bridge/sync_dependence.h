// Sync dependence: what a divergent branch does to work-items that its condition sends different ways.
//
// On entry: a function's cycles. On exit of `add`: the blocks where disjoint ways from the branch meet (their PHI nodes tell
// work-items apart), the cycles that work-items leave in different rounds, and the irreducible cycles in which nothing can be
// said any more. Values are not looked at.
//
// LLVM's uniformity analysis has a computation of the same, and LLVM 22's misses joins at the exits of cycles (a flag that is
// constant on each way out of a loop); so its answers are completed by this one.
#ifndef OXCL_IR_SYNC_DEPENDENCE_H
#define OXCL_IR_SYNC_DEPENDENCE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/Function.h"
#include <vector>

namespace oxcl {

class SyncDependence {
public:
  SyncDependence(const llvm::Function &F, const llvm::CycleInfo &Cycles);

  // Notes what a divergent branch at the end of a block does.
  void add(const llvm::BasicBlock &Branch);

  bool isJoin(const llvm::BasicBlock *BB) const { return Joins.contains(BB); }
  bool isLeftInDifferentRounds(const llvm::Cycle *C) const { return DivergentExits.contains(C); }
  // Whether nothing is known of what the block computes.
  bool isLost(const llvm::BasicBlock *BB) const { return Lost.contains(BB); }
  // Whether what `Def` computes is from different rounds of a cycle where `Reader` reads it.
  bool isReadBehind(const llvm::BasicBlock *Def, const llvm::BasicBlock *Reader) const;

private:
  // Work-items with the same label have been together since the block of that name.
  using Label = const llvm::BasicBlock *;
  struct Arrival {
    const llvm::BasicBlock *Block;
    Label From;
  };
  // What comes of one round of a cycle, or of the function as a whole: who comes to the header again, who leaves.
  struct Round {
    Label AtHeader = nullptr;
    std::vector<Arrival> Left;
  };

  Round walk(const llvm::Cycle *Around, const std::vector<Arrival> &Begin);
  void lose(const llvm::Cycle *C);
  std::vector<Arrival> leave(const llvm::Cycle *C, Label At) const;
  static const llvm::Cycle *outermostLeft(const llvm::Cycle *C, const llvm::BasicBlock *To);
  const llvm::Cycle *childAt(const llvm::Cycle *Around, const llvm::BasicBlock *BB) const;

  const llvm::CycleInfo &Cycles;
  std::vector<const llvm::BasicBlock *> Order;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Joins;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Lost;
  llvm::SmallPtrSet<const llvm::Cycle *, 8> DivergentExits;
};

} // namespace oxcl

#endif
