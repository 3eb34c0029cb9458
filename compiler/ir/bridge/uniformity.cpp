// Which values and branches differ between work-items that run together: LLVM's uniformity analysis over cycles, with the
// sources of divergence named here.
//
// On entry: a function in SSA form of any control flow, the answers to its work-item queries, and the blocks that begin
// behind a barrier. On exit: the tables below, the function as it was. A value that the tables call uniform is the same for all
// work-items that compute it together *and* wherever it is read but by PHI nodes: what is uniform where it is computed and
// divergent where it is read (behind a cycle that work-items leave in different rounds) is called divergent, unless a PHI
// node at the way out of the cycle stands between (loop-closed form). What LLVM misses is completed, see sync_dependence.h.
//
// It relies on OpenCL's memory model: a plain load from one address gives all work-items of a race-free kernel the same,
// unless the kernel orders accesses by atomics (see `Sources::mayChangeBetweenItems`).

#include "crash_guard.h"
#include "sync_dependence.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace llvm;

extern "C" {

// What the caller knows of a call. The numbers are those of `Answer` in src/uniformity.rs.
enum : uint8_t { ANSWER_UNIFORM = 0, ANSWER_VARIES = 1, ANSWER_AS_ARGUMENTS = 2, ANSWER_BARRIER = 3 };

struct OxclUniformity {
  // The calls that are known, and for each an answer.
  const LLVMValueRef *Calls;
  const uint8_t *Answers;
  size_t CallCount;
  // For each block: whether it begins behind a barrier.
  const uint8_t *AfterBarrier;
  // Whether one instruction is made for all work-items.
  uint8_t InLockStep;
  // For each instruction, in the function's order: whether it differs.
  uint8_t *Divergent;
  // For each block: whether its terminator is divergent; whether disjoint ways from a divergent branch meet in it, or
  // work-items come to it in different rounds of a cycle.
  uint8_t *Terminators;
  uint8_t *Joins;
  // For each block the innermost cycle, or none; for each cycle (as many as there are blocks at most) its header, the one
  // around it, and whether work-items leave it in different rounds.
  int32_t *CycleOf;
  int32_t *Header;
  int32_t *Parent;
  uint8_t *DivergentExit;
};

} // extern "C"

namespace {

// The number of no cycle.
constexpr int32_t NONE = -1;

using Blocks = SmallPtrSet<const BasicBlock *, 16>;
using Functions = SmallPtrSet<const Function *, 8>;

// Address spaces of the front-end target.
enum : unsigned { PRIVATE = 0, GLOBAL = 1, CONSTANT = 2, LOCAL = 3 };

// The sources of divergence, in the form that LLVM asks for them.
class Sources {
public:
  Sources(Function &F, const OxclUniformity &Asked) : F(F), InLockStep(Asked.InLockStep != 0) {
    for (size_t I = 0; I < Asked.CallCount; ++I)
      Answers[unwrap<Instruction>(Asked.Calls[I])] = Asked.Answers[I];
    size_t Block = 0;
    for (BasicBlock &BB : F)
      if (Asked.AfterBarrier[Block++])
        AfterBarrier.insert(&BB);
    collectMemory();
  }

  // A value that is called divergent whatever it is computed from.
  bool force(const Instruction *I) { return Forced.insert(I).second; }

  InstructionUniformity of(const Value *V) const {
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return InstructionUniformity::Default;
    if (auto Known = Answers.find(I); Known != Answers.end() && Known->second == ANSWER_UNIFORM && !Forced.contains(I))
      return InstructionUniformity::AlwaysUniform;
    return isSource(*I) ? InstructionUniformity::NeverUniform : InstructionUniformity::Default;
  }

private:
  bool isSource(const Instruction &I) const {
    if (Forced.contains(&I))
      return true;
    switch (I.getOpcode()) {
    case Instruction::Alloca: // Each work-item has its own.
    case Instruction::AtomicRMW:
    case Instruction::AtomicCmpXchg:
    case Instruction::VAArg:
    case Instruction::LandingPad:
    case Instruction::CatchPad:
    case Instruction::CleanupPad:
      return true;
    case Instruction::Load:
      return I.isVolatile() || I.isAtomic() || mayChangeBetweenItems(cast<LoadInst>(I));
    case Instruction::Freeze:
      // Of what is not defined each work-item may freeze another value, but one instruction freezes one.
      return !InLockStep && !isGuaranteedNotToBeUndefOrPoison(I.getOperand(0)) && !guardsDivision(I);
    case Instruction::Call:
    case Instruction::Invoke:
    case Instruction::CallBr:
      return isSource(cast<CallBase>(I));
    default:
      return false;
    }
  }

