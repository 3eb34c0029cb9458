// Holds masks that cross blocks in parts, one for each register of what they are about.

#include "mask_parts.h"

#include "mask_webs.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace oxcl;
using namespace llvm::PatternMatch;

namespace {

// A part has one mask register, and instructions that test it whole from so many lanes on.
constexpr unsigned fewestLanes = 8;
constexpr unsigned mostParts = 4;

using Parts = SmallVector<Value *, mostParts>;

// The masks of one function.
class MaskParts {
public:
  MaskParts(Function &function, unsigned registerBits) : function(function), registerBits(registerBits) {}

  void run() {
    SmallVector<PHINode *> phis = maskPhis(function, widths);
    erase_if(phis, [&](PHINode *phi) { return numberOf(phi->getType()) == 1; });
    for (PHINode *phi : phis) {
      Parts &made = parts[phi];
      for (unsigned part = 0; part < numberOf(phi->getType()); ++part)
        made.push_back(PHINode::Create(partType(phi->getType()), phi->getNumIncomingValues(), phi->getName(), phi->getIterator()));
    }
    for (PHINode *phi : phis)
      for (unsigned way = 0; way < phi->getNumIncomingValues(); ++way) {
        Parts incoming = partsOf(phi->getIncomingValue(way));
        for (auto [made, part] : zip(parts[phi], incoming))
          cast<PHINode>(made)->addIncoming(part, phi->getIncomingBlock(way));
      }
    // What is asked of a mask as a whole is made last: it needs all parts.
    SmallVector<Instruction *> remade;
    for (auto &[mask, made] : parts)
      if (auto *instruction = dyn_cast<Instruction>(mask); instruction && isRemade(*instruction))
        remade.push_back(instruction);
    for (Instruction *mask : remade)
      joinUses(*mask);
    for (PHINode *phi : phis)
      phi->dropAllReferences();
    for (Instruction *mask : reverse(remade))
      if (mask->use_empty())
        mask->eraseFromParent();
  }

private:
  // The parts of such a mask; 1: it stays as it is.
  unsigned numberOf(const Type *type) {
    unsigned lanes = lanesOf(type);
    unsigned number = widths.mostly(lanes) * lanes / registerBits;
    return number > 1 && number <= mostParts && isPowerOf2_32(number) && lanes / number >= fewestLanes ? number : 1;
  }

  Type *partType(Type *type) {
    return VectorType::get(Type::getInt1Ty(type->getContext()), lanesOf(type) / numberOf(type), /*Scalable=*/false);
  }

  // The parts of a mask, made where the mask is made.
  Parts partsOf(Value *mask) {
    if (auto known = parts.find(mask); known != parts.end())
      return known->second;
    auto *instruction = dyn_cast<Instruction>(mask);
    IRBuilder<> builder(function.getContext());
    goBehind(builder, mask, function);
    Parts made;
    unsigned number = numberOf(mask->getType());
    if (instruction && isRemade(*instruction) && !isa<PHINode>(instruction)) {
      SmallVector<Parts, 3> operands;
      for (Value *operand : instruction->operands())
        operands.push_back(isMask(operand->getType()) ? partsOf(operand) : Parts(number, operand));
      for (unsigned part = 0; part < number; ++part) {
        Instruction *same = instruction->clone();
        for (unsigned index = 0; index < operands.size(); ++index)
          same->setOperand(index, operands[index][part]);
        // A clone has the type of the whole.
        same->mutateType(partType(mask->getType()));
        made.push_back(builder.Insert(same, mask->getName()));
      }
    } else {
      unsigned lanes = lanesOf(mask->getType()) / number;
      for (unsigned part = 0; part < number; ++part) {
        SmallVector<int, 32> places(lanes);
        for (unsigned lane = 0; lane < lanes; ++lane)
          places[lane] = int(part * lanes + lane);
        made.push_back(builder.CreateShuffleVector(mask, places, mask->getName()));
      }
    }
    // The map may have grown meanwhile.
    return parts[mask] = made;
  }

  // Whether any lane is left, asked of a mask as an integer.
  static bool isAny(const Instruction &user) {
    return isa<BitCastInst>(user) && all_of(user.users(), [](const User *user) {
             CmpPredicate predicate;
             return match(user, m_ICmp(predicate, m_Value(), m_Zero())) && ICmpInst::isEquality(predicate);
           });
  }

  // What still asks for the whole mask gets it put together, in its own block, where instruction selection sees the parts.
  void joinUses(Instruction &mask) {
    DenseMap<BasicBlock *, Value *> joined;
    SmallVector<Use *> uses;
    for (Use &use : mask.uses())
      if (!isReplaced(use))
        uses.push_back(&use);
    for (Use *use : uses) {
      auto *user = cast<Instruction>(use->getUser());
      if (isAny(*user)) {
        IRBuilder<> builder(user);
        Value *some = parts[&mask][0];
        for (Value *part : drop_begin(parts[&mask]))
          some = builder.CreateOr(some, part);
        Value *bits = builder.CreateBitCast(some, builder.getIntNTy(lanesOf(some->getType())));
        for (User *asks : make_early_inc_range(user->users())) {
          asks->setOperand(1, Constant::getNullValue(bits->getType()));
          asks->setOperand(0, bits);
        }
        user->eraseFromParent();
        continue;
      }
      BasicBlock *block = blockOf(*use);
      Value *&whole = joined[block];
      if (!whole)
        whole = join(mask, *block);
      use->set(whole);
    }
  }

  Value *join(Instruction &mask, BasicBlock &block) {
    IRBuilder<> builder(function.getContext());
    goInto(builder, block, parts[&mask].back());
    Parts level = parts[&mask];
    while (level.size() > 1) {
      Parts next;
      for (unsigned index = 0; index < level.size(); index += 2) {
        SmallVector<int, 64> places(2 * lanesOf(level[index]->getType()));
        for (unsigned lane = 0; lane < places.size(); ++lane)
          places[lane] = int(lane);
        next.push_back(builder.CreateShuffleVector(level[index], level[index + 1], places, mask.getName()));
      }
      level = next;
    }
    return level[0];
  }

  // Whether the user is remade itself, and asks for nothing any more.
  bool isReplaced(const Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    return isRemade(*user) && parts.contains(user);
  }

  Function &function;
  unsigned registerBits;
  MapVector<Value *, Parts> parts;
  NumberWidths widths;
};

} // namespace

void oxcl::holdMasksByRegister(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    unsigned registerBits = 512;
    if (function.getFnAttribute("prefer-vector-width").getValueAsString().getAsInteger(10, registerBits))
      registerBits = 512;
    if (registerBits == 256 || registerBits == 512)
      MaskParts(function, registerBits).run();
  }
}
