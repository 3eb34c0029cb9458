// See far_splats.h. On entry: IR that is optimised. On exit: the same with loads and shuffles beside their uses.

#include "far_splats.h"

#include "rare.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// OpenCL's address spaces, in the IR that work-group functions are made of: memory that nothing writes, and memory that only the work-group
// writes, which one thread executes.
constexpr unsigned constantSpace = 2;
constexpr unsigned localSpace = 3;
// Uses that are no further apart than this share a load.
constexpr unsigned near = 8;
// Blocks between a load and a loop that are looked through, at most.
constexpr unsigned mostBlocks = 16;
// Questions whether a write may change what a load reads, at most, for one loop.
constexpr unsigned mostQuestions = 100000;

// A number that is loaded before a loop and spread over the lanes of a vector.
struct Splat {
  Instruction *vector = nullptr;
  LoadInst *load = nullptr;
  SmallVector<Use *, 4> uses; // in the loop, in the order of its blocks
  bool passesPhi = false;     // one use is no place to put a load before
};

// The load whose number all lanes of the value are, if nobody else can write there while the work-group runs.
LoadInst *loadSpread(const Instruction &vector) {
  ArrayRef<int> lanes;
  Value *from;
  if (!isa<FixedVectorType>(vector.getType()) || !match(&vector, m_Shuffle(m_Value(from), m_Poison(), m_Mask(lanes))) ||
      any_of(lanes, [](int lane) { return lane != 0; }))
    return nullptr;
  Value *inserted;
  if (match(from, m_InsertElt(m_Poison(), m_Value(inserted), m_ZeroInt())))
    from = inserted;
  auto *load = dyn_cast<LoadInst>(from);
  if (!load || !load->isSimple())
    return nullptr;
  unsigned space = load->getPointerAddressSpace();
  if (space != localSpace && space != constantSpace)
    return nullptr;
  Type *type = load->getType();
  auto *one = dyn_cast<FixedVectorType>(type);
  return !one || one->getNumElements() == 1 ? load : nullptr;
}

// How many registers hold a value of a type.
class Registers {
public:
  Registers(const TargetTransformInfo &target, const DataLayout &layout)
      : layout(layout), bits(target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue()) {
    // A machine without vectors has nothing to spread.
    if (bits)
      available = target.getNumberOfRegisters(target.getRegisterClassForType(/*Vector=*/true));
  }

  unsigned available = 0;

  unsigned of(const Value &value) const {
    auto *type = dyn_cast<FixedVectorType>(value.getType());
    // Masks have registers of their own, and pointers in lanes are seldom kept.
    if (!type || type->getElementType()->isIntegerTy(1))
      return 0;
    return unsigned(divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), bits));
  }

private:
  const DataLayout &layout;
  unsigned bits;
};

// Registers that what is made in a block takes at most at a time.
unsigned pressure(const BasicBlock &block, const Registers &registers) {
  SmallPtrSet<const Value *, 32> live;
  unsigned now = 0;
  auto begin = [&](const Value &value) {
    if (live.insert(&value).second)
      now += registers.of(value);
  };
  for (const Instruction &instruction : block)
    if (any_of(instruction.users(), [&](const User *user) {
          return isa<PHINode>(user) || cast<Instruction>(user)->getParent() != &block;
        }))
      begin(instruction);
  unsigned most = now;
  for (const Instruction &instruction : reverse(block)) {
    if (live.erase(&instruction))
      now -= registers.of(instruction);
    if (isa<PHINode>(instruction))
      continue;
    for (const Value *operand : instruction.operands())
      if (auto *made = dyn_cast<Instruction>(operand); made && made->getParent() == &block)
        begin(*made);
    most = std::max(most, now);
  }
  return most;
}

// The blocks on the ways from a load to a loop, without the loop's own; false if there are many.
bool blocksBetween(const BasicBlock &from, const Loop &loop, SmallPtrSetImpl<const BasicBlock *> &between) {
  SmallVector<const BasicBlock *, 16> left;
  auto look = [&](const BasicBlock *block) {
    for (const BasicBlock *before : predecessors(block))
      if (before != &from && !loop.contains(before) && between.insert(before).second)
        left.push_back(before);
  };
  look(loop.getHeader());
  while (!left.empty()) {
    if (between.size() > mostBlocks)
      return false;
    look(left.pop_back_val());
  }
  return true;
}