  // Whether a value is frozen for nothing but a division and the tests that keep it from trapping. The program divides by what it
  // freezes: where that is not defined, no quotient is, and no work-item can tell which value it has of it.
  static bool guardsDivision(const Instruction &Frozen) {
    SmallVector<const Instruction *, 8> Work = {&Frozen};
    bool Divides = false;
    while (!Work.empty()) {
      for (const User *Used : Work.pop_back_val()->users()) {
        auto *I = dyn_cast<Instruction>(Used);
        if (!I)
          return false;
        switch (I->getOpcode()) {
        case Instruction::SDiv:
        case Instruction::UDiv:
        case Instruction::SRem:
        case Instruction::URem:
          Divides = true;
          break;
        case Instruction::Select: // It may choose between what was divided and what a test found instead.
          if (isDivision(I->getOperand(1)) || isDivision(I->getOperand(2)))
            break;
          [[fallthrough]];
        case Instruction::ICmp:
        case Instruction::And:
        case Instruction::Or:
          Work.push_back(I);
          break;
        default:
          return false;
        }
      }
    }
    return Divides;
  }

  static bool isDivision(const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    return I && I->isIntDivRem();
  }

  bool isSource(const CallBase &Call) const {
    if (auto Known = Answers.find(&Call); Known != Answers.end())
      return Known->second == ANSWER_VARIES;
    return !isFunctionOfItsArguments(Call);
  }

  // Whether a call gives the same to all who give it the same.
  bool isFunctionOfItsArguments(const CallBase &Call) const {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee || !Call.doesNotAccessMemory() || Call.isConvergent())
      return false;
    if (Callee->isIntrinsic())
      return !namesTheItem(*Callee);
    Functions Seen;
    return isFunctionOfItsArguments(*Callee, Seen);
  }

