// Holds masks that cross blocks in lanes as wide as what they are about.

#include "lane_masks.h"

#include "mask_webs.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <numeric>

using namespace llvm;
using namespace oxcl;

namespace {

// The masks of one function.
class LaneMasks {
public:
  LaneMasks(Function &function, unsigned registerBits) : function(function), registerBits(registerBits) {}

  void run() {
    SmallVector<PHINode *> phis = maskPhis(function, widths);
    registers = phis.size() == 1 ? 2 : 1;
    for (PHINode *phi : phis)
      if (bitsOf(phi->getType()))
        wide[phi] = PHINode::Create(wideType(phi->getType()), phi->getNumIncomingValues(), phi->getName(), phi->getIterator());
    for (PHINode *phi : phis)
      if (Value *made = wide.lookup(phi))
        for (unsigned way = 0; way < phi->getNumIncomingValues(); ++way)
          cast<PHINode>(made)->addIncoming(widened(phi->getIncomingValue(way)), phi->getIncomingBlock(way));
    for (auto [mask, made] : wide)
      if (auto *instruction = dyn_cast<Instruction>(mask); instruction && isRemade(*instruction))
        narrowUses(*instruction, made);
    for (PHINode *phi : phis)
      if (wide.contains(phi))
        phi->dropAllReferences();
    for (auto [mask, made] : reverse(wide))
      if (auto *instruction = dyn_cast<Instruction>(mask); instruction && isRemade(*instruction) && instruction->use_empty())
        instruction->eraseFromParent();
  }

private:
  // The bits of a lane of such a mask; 0: it stays as it is.
  unsigned bitsOf(const Type *type) {
    unsigned bits = widths.mostly(lanesOf(type));
    // One register for each mask, or two for the only one: with more there are none left for numbers.
    unsigned room = registers * registerBits / lanesOf(type);
    return room < 8 ? 0 : std::min(bits, room);
  }

  Type *wideType(Type *type) {
    return VectorType::get(IntegerType::get(type->getContext(), bitsOf(type)), lanesOf(type), /*Scalable=*/false);
  }

  // A mask in wide lanes, made where the mask is made.
  Value *widened(Value *mask) {
    if (Value *known = wide.lookup(mask))
      return known;
    Type *type = wideType(mask->getType());
    if (auto *constant = dyn_cast<Constant>(mask)) {
      Constant *folded = ConstantFoldCastInstruction(Instruction::SExt, constant, type);
      if (folded)
        return folded;
    }
    auto *instruction = dyn_cast<Instruction>(mask);
    IRBuilder<> builder(function.getContext());
    goBehind(builder, mask, function);
    Value *made;
    if (instruction && isLogic(*instruction)) {
      Value *left = widened(instruction->getOperand(0));
      Value *right = widened(instruction->getOperand(1));
      made = builder.CreateBinOp(static_cast<Instruction::BinaryOps>(instruction->getOpcode()), left, right, mask->getName());
    } else if (instruction && isa<FreezeInst>(instruction)) {
      made = builder.CreateFreeze(widened(instruction->getOperand(0)), mask->getName());
    } else if (auto *select = dyn_cast<SelectInst>(mask)) {
      made = chosen(builder, *select);
    } else {
      made = builder.CreateSExt(mask, type, mask->getName());
    }
    return wide[mask] = made;
  }

  // A choice between masks. What is not chosen may be poison, which must not reach the other lanes' way.
  Value *chosen(IRBuilder<> &builder, SelectInst &select) {
    Value *yes = widened(select.getTrueValue()), *no = widened(select.getFalseValue());
    if (!isMask(select.getCondition()->getType()))
      return builder.CreateSelect(select.getCondition(), yes, no, select.getName());
    Value *condition = widened(select.getCondition());
    auto frozen = [&](Value *value) { return isa<Constant>(value) ? value : builder.CreateFreeze(value); };
    if (match(no, PatternMatch::m_Zero()))
      return builder.CreateAnd(condition, frozen(yes), select.getName());
    if (match(yes, PatternMatch::m_AllOnes()))
      return builder.CreateOr(condition, frozen(no), select.getName());
    Value *both = builder.CreateAnd(condition, frozen(yes));
    return builder.CreateOr(both, builder.CreateAnd(builder.CreateNot(condition), frozen(no)), select.getName());
  }

  // What still asks for single bits gets them from wide lanes, in its own block, where instruction selection sees both.
  void narrowUses(Instruction &mask, Value *made) {
    DenseMap<BasicBlock *, Value *> narrow;
    SmallVector<Use *> uses;
    for (Use &use : mask.uses())
      if (!isReplaced(use))
        uses.push_back(&use);
    for (Use *use : uses) {
      if (testJoined(*use, made))
        continue;
      BasicBlock *block = blockOf(*use);
      Value *&bits = narrow[block];
      if (!bits) {
        IRBuilder<> builder(function.getContext());
        goInto(builder, *block, made);
        bits = builder.CreateICmpSLT(made, Constant::getNullValue(made->getType()), mask.getName());
      }
      use->set(bits);
    }
  }

  // Whether any lane of a mask of two registers is set is asked of the two joined: LLVM would pack them.
  bool testJoined(Use &use, Value *made) {
    auto *packed = dyn_cast<BitCastInst>(use.getUser());
    unsigned lanes = lanesOf(made->getType());
    auto isTest = [](const User *user) {
      using namespace PatternMatch;
      auto *compare = dyn_cast<ICmpInst>(user);
      return compare && compare->isEquality() && match(compare->getOperand(1), m_Zero());
    };
    if (!packed || !packed->getType()->isIntegerTy() || !all_of(packed->users(), isTest) ||
        made->getType()->getPrimitiveSizeInBits() <= registerBits || lanes % 2)
      return false;
    IRBuilder<> builder(packed);
    SmallVector<int, 32> half(lanes / 2);
    std::iota(half.begin(), half.end(), 0);
    Value *low = builder.CreateShuffleVector(made, half);
    std::iota(half.begin(), half.end(), int(half.size()));
    Value *joined = builder.CreateOr(low, builder.CreateShuffleVector(made, half));
    Value *bits = builder.CreateICmpSLT(joined, Constant::getNullValue(joined->getType()));
    Value *some = builder.CreateBitCast(bits, builder.getIntNTy(lanesOf(joined->getType())), packed->getName());
    for (User *user : make_early_inc_range(packed->users())) {
      auto *test = cast<ICmpInst>(user);
      IRBuilder<> there(test);
      test->replaceAllUsesWith(there.CreateICmp(test->getPredicate(), some, Constant::getNullValue(some->getType())));
      test->eraseFromParent();
    }
    packed->eraseFromParent();
    return true;
  }

  // Whether the user is remade itself, and asks for nothing any more.
  bool isReplaced(const Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    return isRemade(*user) && wide.contains(user);
  }

  Function &function;
  unsigned registerBits;
  // How many of them a mask may have.
  unsigned registers = 1;
  MapVector<Value *, Value *> wide;
  NumberWidths widths;
};

} // namespace

void oxcl::holdMasksInLanes(Module &module, unsigned registerBits) {
  for (Function &function : module)
    if (!function.isDeclaration())
      LaneMasks(function, registerBits).run();
}