// Whether what a load reads stays the same until the loop has ended.
bool isKept(const LoadInst &load, const Loop &loop, BatchAAResults &aliases, unsigned &questions) {
  if (load.getPointerAddressSpace() == constantSpace)
    return true;
  SmallPtrSet<const BasicBlock *, 16> between;
  if (!blocksBetween(*load.getParent(), loop, between))
    return false;
  MemoryLocation place = MemoryLocation::get(&load);
  auto keeps = [&](const Instruction &instruction) {
    return !instruction.mayWriteToMemory() ||
           (++questions <= mostQuestions && !isModSet(aliases.getModRefInfo(&instruction, place)));
  };
  auto keepsAll = [&](const BasicBlock *block) { return all_of(*block, keeps); };
  return all_of(make_range(load.getIterator(), load.getParent()->end()), keeps) && all_of(between, keepsAll) &&
         all_of(loop.blocks(), keepsAll);
}

// Loads the number again before each use, or where the use before is near, takes that one's.
void reload(const Splat &splat) {
  Instruction *last = nullptr;
  for (Use *use : splat.uses) {
    auto *user = cast<Instruction>(use->getUser());
    bool isNear = false;
    if (last && last->getParent() == user->getParent()) {
      unsigned steps = 0;
      for (auto at = last->getIterator(), end = last->getParent()->end(); at != end && steps < near && !isNear; ++at, ++steps)
        isNear = &*at == user;
    }
    if (!isNear) {
      IRBuilder<> builder(user);
      LoadInst &load = *splat.load;
      auto *type = cast<FixedVectorType>(splat.vector->getType());
      LoadInst *again = builder.CreateAlignedLoad(type->getElementType(), load.getPointerOperand(), load.getAlign());
      again->setAAMetadata(load.getAAMetadata());
      last = cast<Instruction>(builder.CreateVectorSplat(type->getElementCount(), again));
    }
    use->set(last);
  }
}

bool reloadIn(Loop &loop, const Registers &registers, AAResults &aliases) {
  SmallVector<Splat, 32> splats;
  constexpr unsigned none = ~0u;
  DenseMap<const Value *, unsigned> numbers; // of splats; none: another value from before the loop
  unsigned needed = 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      for (Use &use : instruction.operands()) {
        auto *made = dyn_cast<Instruction>(use.get());
        if (!made || loop.contains(made))
          continue;
        auto [found, isNew] = numbers.try_emplace(made, none);
        if (isNew) {
          needed += registers.of(*made);
          if (LoadInst *load = loadSpread(*made)) {
            found->second = splats.size();
            splats.push_back({made, load, {}, false});
          }
        }
        if (found->second == none)
          continue;
        Splat &splat = splats[found->second];
        splat.uses.push_back(&use);
        splat.passesPhi |= isa<PHINode>(instruction);
      }
  if (splats.empty())
    return false;
  unsigned inside = 0;
  for (BasicBlock *block : loop.blocks())
    inside = std::max(inside, pressure(*block, registers));
  needed += inside;
  if (needed <= registers.available)
    return false;
  unsigned over = needed - registers.available;
  // Those that are used least cost least.
  stable_sort(splats, [](const Splat &one, const Splat &other) { return one.uses.size() < other.uses.size(); });
  BatchAAResults batch(aliases);
  unsigned questions = 0;
  SmallVector<WeakTrackingVH, 32> unused;
  for (const Splat &splat : splats) {
    if (!over)
      break;
    if (splat.passesPhi || !isKept(*splat.load, loop, batch, questions))
      continue;
    over -= std::min(over, registers.of(*splat.vector));
    reload(splat);
    unused.push_back(splat.vector);
  }
  bool changed = !unused.empty();
  for (WeakTrackingVH &vector : unused)
    if (vector)
      RecursivelyDeleteTriviallyDeadInstructions(vector);
  return changed;
}

} // namespace

PreservedAnalyses oxcl::ReloadFarSplats::run(Function &function, FunctionAnalysisManager &functions) {
  Registers registers(functions.getResult<TargetIRAnalysis>(function), function.getDataLayout());
  if (!registers.available || isRare(function))
    return PreservedAnalyses::all();
  bool changed = false;
  for (Loop *loop : functions.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost())
      changed |= reloadIn(*loop, registers, functions.getResult<AAManager>(function));
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}