  bool isFunctionOfItsArguments(const Function &Callee, Functions &Seen) const {
    if (Callee.isDeclaration())
      return false;
    if (!Seen.insert(&Callee).second)
      return true;
    for (const Instruction &I : instructions(Callee)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Answers.contains(Call))
        continue;
      const Function *Next = Call->getCalledFunction();
      if (!Next)
        return false;
      if (Next->isIntrinsic() ? namesTheItem(*Next) : !isFunctionOfItsArguments(*Next, Seen))
        return false;
    }
    return true;
  }

  // Intrinsics without arguments or memory that tell threads apart; those of other targets read their ids so.
  static bool namesTheItem(const Function &Callee) {
    switch (Callee.getIntrinsicID()) {
    case Intrinsic::frameaddress:
    case Intrinsic::returnaddress:
    case Intrinsic::addressofreturnaddress:
    case Intrinsic::sponentry:
    case Intrinsic::localaddress:
    case Intrinsic::thread_pointer:
    case Intrinsic::threadlocal_address:
    case Intrinsic::stacksave:
      return true;
    default:
      return Callee.isTargetIntrinsic() && !Callee.getName().starts_with("llvm.x86.");
    }
  }

  // A piece of a block has the name of what it begins with: the block, or a barrier in it.
  using Piece = const Value *;

  // Pieces that one walks between without passing a barrier are one interval. Of each is noted whether an access sees what
  // others have done, and who writes where.
  void collectMemory() {
    DenseMap<const BasicBlock *, Piece> Last;
    for (const BasicBlock &BB : F) {
      Piece Own = &BB;
      for (const Instruction &I : BB)
        if (auto Known = Answers.find(&I); Known != Answers.end() && Known->second == ANSWER_BARRIER)
          Own = &I;
        else
          noteAccess(I, Own);
      Last[&BB] = Own;
    }
    for (const BasicBlock &BB : F)
      for (const BasicBlock *Next : successors(&BB))
        if (!AfterBarrier.contains(Next))
          Intervals.unionSets(Last[&BB], Next);
  }

  void noteAccess(const Instruction &I, Piece Own) {
    PieceOf[&I] = Own;
    if (Answers.contains(&I))
      return;
    if (I.mayWriteToMemory() && !I.isLifetimeStartOrEnd())
      Writers.push_back(&I);
    // A relaxed access orders others only together with a fence, and a fence only together with an access.
    bool Unknown = isa<CallBase>(I) && !isa<IntrinsicInst>(I) && I.mayReadFromMemory() && I.mayWriteToMemory();
    if (isa<FenceInst>(I))
      Fences.push_back(Own);
    else if (Unknown || (I.isVolatile() && !isa<StoreInst>(I)))
      Ordering.push_back(Own);
    else if (I.isAtomic() && !isa<StoreInst>(I))
      (isRelaxed(I) ? Relaxed : Ordering).push_back(Own);
  }

  static bool isRelaxed(const Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return !isStrongerThanMonotonic(Load->getOrdering());
    if (auto *Swap = dyn_cast<AtomicRMWInst>(&I))
      return !isStrongerThanMonotonic(Swap->getOrdering());
    if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
      return !isStrongerThanMonotonic(Swap->getMergedOrdering());
    return false;
  }

  // Whether work-items that load from one address together may get different values without a race: if the kernel
  // synchronises by atomics between the same barriers, as the holders of a lock do, and somebody may write there. Others of
  // the group may write local memory between the same barriers only, other groups the rest at any time.
  bool mayChangeBetweenItems(const LoadInst &Load) const {
    Piece Own = PieceOf.lookup(&Load);
    auto Beside = [&](Piece Other) { return Intervals.isEquivalent(Own, Other); };
    if (none_of(Ordering, Beside) && (none_of(Relaxed, Beside) || none_of(Fences, Beside)))
      return false;
    unsigned Space = Load.getPointerAddressSpace();
    if (Space == CONSTANT || Load.hasMetadata(LLVMContext::MD_invariant_load))
      return false;
    const Value *Object = getUnderlyingObject(Load.getPointerOperand());
    if (auto *Global = dyn_cast<GlobalVariable>(Object); Global && Global->isConstant())
      return false;
    for (const Instruction *Writer : Writers) {
      if (Space == LOCAL && !Beside(PieceOf.lookup(Writer)))
        continue;
      if (mayWrite(*Writer, Space, Object))
        return true;
    }
    return false;
  }

  static bool mayWrite(const Instruction &Writer, unsigned Space, const Value *Object) {
    const Value *Pointer = nullptr;
    if (auto *Store = dyn_cast<StoreInst>(&Writer))
      Pointer = Store->getPointerOperand();
    else if (auto *Swap = dyn_cast<AtomicRMWInst>(&Writer))
      Pointer = Swap->getPointerOperand();
    else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&Writer))
      Pointer = Swap->getPointerOperand();
    else if (auto *Fill = dyn_cast<AnyMemIntrinsic>(&Writer))
      Pointer = Fill->getRawDest();
    else
      return !isa<FenceInst>(Writer) && !isa<LoadInst>(Writer);
    unsigned Other = Pointer->getType()->getPointerAddressSpace();
    bool Named = (Space == GLOBAL || Space == LOCAL) && (Other == GLOBAL || Other == LOCAL);
    if (Named && Space != Other)
      return false;
    const Value *Written = getUnderlyingObject(Pointer);
    if (isa<AllocaInst>(Written))
      return Object == Written;
    return Written == Object || !isIdentifiedObject(Written) || !isIdentifiedObject(Object);
  }

  Function &F;
  bool InLockStep;
  DenseMap<const Instruction *, uint8_t> Answers;
  SmallPtrSet<const Instruction *, 8> Forced;
  Blocks AfterBarrier;
  EquivalenceClasses<Piece> Intervals;
  DenseMap<const Instruction *, Piece> PieceOf;
  std::vector<Piece> Ordering;
  std::vector<Piece> Relaxed;
  std::vector<Piece> Fences;
  std::vector<const Instruction *> Writers;
};

// What LLVM asks about sources; everything else is answered as for no target.
class TargetView final : public TargetTransformInfoImplBase {
public:
  TargetView(const DataLayout &DL, const Sources &From) : TargetTransformInfoImplBase(DL), From(From) {}
  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity getInstructionUniformity(const Value *V) const override { return From.of(V); }

private:
  const Sources &From;
};

class Analysis {
public:
  Analysis(Function &F, const OxclUniformity &Out) : F(F), Out(Out), From(F, Out) {
    Managers.registerPass([] { return PassInstrumentationAnalysis(); });
    Managers.registerPass([] { return DominatorTreeAnalysis(); });
    Managers.registerPass([] { return CycleAnalysis(); });
    Managers.registerPass([this] {
      return TargetIRAnalysis([this](const Function &Asked) {
        return TargetTransformInfo(std::make_unique<TargetView>(Asked.getDataLayout(), From));
      });
    });
  }

  int32_t run() {
    const CycleInfo &Cycles = Managers.getResult<CycleAnalysis>(F);
    oxcl::SyncDependence Sync(F, Cycles);
    Blocks Seen;
    // LLVM's analysis is used as the pass that it is, for its class is complete inside LLVM only.
    UniformityInfo Found = UniformityInfoAnalysis().run(F, Managers);
    while (complete(Found, Sync, Seen))
      Found = UniformityInfoAnalysis().run(F, Managers);
    write(Found, Sync);
    return writeCycles(Cycles, Sync);
  }

private:
  // Whether work-items may leave a block by different ways. To LLVM a divergent terminator may also be the only way on.
  static bool parts(UniformityInfo &Found, const BasicBlock &BB) {
    return Found.hasDivergentTerminator(BB) && BB.getTerminator()->getNumSuccessors() > 1;
  }

