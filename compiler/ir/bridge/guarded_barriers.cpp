// Branches that not all work-items of a group take alike, and that barriers lie behind: `if (i < n) { …; barrier(); … }`.
//
// On entry: a function with calls of barriers, a branch that skips some blocks with barriers in them or does not, and what is known to be
// the same for all work-items of a group. On exit, where that is possible: all work-items go through the blocks and meet at the barriers,
// and each part between two barriers has the branch's condition in front of it, so that who would have skipped the blocks does
// nothing there. What decides about the way between barriers is computed by all: it is arithmetic on what is the same for
// all, made without looking into memory.
//
// Not done: blocks with barriers on both sides of a branch; ways between barriers that depend on memory or on a work-item; loops around
// barriers of which it is not seen that they end, since who computes their counts may not have been meant to get there.

#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace {

// Blocks that work-items go through without meeting; see `regions.rs`, whose rules these are.
struct Part {
  BasicBlock *Entry = nullptr;
  SetVector<BasicBlock *> Blocks;
  // The way out: to one block from these, or by the branch of one of the part's own, which the group takes.
  SetVector<BasicBlock *> From;
  BasicBlock *To = nullptr;
  BasicBlock *Decides = nullptr;
};

class GuardedBarriers {
public:
  GuardedBarriers(BranchInst &Branch, ArrayRef<Value *> Uniform, ArrayRef<Value *> Barriers)
      : Guard(&Branch), F(*Branch.getFunction()), Uniform(Uniform.begin(), Uniform.end()), Barriers(Barriers.begin(), Barriers.end()) {}

  bool open() {
    if (!Guard->isConditional() || Guard->getSuccessor(0) == Guard->getSuccessor(1))
      return false;
    separate();
    for (unsigned Side : {0u, 1u})
      if (isGuard(Side)) {
        Skips = 1 - Side;
        Join = Guard->getSuccessor(Skips);
        isolate(*Guard->getSuccessor(Side));
        if (!cut() || !findUniform() || !loopsEnd())
          return false;
        rebuild();
        return true;
      }
    return false;
  }

private:
  BranchInst *Guard;
  Function &F;
  SmallPtrSet<Value *, 32> Uniform;
  SmallPtrSet<Value *, 8> Barriers;
  unsigned Skips = 0;
  BasicBlock *Join = nullptr;
  BasicBlock *First = nullptr;
  // What is guarded, in reverse post-order.
  std::vector<BasicBlock *> Order;
  SmallPtrSet<BasicBlock *, 32> Inside;
  SmallPtrSet<BasicBlock *, 16> Entries, GroupBranches, Meetings;
  std::vector<Part> Parts;
  // What the part that could not be made shares with another.
  BasicBlock *Shared = nullptr;
  DenseMap<BasicBlock *, unsigned> PartOf;
  // PHI nodes at entries, and instructions, that all work-items have.
  SmallPtrSet<Value *, 16> Kept, Hoisted;

  static bool reach(BasicBlock &From, BasicBlock &Stop, SmallPtrSetImpl<BasicBlock *> &Found) {
    SmallVector<BasicBlock *, 16> Left{&From};
    Found.insert(&From);
    while (!Left.empty()) {
      BasicBlock *B = Left.pop_back_val();
      if (!isa<BranchInst>(B->getTerminator()))
        return false;
      for (BasicBlock *Next : successors(B))
        if (Next != &Stop && Found.insert(Next).second)
          Left.push_back(Next);
    }
    return true;
  }

  // The blocks of one side of the branch, up to where its ways meet again, if nobody else comes there.
  bool isSide(BasicBlock &Begin, BasicBlock &End, SmallPtrSetImpl<BasicBlock *> &Found) {
    BasicBlock *Before = Guard->getParent();
    if (!reach(Begin, End, Found) || Found.contains(Before))
      return false;
    DominatorTree Dominators(F);
    return all_of(predecessors(&Begin), [&](BasicBlock *B) { return B == Before || Found.contains(B); }) &&
           all_of(Found, [&](BasicBlock *B) { return Dominators.dominates(&Begin, B); });
  }

