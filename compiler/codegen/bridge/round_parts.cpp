// Makes rounds of loops one register of lanes after the other.

#include "round_parts.h"

#include "in_order.h"
#include "rare.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned registersOfTarget = 16;
// What the inside of a part's round takes of them.
constexpr unsigned inside = 6;
// Operations of one cycle from a round to the next that may wait for memory instead: a chain of others is longer all the same.
constexpr unsigned mostInMemory = 2;

// Whether a mask is asked for any lane: its bits, compared with none.
bool isAskedForAny(const Instruction &bits) {
  return all_of(bits.users(), [](const User *user) {
    auto *compared = dyn_cast<ICmpInst>(user);
    return compared && compared->isEquality() && match(compared->getOperand(1), m_Zero());
  });
}

// A loop of one round.
class Round {
public:
  Round(Loop &loop, LoopInfo &loops, unsigned registerBits)
      : loop(loop), loops(loops), registerBits(registerBits), header(loop.getHeader()) {}

  // Whether the round is to be made by parts.
  bool isWanted() {
    if (!loop.isInnermost() || !loop.getLoopPreheader() || !hasShape() || !sort())
      return false;
    parts = lanes / lanesOfPart;
    unsigned all = 0, light = 0;
    for (PHINode &phi : header->phis())
      if (isWide(phi)) {
        carried.push_back(&phi);
        all += parts;
        if (isLight(phi)) {
          cells[&phi] = {};
          light += parts;
        }
      }
    if (parts == 1 || all + inside <= registersOfTarget || all - light + inside > registersOfTarget)
      return false;
    for (PHINode *phi : carried)
      if (cells.contains(phi))
        findCount(*phi);
    return true;
  }

  void make() {
    mergeRest();
    makePhis();
    makeCells();
    putInOrder();
    Instruction *end = header->getTerminator();
    for (unsigned part = 0; part < parts; ++part) {
      for (PHINode *phi : carried)
        if (cells.contains(phi))
          load(*phi, part, end);
      for (Instruction *instruction : wide)
        makePart(*instruction, part, end);
    }
    for (Instruction *bits : asked)
      replaceAsked(*bits, end);
    for (Instruction *instruction : late)
      instruction->moveBefore(end->getIterator());
    fillPhis();
    bringOut();
    drop();
  }

private:
  bool isWide(const Value &value) const {
    auto *type = dyn_cast<FixedVectorType>(value.getType());
    return type && type->getNumElements() == lanes && isInside(value);
  }

  bool isInside(const Value &value) const {
    auto *instruction = dyn_cast<Instruction>(&value);
    return instruction && loop.contains(instruction);
  }

  // What a value becomes in the next round.
  Value *nextOf(const PHINode &phi) const { return phi.getIncomingValueForBlock(rest ? rest : header); }

  // Whether a value goes from round to round by so few operations of one cycle each that it can do so in memory: a mask, a count, what was
  // there when a lane left.
  bool isLight(const PHINode &phi) const {
    auto isOutside = [&](const User *user) { return !loop.contains(cast<Instruction>(user)); };
    const Value *value = nextOf(phi);
    if (any_of(phi.users(), isOutside) || count_if(header->phis(), [&](const PHINode &other) { return nextOf(other) == value; }) > 1)
      return false;
    for (unsigned steps = 0; steps < mostInMemory; ++steps) {
      auto *instruction = dyn_cast<Instruction>(value);
      if (!instruction || !isInside(*value) || !(isa<SelectInst>(value) || instruction->isBitwiseLogicOp() || instruction->getOpcode() == Instruction::Add ||
                                                 instruction->getOpcode() == Instruction::Sub))
        return false;
      if (is_contained(instruction->operands(), &phi))
        return true;
      // By the operand that comes from the phi, if there is one only.
      const Value *before = nullptr;
      for (const Value *operand : instruction->operand_values())
        if (auto *made = dyn_cast<Instruction>(operand); made && isInside(*made) && is_contained(made->operands(), &phi)) {
          if (before)
            return false;
          before = made;
        }
      if (!before)
        return false;
      value = before;
    }
    return false;
  }