  // Calls divergent what LLVM has missed, and what is uniform where it is computed and not where it is read. To LLVM a PHI node
  // of one value and undefined ones is uniform, but here whoever comes with the undefined one would overwrite what the others
  // brought. True if there was any.
  bool complete(UniformityInfo &Found, oxcl::SyncDependence &Sync, Blocks &Seen) {
    for (BasicBlock &BB : F)
      if (parts(Found, BB) && Seen.insert(&BB).second)
        Sync.add(BB);
    bool Changed = false;
    for (Instruction &I : instructions(F))
      if (!I.getType()->isVoidTy() && !Found.isDivergent(&I) && differs(I, Found, Sync))
        Changed |= From.force(&I);
    return Changed;
  }

  static bool differs(const Instruction &I, const UniformityInfo &Found, const oxcl::SyncDependence &Sync) {
    const BasicBlock *Own = I.getParent();
    if (Sync.isLost(Own))
      return true;
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      if (Sync.isJoin(Own) && !Phi->hasConstantValue())
        return true;
      for (const Use &Incoming : Phi->incoming_values())
        if (auto *Def = dyn_cast<Instruction>(Incoming.get()))
          if (Found.isDivergentUse(Incoming) || Sync.isReadBehind(Def->getParent(), Own))
            return true;
    }
    // What a PHI node takes is read at the end of the block that it comes from.
    return any_of(I.uses(), [&](const Use &U) {
      auto *User = cast<Instruction>(U.getUser());
      auto *Phi = dyn_cast<PHINode>(User);
      return Sync.isReadBehind(Own, Phi ? Phi->getIncomingBlock(U) : User->getParent()) ||
             (!Phi && Found.isDivergentUse(U));
    });
  }

  void write(UniformityInfo &Found, const oxcl::SyncDependence &Sync) {
    size_t Block = 0, Value = 0;
    for (BasicBlock &BB : F) {
      Out.Joins[Block] = Sync.isJoin(&BB) || Sync.isLost(&BB);
      Out.Terminators[Block] = parts(Found, BB);
      ++Block;
      for (Instruction &I : BB)
        Out.Divergent[Value++] = !I.getType()->isVoidTy() && Found.isDivergent(&I);
    }
  }

  int32_t writeCycles(const CycleInfo &Cycles, const oxcl::SyncDependence &Sync) {
    DenseMap<const BasicBlock *, int32_t> Index;
    for (BasicBlock &BB : F)
      Index.try_emplace(&BB, Index.size());
    DenseMap<const Cycle *, int32_t> Number;
    std::vector<const Cycle *> Waiting;
    for (const Cycle *Top : Cycles.toplevel_cycles())
      Waiting.push_back(Top);
    int32_t Count = 0;
    // Outer cycles come before those in them.
    for (size_t Next = 0; Next < Waiting.size(); ++Next) {
      const Cycle *C = Waiting[Next];
      Number[C] = Count;
      Out.Header[Count] = Index.lookup(C->getHeader());
      Out.Parent[Count] = C->getParentCycle() ? Number.lookup(C->getParentCycle()) : NONE;
      Out.DivergentExit[Count] = Sync.isLeftInDifferentRounds(C);
      ++Count;
      for (const Cycle *Child : C->children())
        Waiting.push_back(Child);
    }
    for (BasicBlock &BB : F) {
      const Cycle *C = Cycles.getCycle(&BB);
      Out.CycleOf[Index.lookup(&BB)] = C ? Number.lookup(C) : NONE;
    }
    return Count;
  }

  Function &F;
  const OxclUniformity &Out;
  Sources From;
  FunctionAnalysisManager Managers;
};

} // namespace

// Returns the number of cycles; or -1 where LLVM failed, with its message to be freed in `Message`. The context is then a wreck.
extern "C" int32_t oxcl_ir_uniformity(LLVMValueRef Fn, const OxclUniformity *Tables, char **Message) {
  int32_t Count = -1;
  std::string Fatal;
  auto &F = *unwrap<Function>(Fn);
  bool Whole = oxcl::runGuarded(F.getContext(), Fatal, [&] { Count = Analysis(F, *Tables).run(); });
  if (Whole)
    return Count;
  *Message = strdup(Fatal.empty() ? "LLVM crashed" : Fatal.c_str());
  return -1;
}