  bool meets(const SmallPtrSetImpl<BasicBlock *> &Blocks) const {
    return any_of(Blocks, [&](BasicBlock *B) { return any_of(*B, [&](Instruction &I) { return Barriers.contains(&I); }); });
  }

  // Where both sides of the branch do something, and only one of them has barriers: the other comes first, and a second branch by the
  // condition behind it.
  void separate() {
    PostDominatorTree After(F);
    auto *Node = After.getNode(Guard->getParent())->getIDom();
    BasicBlock *End = Node ? Node->getBlock() : nullptr, *Before = Guard->getParent();
    if (!End || Guard->getSuccessor(0) == End || Guard->getSuccessor(1) == End)
      return;
    SmallPtrSet<BasicBlock *, 32> Sides[2];
    for (unsigned Side : {0u, 1u})
      if (!isSide(*Guard->getSuccessor(Side), *End, Sides[Side]))
        return;
    if (meets(Sides[0]) == meets(Sides[1]))
      return;
    unsigned Side = meets(Sides[0]) ? 0 : 1;
    BasicBlock *Begin = Guard->getSuccessor(Side);
    BasicBlock *Again = BasicBlock::Create(F.getContext(), "other.side.done", &F, Begin);
    for (PHINode &Phi : End->phis()) {
      PHINode *Done = PHINode::Create(Phi.getType(), 2, Phi.getName() + ".other", Again);
      Done->addIncoming(PoisonValue::get(Phi.getType()), Before);
      for (unsigned At = Phi.getNumIncomingValues(); At-- > 0;)
        if (Sides[1 - Side].contains(Phi.getIncomingBlock(At))) {
          Done->addIncoming(Phi.getIncomingValue(At), Phi.getIncomingBlock(At));
          Phi.removeIncomingValue(At, /*DeletePHIIfEmpty=*/false);
        }
      Phi.addIncoming(Done, Again);
    }
    for (BasicBlock *B : Sides[1 - Side])
      B->getTerminator()->replaceSuccessorWith(End, Again);
    Begin->replacePhiUsesWith(Before, Again);
    Guard->setSuccessor(Side, Again);
    BasicBlock *Ways[2] = {End, End};
    Ways[Side] = Begin;
    auto *Second = BranchInst::Create(Ways[0], Ways[1], Guard->getCondition(), Again);
    Second->setDebugLoc(Guard->getDebugLoc());
    Guard = Second;
  }

  // Whether one side of the branch skips blocks with barriers, and nothing else in them is in the way.
  bool isGuard(unsigned Side) {
    Inside.clear();
    if (!isSide(*Guard->getSuccessor(Side), *Guard->getSuccessor(1 - Side), Inside) || !meets(Inside))
      return false;
    return all_of(Inside, [&](BasicBlock *B) {
      return all_of(*B, [&](Instruction &I) {
        auto *Call = dyn_cast<CallBase>(&I);
        return !isa<AllocaInst>(I) && !I.getType()->isTokenTy() && (!Call || !Call->isConvergent() || Barriers.contains(&I));
      });
    });
  }

  // Gives the guarded blocks a block of their own to begin with, and each barrier one.
  void isolate(BasicBlock &Begin) {
    First = SplitEdge(Guard->getParent(), &Begin);
    SmallVector<Instruction *, 8> Calls;
    for (BasicBlock *B : Inside)
      for (Instruction &I : *B)
        if (Barriers.contains(&I))
          Calls.push_back(&I);
    for (Instruction *Call : Calls) {
      BasicBlock *B = Call->getParent();
      if (&B->front() != Call)
        B = SplitBlock(B, Call);
      SplitBlock(B, Call->getNextNode());
      Meetings.insert(B);
    }
    Inside.clear();
    reach(*First, *Join, Inside);
    for (BasicBlock *B : ReversePostOrderTraversal<Function *>(&F))
      if (Inside.contains(B))
        Order.push_back(B);
  }