  // What a lane had of a number that grows by as much in each round when the lane was there last: the number of its rounds tells it as well.
  // Lanes that have left do not come back.
  void findCount(PHINode &phi) {
    Value *mask, *number;
    if (!match(nextOf(phi), m_Select(m_Value(mask), m_Value(number), m_Specific(&phi))))
      return;
    auto *stays = dyn_cast<PHINode>(mask);
    auto *grows = dyn_cast_or_null<PHINode>(getSplatValue(number));
    if (!stays || !cells.contains(stays) || !grows || grows->getParent() != header || !grows->getType()->isIntegerTy(registerBits / lanesOfPart))
      return;
    // In the loop nobody else may ask for the number: the count stands for it only behind the loop.
    auto asksInside = [&](const User *user) { return user != &phi && loop.contains(cast<Instruction>(user)); };
    if (!phi.hasOneUse() || any_of(nextOf(phi)->users(), asksInside))
      return;
    BasicBlock *before = loop.getLoopPreheader();
    auto *all = dyn_cast<Constant>(stays->getIncomingValueForBlock(before));
    bool isCut = match(nextOf(*stays), m_c_And(m_Specific(stays), m_Value())) || match(nextOf(*stays), m_Select(m_Specific(stays), m_Value(), m_Zero()));
    ConstantInt *step;
    if (all && all->isAllOnesValue() && isCut && match(nextOf(*grows), m_Add(m_Specific(grows), m_ConstantInt(step))))
      counts[&phi] = {stays, grows->getIncomingValueForBlock(before), step};
  }

  // One block, or two of which the first has the test.
  bool hasShape() {
    auto *branch = dyn_cast<BranchInst>(header->getTerminator());
    if (!branch || !branch->isConditional() || loop.getExitingBlock() != header || !loop.getExitBlock())
      return false;
    if (loop.getNumBlocks() == 1)
      return true;
    rest = loop.getLoopLatch();
    return loop.getNumBlocks() == 2 && rest && rest->getSinglePredecessor() == header && rest->phis().empty() &&
           all_of(*rest, [&](const Instruction &instruction) { return instruction.isTerminator() || isSafeToSpeculativelyExecute(&instruction); });
  }

