// See sync_dependence.h.
//
// A branch sends its work-items on their ways with a label each, the successor's name. Labels are followed through one
// round of the cycle around the branch, inner cycles as if they were one block. Where two labels meet work-items are
// together again, with the meeting block as their label. Who comes to the cycle's header goes into the next round, which is
// another time: there is nothing to meet inside. If some leave the cycle in this round who have not come together with those
// that go on, they leave it in different rounds, by any of its exits; outside, those that come later are all that came to
// the header together. Then the same is done one cycle further out.

#include "sync_dependence.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace oxcl {

SyncDependence::SyncDependence(const Function &F, const CycleInfo &Cycles) : Cycles(Cycles) {
  ReversePostOrderTraversal<const Function *> Blocks(&F);
  Order.assign(Blocks.begin(), Blocks.end());
}

bool SyncDependence::isReadBehind(const BasicBlock *Def, const BasicBlock *Reader) const {
  for (const Cycle *C = Cycles.getCycle(Def); C && !C->contains(Reader); C = C->getParentCycle())
    if (DivergentExits.contains(C))
      return true;
  return false;
}

// The cycle directly inside `Around` that a block is in.
const Cycle *SyncDependence::childAt(const Cycle *Around, const BasicBlock *BB) const {
  const Cycle *Child = nullptr;
  for (const Cycle *C = Cycles.getCycle(BB); C != Around; C = C->getParentCycle())
    Child = C;
  return Child;
}

// The outermost cycle around `C` that a way to `To` leaves.
const Cycle *SyncDependence::outermostLeft(const Cycle *C, const BasicBlock *To) {
  while (C->getParentCycle() && !C->getParentCycle()->contains(To))
    C = C->getParentCycle();
  return C;
}

// Who comes out of a cycle, by any of its exits, with this label; without one, each exit is a label of its own.
std::vector<SyncDependence::Arrival> SyncDependence::leave(const Cycle *C, Label At) const {
  SmallVector<BasicBlock *> Exits;
  C->getExitBlocks(Exits);
  std::vector<Arrival> All;
  for (BasicBlock *Exit : Exits)
    All.push_back({Exit, At ? At : Exit});
  return All;
}

// Work-items come into an irreducible cycle by different entries, or part in it: which of them are in the same round has no
// answer. Its exits are joins.
void SyncDependence::lose(const Cycle *C) {
  DivergentExits.insert(C);
  for (const BasicBlock *BB : C->blocks())
    Lost.insert(BB);
  for (const Arrival &Out : leave(C, nullptr))
    Joins.insert(Out.Block);
}

SyncDependence::Round SyncDependence::walk(const Cycle *Around, const std::vector<Arrival> &Begin) {
  DenseMap<const BasicBlock *, Label> At;
  Round Result;
  bool Changed = true;
  auto Arrive = [&](const BasicBlock *BB, Label From) {
    if (Around && BB == Around->getHeader()) {
      if (!Result.AtHeader) {
        Result.AtHeader = From;
      } else if (Result.AtHeader != From) {
        Result.AtHeader = BB;
        Joins.insert(BB);
      }
      return;
    }
    if (Around && !Around->contains(BB)) {
      if (none_of(Result.Left, [&](const Arrival &Other) { return Other.Block == BB && Other.From == From; }))
        Result.Left.push_back({BB, From});
      return;
    }
    Label &Here = At[BB];
    if (Here == From)
      return;
    if (Here)
      Joins.insert(BB);
    Label After = Here ? BB : From;
    Changed |= Here != After;
    Here = After;
  };
  for (const Arrival &First : Begin)
    Arrive(First.Block, First.From);
  // In reverse post-order one pass is enough but for irreducible cycles.
  while (Changed) {
    Changed = false;
    Result.AtHeader = nullptr;
    Result.Left.clear();
    for (const Arrival &First : Begin)
      Arrive(First.Block, First.From);
    DenseMap<const Cycle *, Label> In;
    for (const BasicBlock *BB : Order) {
      Label Here = At.lookup(BB);
      if (!Here)
        continue;
      const Cycle *Child = childAt(Around, BB);
      if (!Child) {
        for (const BasicBlock *Next : successors(BB))
          Arrive(Next, Here);
        continue;
      }
      Label Entered = In.try_emplace(Child, Here).first->second;
      if (!Child->isReducible() && Entered != Here)
        lose(Child);
      bool Apart = !Child->isReducible() && Lost.contains(BB);
      for (const Arrival &Out : leave(Child, Apart ? nullptr : Here))
        Arrive(Out.Block, Out.From);
    }
  }
  return Result;
}

void SyncDependence::add(const BasicBlock &Branch) {
  std::vector<Arrival> Begin;
  for (const BasicBlock *Next : successors(&Branch))
    Begin.push_back({Next, Next});
  for (const Cycle *C = Cycles.getCycle(&Branch);; C = C->getParentCycle()) {
    if (!C) {
      walk(nullptr, Begin);
      return;
    }
    if (!C->isReducible()) {
      lose(C);
      Begin = leave(C, nullptr);
      continue;
    }
    Round Result = walk(C, Begin);
    if (all_of(Result.Left, [&](const Arrival &Out) { return Out.From == Result.AtHeader; }))
      return;
    Begin = Result.Left;
    if (!Result.AtHeader)
      continue;
    // Those that go on in a cycle further out are still together.
    for (const Arrival &Out : Result.Left)
      if (Out.From != Result.AtHeader)
        DivergentExits.insert(outermostLeft(C, Out.Block));
    for (const Arrival &Later : leave(C, Result.AtHeader))
      Begin.push_back(Later);
  }
}

} // namespace oxcl