  bool cut() {
    PostDominatorTree After(F);
    Entries.insert(First);
    for (BasicBlock *B : Meetings) {
      Entries.insert(B);
      Entries.insert(B->getSingleSuccessor());
    }
    // A block that several parts reach is better a part of its own than one of each.
    do {
      close(After);
      Shared = nullptr;
      Parts.clear();
      PartOf.clear();
      for (BasicBlock *B : Order) {
        if (!Entries.contains(B) || makePart(*B))
          continue;
        if (!Shared)
          return false;
        Entries.insert(Shared);
        break;
      }
    } while (Shared);
    return Parts.size() > 1 && PartOf.size() == Order.size();
  }

  // The group takes every branch that decides about an entry; where that leads to, and where its ways meet again, parts begin.
  void close(PostDominatorTree &After) {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (BasicBlock *B : Order)
        if (Entries.contains(B) || GroupBranches.contains(B))
          for (BasicBlock *Branch : Order)
            if (!GroupBranches.contains(Branch) && depends(*B, *Branch, After)) {
              Changed = true;
              GroupBranches.insert(Branch);
              for (BasicBlock *Next : successors(Branch))
                if (Next != Join)
                  Entries.insert(Next);
              auto *Node = After.getNode(Branch)->getIDom();
              if (Node && Node->getBlock() && Inside.contains(Node->getBlock()))
                Entries.insert(Node->getBlock());
            }
    }
  }

  static bool depends(BasicBlock &B, BasicBlock &Branch, PostDominatorTree &After) {
    if (succ_size(&Branch) < 2 || (&B != &Branch && After.dominates(&B, &Branch)))
      return false;
    return any_of(successors(&Branch), [&](BasicBlock *Next) { return After.dominates(&B, Next); });
  }

  bool makePart(BasicBlock &Entry) {
    Part P;
    P.Entry = &Entry;
    P.Blocks.insert(&Entry);
    for (unsigned At = 0; At < P.Blocks.size(); ++At) {
      BasicBlock *B = P.Blocks[At];
      if (!PartOf.try_emplace(B, Parts.size()).second) {
        Shared = B;
        return false;
      }
      if (GroupBranches.contains(B)) {
        if (P.Decides)
          return false;
        P.Decides = B;
        continue;
      }
      for (BasicBlock *Next : successors(B)) {
        if (Next != Join && !Entries.contains(Next)) {
          P.Blocks.insert(Next);
          continue;
        }
        if (P.To && P.To != Next)
          return false;
        P.To = Next;
        P.From.insert(B);
      }
    }
    if (!P.To == !P.Decides)
      return false;
    Parts.push_back(P);
    return true;
  }

  bool isThere(Value *V) const {
    auto *I = dyn_cast<Instruction>(V);
    return !I || !Inside.contains(I->getParent()) || Hoisted.contains(V) || Kept.contains(V);
  }

  // What a part gives to a PHI node behind it: one value, whichever way.
  Value *givenBy(PHINode &Phi, const Part &P) const {
    Value *Given = nullptr;
    for (unsigned At = 0; At < Phi.getNumIncomingValues(); ++At) {
      if (!P.Blocks.contains(Phi.getIncomingBlock(At)))
        continue;
      if (Given && Given != Phi.getIncomingValue(At))
        return nullptr;
      Given = Phi.getIncomingValue(At);
    }
    return Given;
  }

  bool isKept(PHINode &Phi) const {
    return all_of(Phi.blocks(), [&](BasicBlock *From) {
      auto Found = PartOf.find(From);
      Value *Given = Found == PartOf.end() ? nullptr : givenBy(Phi, Parts[Found->second]);
      return Given && isThere(Given);
    });
  }

  bool findUniform() {
    for (BasicBlock *B : Order)
      if (Entries.contains(B))
        for (PHINode &Phi : B->phis())
          if (Uniform.contains(&Phi))
            Kept.insert(&Phi);
    for (bool Changed = true; Changed;) {
      Hoisted.clear();
      for (BasicBlock *B : Order)
        for (Instruction &I : *B)
          if (!isa<PHINode>(I) && !I.isTerminator() && Uniform.contains(&I) && !I.mayReadOrWriteMemory() && !isa<CallBase>(I) &&
              isSafeToSpeculativelyExecute(&I) && all_of(I.operands(), [&](Value *V) { return isThere(V); }))
            Hoisted.insert(&I);
      Changed = false;
      for (BasicBlock *B : Order)
        for (PHINode &Phi : B->phis())
          if (Kept.contains(&Phi) && !isKept(Phi)) {
            Kept.erase(&Phi);
            Changed = true;
          }
    }
    return all_of(GroupBranches, [&](BasicBlock *B) { return isThere(cast<BranchInst>(B->getTerminator())->getCondition()); });
  }

  // Whether a count is halved in each round until the loop ends.
  static bool halves(const Loop &L, const DominatorTree &Dominators) {
    BasicBlock *Latch = L.getLoopLatch();
    SmallVector<BasicBlock *, 4> Exiting;
    L.getExitingBlocks(Exiting);
    return Latch && any_of(Exiting, [&](BasicBlock *B) {
      auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
      auto *Asks = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
      auto *Limit = Asks ? dyn_cast<ConstantInt>(Asks->getOperand(1)) : nullptr;
      if (!Limit || !Dominators.dominates(B, Latch))
        return false;
      bool LeavesIfTrue = !L.contains(Branch->getSuccessor(0));
      for (PHINode &Phi : L.getHeader()->phis()) {
        auto *Next = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(Latch));
        auto *By = Next && Next->getOperand(0) == &Phi ? dyn_cast<ConstantInt>(Next->getOperand(1)) : nullptr;
        if (!By || (Asks->getOperand(0) != &Phi && Asks->getOperand(0) != Next))
          continue;
        unsigned Op = Next->getOpcode();
        bool Divides = (Op == Instruction::UDiv || Op == Instruction::SDiv) && By->getValue().sgt(1);
        bool Shifts = (Op == Instruction::LShr || Op == Instruction::AShr) && By->getValue().sgt(0);
        if (!Divides && !Shifts)
          continue;
        auto LeavesAt = [&](int64_t End) {
          return ICmpInst::compare(APInt(By->getBitWidth(), End, /*isSigned=*/true), Limit->getValue(), Asks->getPredicate()) == LeavesIfTrue;
        };
        if (LeavesAt(0) && (Op != Instruction::AShr || LeavesAt(-1)))
          return true;
      }
      return false;
    });
  }

  // Loops around barriers are seen to end, also where the branch's condition does not hold.
  bool loopsEnd() {
    Value *Condition = Guard->getCondition();
    auto *Unknown = new FreezeInst(UndefValue::get(Condition->getType()), "", Guard->getIterator());
    Guard->setCondition(Unknown);
    bool End = allLoopsEnd();
    Guard->setCondition(Condition);
    Unknown->eraseFromParent();
    return End;
  }

  bool allLoopsEnd() {
    DominatorTree Dominators(F);
    LoopInfo Loops(Dominators);
    AssumptionCache Assumptions(F);
    TargetLibraryInfoImpl Functions(F.getParent()->getTargetTriple());
    TargetLibraryInfo Library(Functions);
    ScalarEvolution Counts(F, Library, Assumptions, Dominators, Loops);
    return all_of(Loops.getLoopsInPreorder(), [&](Loop *L) {
      if (!Inside.contains(L->getHeader()) || none_of(L->blocks(), [&](BasicBlock *B) { return Entries.contains(B); }))
        return true;
      return halves(*L, Dominators) || !isa<SCEVCouldNotCompute>(Counts.getSymbolicMaxBackedgeTakenCount(L));
    });
  }

  // Whether a value of one part is used in another, or behind the guarded blocks.
  bool isUsedElsewhere(Instruction &I) const {
    return any_of(I.users(), [&](User *U) {
      auto Found = PartOf.find(cast<Instruction>(U)->getParent());
      return Found == PartOf.end() || Found->second != PartOf.lookup(I.getParent());
    });
  }

  void rebuild() {
    SmallVector<AllocaInst *, 16> Slots;
    auto At = F.getEntryBlock().getFirstInsertionPt();
    // Values go between parts by way of memory while the blocks are rebuilt.
    SmallVector<PHINode *, 16> Phis;
    for (BasicBlock *B : Order)
      if (Entries.contains(B))
        for (PHINode &Phi : B->phis())
          if (!Kept.contains(&Phi))
            Phis.push_back(&Phi);
    for (PHINode &Phi : Join->phis())
      Phis.push_back(&Phi);
    for (PHINode *Phi : Phis)
      if (AllocaInst *Slot = DemotePHIToStack(Phi, At))
        Slots.push_back(Slot);
    SmallVector<Instruction *, 32> Passed;
    for (BasicBlock *B : Order)
      for (Instruction &I : *B)
        if (!I.getType()->isVoidTy() && !Hoisted.contains(&I) && !Kept.contains(&I) && isUsedElsewhere(I))
          Passed.push_back(&I);
    for (Instruction *I : Passed)
      if (AllocaInst *Slot = DemoteRegToStack(*I, /*VolatileLoads=*/false, At))
        Slots.push_back(Slot);
    for (Part &P : Parts)
      if (!Meetings.contains(P.Entry))
        guard(P);
    BranchInst *Always = BranchInst::Create(First, Guard->getIterator());
    Always->setDebugLoc(Guard->getDebugLoc());
    Guard->eraseFromParent();
    DominatorTree Dominators(F);
    PromoteMemToReg(Slots, Dominators);
  }

  // Puts the condition in front of a part, but for what all work-items compute.
  void guard(Part &P) {
    Instruction *Place = &*P.Entry->getFirstNonPHIIt();
    for (BasicBlock *B : Order) {
      if (!P.Blocks.contains(B))
        continue;
      for (Instruction &I : make_early_inc_range(*B)) {
        if (!Hoisted.contains(&I))
          continue;
        // Nobody may have been meant to get there.
        I.dropPoisonGeneratingAnnotations();
        if (&I == Place)
          Place = Place->getNextNode();
        else
          I.moveBefore(Place->getIterator());
      }
    }
    if (P.Blocks.size() == 1 && Place->isTerminator())
      return;
    BasicBlock *Body = P.Entry->splitBasicBlock(Place->getIterator(), "guarded");
    auto Now = [&](BasicBlock *B) { return B == P.Entry ? Body : B; };
    BasicBlock *Behind;
    if (P.Decides) {
      BasicBlock *B = Now(P.Decides);
      Behind = B->splitBasicBlock(B->getTerminator()->getIterator(), "behind.guarded");
    } else {
      Behind = BasicBlock::Create(F.getContext(), "behind.guarded", &F, P.To);
      BranchInst::Create(P.To, Behind);
      for (PHINode &Phi : P.To->phis()) {
        Value *Given = nullptr;
        for (BasicBlock *B : P.From)
          while (Phi.getBasicBlockIndex(Now(B)) >= 0)
            Given = Phi.removeIncomingValue(Now(B), /*DeletePHIIfEmpty=*/false);
        Phi.addIncoming(Given, Behind);
      }
      for (BasicBlock *B : P.From)
        Now(B)->getTerminator()->replaceSuccessorWith(P.To, Behind);
    }
    Instruction *Begins = P.Entry->getTerminator();
    BasicBlock *Ways[2] = {Body, Body};
    Ways[Skips] = Behind;
    BranchInst *Asks = BranchInst::Create(Ways[0], Ways[1], Guard->getCondition(), Begins->getIterator());
    Asks->setDebugLoc(Guard->getDebugLoc());
    Begins->eraseFromParent();
  }
};

} // namespace

// `Guard` is a branch, `Uniform` are instructions that are the same for all work-items of a group, `Barriers` all calls of barriers.
// Whether the branch is gone; if not, blocks were split at most.
extern "C" bool oxcl_ir_open_guard(LLVMValueRef Guard, const LLVMValueRef *Uniform, size_t UniformCount, const LLVMValueRef *Barriers,
                                   size_t BarrierCount) {
  auto All = [](const LLVMValueRef *Values, size_t Count) {
    SmallVector<Value *, 32> Found;
    for (size_t At = 0; At < Count; ++At)
      Found.push_back(unwrap(Values[At]));
    return Found;
  };
  auto *Branch = dyn_cast<BranchInst>(unwrap(Guard));
  return Branch && GuardedBarriers(*Branch, All(Uniform, UniformCount), All(Barriers, BarrierCount)).open();
}