  // What each instruction is; false where the round cannot be made by parts.
  bool sort() {
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block)
        if (auto *type = dyn_cast<FixedVectorType>(instruction.getType())) {
          if (lanes && type->getNumElements() != lanes)
            return false;
          lanes = type->getNumElements();
          widest = std::max(widest, type->getScalarSizeInBits());
        }
    if (!lanes || widest < 8 || registerBits % widest)
      return false;
    lanesOfPart = registerBits / widest;
    if (lanes % lanesOfPart)
      return false;
    SmallVector<BasicBlock *, 2> blocks = {header};
    if (rest)
      blocks.push_back(rest);
    SmallPtrSet<const Instruction *, 8> after;
    for (BasicBlock *block : blocks)
      for (Instruction &instruction : *block) {
        if (isa<PHINode>(instruction) || instruction.isTerminator())
          continue;
        if (isWide(instruction)) {
          if (isSpreading(instruction))
            continue;
          if (!isByElement(instruction))
            return false;
          wide.push_back(&instruction);
          continue;
        }
        bool waits = any_of(instruction.operands(), [&](const Use &use) {
          auto *operand = dyn_cast<Instruction>(use.get());
          return operand && after.contains(operand);
        });
        bool takesLanes = any_of(instruction.operands(), [&](const Use &use) { return isWide(*use); });
        if (takesLanes) {
          bool asks = isa<BitCastInst>(instruction) && instruction.getOperand(0)->getType()->isIntOrIntVectorTy(1) && isAskedForAny(instruction);
          if (!asks)
            return false;
          asked.push_back(&instruction);
          after.insert(&instruction);
        } else if (waits) {
          // It comes behind all others.
          if (instruction.mayReadOrWriteMemory())
            return false;
          late.push_back(&instruction);
          after.insert(&instruction);
        }
      }
    // A vector may not wait for what all lanes are asked for.
    return none_of(wide, [&](const Instruction *instruction) {
      return any_of(instruction->operands(), [&](const Use &use) {
        auto *operand = dyn_cast<Instruction>(use.get());
        return operand && (after.contains(operand) || after.contains(dyn_cast_or_null<Instruction>(getSplatValue(operand))));
      });
    });
  }

  // A value that is spread, or a step to that.
  bool isSpreading(const Instruction &instruction) const {
    if (getSplatValue(&instruction))
      return true;
    return isa<InsertElementInst>(instruction) && all_of(instruction.users(), [](const User *user) { return getSplatValue(user) != nullptr; });
  }

  bool isByElement(const Instruction &instruction) const {
    auto hasLanes = [&](const Value *operand) {
      auto *type = dyn_cast<FixedVectorType>(operand->getType());
      return type && type->getNumElements() == lanes;
    };
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      Intrinsic::ID id = call->getIntrinsicID();
      return isTriviallyVectorizable(id) && all_of(call->args(), [&](const Use &use) {
               return hasLanes(use.get()) || isVectorIntrinsicWithScalarOpAtArg(id, call->getArgOperandNo(&use), nullptr);
             });
    }
    if (isa<SelectInst>(instruction))
      return hasLanes(instruction.getOperand(1));
    return (isa<BinaryOperator>(instruction) || isa<UnaryOperator>(instruction) || isa<CmpInst>(instruction) || isa<CastInst>(instruction) ||
            isa<FreezeInst>(instruction)) &&
           all_of(instruction.operands(), [&](const Use &use) { return hasLanes(use.get()); });
  }

  // Makes the round one block, which is left at its end.
  void mergeRest() {
    if (!rest)
      return;
    auto *branch = cast<BranchInst>(header->getTerminator());
    Instruction *back = rest->getTerminator();
    branch->setSuccessor(branch->getSuccessor(0) == rest ? 0 : 1, header);
    if (MDNode *about = back->getMetadata(LLVMContext::MD_loop))
      branch->setMetadata(LLVMContext::MD_loop, about);
    for (PHINode &phi : header->phis())
      phi.replaceIncomingBlockWith(rest, header);
    back->eraseFromParent();
    header->splice(branch->getIterator(), rest);
    loops.removeBlock(rest);
    rest->eraseFromParent();
    rest = nullptr;
  }

  // What goes on to the next round takes the register of what came from the round before, if it is made behind all uses of that: the order of
  // what is made, as far as operands allow it.
  void putInOrder() {
    DenseMap<const Instruction *, const PHINode *> next;
    for (PHINode *phi : carried)
      if (auto *value = dyn_cast<Instruction>(nextOf(*phi)))
        next[value] = phi;
    SmallVector<Instruction *, 16> left(wide.begin(), wide.end()), ordered;
    SmallPtrSet<const User *, 16> waiting(left.begin(), left.end());
    auto waits = [&](const Use &use) { return waiting.contains(dyn_cast<Instruction>(use.get())); };
    auto isReady = [&](const Instruction *instruction) { return none_of(instruction->operands(), waits); };
    auto isLast = [&](const Instruction *instruction) {
      const PHINode *phi = next.lookup(instruction);
      return !phi || none_of(phi->users(), [&](const User *user) { return user != instruction && waiting.contains(user); });
    };
    while (!left.empty()) {
      auto *found = find_if(left, [&](const Instruction *instruction) { return isReady(instruction) && isLast(instruction); });
      if (found == left.end())
        found = find_if(left, isReady);
      ordered.push_back(*found);
      waiting.erase(*found);
      left.erase(found);
    }
    wide = std::move(ordered);
  }

  Type *partType(Type *type) const { return FixedVectorType::get(type->getScalarType(), lanesOfPart); }

  void makePhis() {
    for (PHINode *phi : carried)
      for (unsigned part = 0; part < parts && !cells.contains(phi); ++part)
        made[{phi, part}] = PHINode::Create(partType(phi->getType()), 2, phi->getName(), phi->getIterator());
  }

  // Memory for what is carried there, in which lanes of masks are as wide as the others.
  void makeCells() {
    Function &function = *header->getParent();
    const DataLayout &layout = function.getDataLayout();
    Instruction *before = loop.getLoopPreheader()->getTerminator();
    for (PHINode *phi : carried) {
      auto found = cells.find(phi);
      if (found == cells.end())
        continue;
      Type *type = partType(phi->getType());
      if (isMask(type))
        type = FixedVectorType::get(IntegerType::get(type->getContext(), registerBits / lanesOfPart), lanesOfPart);
      if (auto *next = dyn_cast<Instruction>(nextOf(*phi)))
        storedBy[next] = phi;
      for (unsigned part = 0; part < parts; ++part) {
        auto *cell = new AllocaInst(type, layout.getAllocaAddrSpace(), phi->getName(), function.getEntryBlock().begin());
        cell->setAlignment(Align(registerBits / 8));
        found->second.push_back(cell);
        IRBuilder<> builder(before);
        Value *first = counts.contains(phi) ? Constant::getNullValue(type) : partOf(phi->getIncomingValueForBlock(loop.getLoopPreheader()), part);
        builder.CreateAlignedStore(isMask(first->getType()) ? builder.CreateSExt(first, type) : first, cell, cell->getAlign());
      }
    }
  }

  static bool isMask(const Type *type) { return type->isIntOrIntVectorTy(1); }

  static Value *maskOf(IRBuilder<> &builder, Value *wide) { return builder.CreateICmpSLT(wide, Constant::getNullValue(wide->getType())); }

  // Fetches a part of what is carried in memory, for the round.
  void load(PHINode &phi, unsigned part, Instruction *end) {
    IRBuilder<> builder(end);
    AllocaInst *cell = cells[&phi][part];
    Value *held = builder.CreateAlignedLoad(cell->getAllocatedType(), cell, cell->getAlign());
    loaded[{&phi, part}] = held;
    made[{&phi, part}] = isMask(phi.getType()) ? maskOf(builder, held) : held;
  }

  // Puts a part of what is carried in memory there, for the next round. A mask is asked for what is stored.
  Value *store(PHINode &phi, Instruction &next, Value *own, unsigned part, Instruction *end) {
    IRBuilder<> builder(end);
    AllocaInst *cell = cells[&phi][part];
    Value *held = own;
    if (isMask(phi.getType())) {
      Value *other;
      bool isCut = match(&next, m_Select(m_Specific(&phi), m_Value(other), m_Zero())) || match(&next, m_c_And(m_Specific(&phi), m_Value(other)));
      // What is not in the mask may be poison.
      held = isCut ? builder.CreateAnd(loaded[{&phi, part}], builder.CreateFreeze(builder.CreateSExt(partOf(other, part), cell->getAllocatedType())))
                   : builder.CreateSExt(own, cell->getAllocatedType());
      own = maskOf(builder, held);
    }
    // LLVM would make a masked store of a blend with what is there already, which some processors have no fast way for; of this one it does not.
    builder.CreateAlignedStore(held, cell, cell->getAlign(), /*isVolatile=*/true);
    return own;
  }

  void fillPhis() {
    for (PHINode *phi : carried)
      for (unsigned part = 0; part < parts && !cells.contains(phi); ++part)
        for (unsigned way = 0; way < phi->getNumIncomingValues(); ++way)
          cast<PHINode>(made[{phi, part}])->addIncoming(partOf(phi->getIncomingValue(way), part), phi->getIncomingBlock(way));
  }

  // The lanes of a part of a value, at the end of the round; of what comes from before the loop, made there.
  Value *partOf(Value *value, unsigned part) {
    if (!value->getType()->isVectorTy())
      return value;
    if (auto found = made.find({value, part}); found != made.end())
      return found->second;
    Value *own;
    if (Value *one = isInside(*value) ? getSplatValue(value) : nullptr) {
      // The same for all parts.
      IRBuilder<> builder(header->getTerminator());
      own = builder.CreateVectorSplat(lanesOfPart, one);
      for (unsigned other = 0; other < parts; ++other)
        made[{value, other}] = own;
      return own;
    }
    IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
    SmallVector<int, 16> taken(lanesOfPart);
    std::iota(taken.begin(), taken.end(), int(part * lanesOfPart));
    own = builder.CreateShuffleVector(value, taken);
    made[{value, part}] = own;
    return own;
  }

  void makePart(Instruction &instruction, unsigned part, Instruction *end) {
    PHINode *kept = storedBy.lookup(&instruction);
    if (kept && counts.contains(kept)) {
      // The lanes of a mask are -1.
      Value *own = IRBuilder<>(end).CreateAdd(loaded[{kept, part}], loaded[{counts[kept].mask, part}]);
      made[{&instruction, part}] = store(*kept, instruction, own, part, end);
      return;
    }
    SmallVector<Value *, 3> operands;
    for (Value *operand : instruction.operand_values())
      if (!isa<Function>(operand))
        operands.push_back(partOf(operand, part));
    IRBuilder<> builder(end);
    Type *type = partType(instruction.getType());
    Instruction *own;
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      own = builder.CreateIntrinsic(type, call->getIntrinsicID(), operands);
      own->copyIRFlags(call);
      own->copyMetadata(*call);
    } else {
      own = builder.Insert(instruction.clone());
      own->mutateType(type);
      for (auto [index, operand] : enumerate(operands))
        own->setOperand(index, operand);
    }
    made[{&instruction, part}] = kept ? store(*kept, instruction, own, part, end) : cast<Value>(own);
  }

  // Asks whether any lane of any part is set: of what is in memory there, so that no register holds it until then.
  void replaceAsked(Instruction &bits, Instruction *end) {
    IRBuilder<> builder(end);
    auto *mask = cast<Instruction>(bits.getOperand(0));
    Value *any = fetch(*mask, 0, builder);
    for (unsigned part = 1; part < parts; ++part)
      any = builder.CreateOr(any, fetch(*mask, part, builder));
    if (!isMask(any->getType()))
      any = maskOf(builder, any);
    Value *joined = builder.CreateBitCast(any, builder.getIntNTy(lanesOfPart));
    for (User *user : make_early_inc_range(bits.users())) {
      auto *compared = cast<ICmpInst>(user);
      replaceLate(compared, builder.CreateICmp(compared->getPredicate(), joined, ConstantInt::get(joined->getType(), 0)));
    }
  }

  void replaceLate(Instruction *before, Value *now) {
    erase(late, before);
    before->replaceAllUsesWith(now);
    dead.push_back(before);
  }

  // What is used behind the loop is put together where it is left.
  void bringOut() {
    auto *branch = cast<BranchInst>(header->getTerminator());
    BasicBlock *exit = branch->getSuccessor(loop.contains(branch->getSuccessor(0)) ? 1 : 0);
    BasicBlock *out = nullptr;
    SmallVector<Instruction *, 16> values(wide.begin(), wide.end());
    values.append(carried.begin(), carried.end());
    for (Instruction *value : values) {
      SmallVector<Use *, 4> uses;
      for (Use &use : value->uses())
        if (!loop.contains(cast<Instruction>(use.getUser())))
          uses.push_back(&use);
      if (uses.empty())
        continue;
      if (!out)
        out = SplitEdge(header, exit);
      IRBuilder<> builder(out->getTerminator());
      SmallVector<Value *, 8> own;
      for (unsigned part = 0; part < parts; ++part)
        own.push_back(fetch(*value, part, builder));
      if (isMask(value->getType()) && !isMask(own.front()->getType()))
        for (Value *&part : own)
          part = maskOf(builder, part);
      Value *whole = concatenateVectors(builder, own);
      if (PHINode *phi = storedBy.lookup(value); phi && counts.contains(phi)) {
        // One round less than there were, and the mask counts down.
        const Count &count = counts[phi];
        Value *last = builder.CreateVectorSplat(lanes, builder.CreateSub(count.first, count.step));
        whole = builder.CreateSub(last, builder.CreateMul(whole, builder.CreateVectorSplat(lanes, count.step)));
      }
      for (Use *use : uses)
        use->set(whole);
    }
  }

  // A part of a value at the end of the round: from memory, if it is there, where a mask's lanes are wide.
  Value *fetch(Instruction &value, unsigned part, IRBuilder<> &builder) {
    PHINode *phi = storedBy.lookup(&value);
    if (!phi)
      return partOf(&value, part);
    AllocaInst *cell = cells[phi][part];
    return builder.CreateAlignedLoad(cell->getAllocatedType(), cell, cell->getAlign());
  }

  void drop() {
    SmallVector<Instruction *, 32> all(wide.begin(), wide.end());
    all.append(carried.begin(), carried.end());
    all.append(asked.begin(), asked.end());
    all.append(dead.begin(), dead.end());
    for (Instruction *instruction : all)
      instruction->dropAllReferences();
    for (Instruction *instruction : all)
      instruction->eraseFromParent();
  }

  Loop &loop;
  LoopInfo &loops;
  unsigned registerBits;
  BasicBlock *header;
  // What is behind the test, where the round has two blocks.
  BasicBlock *rest = nullptr;
  // Lanes of a vector, and of one of its parts; the bits of the widest.
  unsigned lanes = 0, lanesOfPart = 0, widest = 0;
  unsigned parts = 0;
  // What is made by parts, in order.
  SmallVector<Instruction *, 16> wide;
  SmallVector<PHINode *, 8> carried;
  // The places of the parts of what is carried in memory, who stores there, and what a round has of it.
  DenseMap<const PHINode *, SmallVector<AllocaInst *, 4>> cells;
  DenseMap<const Instruction *, PHINode *> storedBy;
  // A number that is `first` in the first round and grows by `step`, of the lanes of a mask.
  struct Count {
    PHINode *mask;
    Value *first;
    ConstantInt *step;
  };
  DenseMap<const PHINode *, Count> counts;
  DenseMap<std::pair<const PHINode *, unsigned>, Value *> loaded;
  // The bits of masks that are asked for any lane, and what waits for the outcome.
  SmallVector<Instruction *, 2> asked;
  SmallVector<Instruction *, 4> late;
  SmallVector<Instruction *, 4> dead;
  DenseMap<std::pair<const Value *, unsigned>, Value *> made;
};

bool run(Function &function, unsigned registerBits) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    Round round(*loop, loops, registerBits);
    if (!round.isWanted())
      continue;
    round.make();
    changed = true;
  }
  return changed;
}

} // namespace

void oxcl::makeRoundsByParts(Module &module, unsigned registerBits) {
  for (Function &function : module)
    if (!function.isDeclaration() && !isRare(function) && run(function, registerBits))
      keepInOrder(function);
}
