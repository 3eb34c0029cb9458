// What both ways to hold masks that cross blocks ask of them (lane_masks.h, mask_parts.h).

#ifndef OXCL_MASK_WEBS_H
#define OXCL_MASK_WEBS_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace oxcl {

inline bool isMask(const llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && vector->getElementType()->isIntegerTy(1);
}

inline unsigned lanesOf(const llvm::Type *type) { return llvm::cast<llvm::FixedVectorType>(type)->getNumElements(); }

inline bool isLogic(const llvm::Instruction &instruction) {
  auto opcode = instruction.getOpcode();
  return opcode == llvm::Instruction::And || opcode == llvm::Instruction::Or || opcode == llvm::Instruction::Xor;
}

// Masks that are made of other masks: held in another way, they are made again of these.
inline bool isRemade(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::PHINode>(instruction) || llvm::isa<llvm::FreezeInst>(instruction) || llvm::isa<llvm::SelectInst>(instruction) ||
         isLogic(instruction);
}

// How wide the numbers of a function are that its masks are about.
class NumberWidths {
public:
  void count(const llvm::Instruction &instruction) {
    const llvm::Type *about = nullptr;
    if (llvm::isa<llvm::CmpInst>(instruction))
      about = instruction.getOperand(0)->getType();
    else if (llvm::isa<llvm::SelectInst>(instruction) && isMask(instruction.getOperand(0)->getType()))
      about = instruction.getType();
    auto *vector = llvm::dyn_cast_or_null<llvm::FixedVectorType>(about);
    unsigned bits = vector ? vector->getScalarSizeInBits() : 0;
    if (bits == 8 || bits == 16 || bits == 32 || bits == 64)
      ++widths[vector->getNumElements()][bits];
  }

  // The bits of most numbers that are compared and chosen so many at a time; 0: there are none.
  unsigned mostly(unsigned lanes) const {
    unsigned bits = 0, most = 0;
    if (auto found = widths.find(lanes); found != widths.end())
      for (auto [width, times] : found->second)
        if (times > most || (times == most && width > bits))
          bits = width, most = times;
    return bits;
  }

private:
  llvm::MapVector<unsigned, llvm::MapVector<unsigned, unsigned>> widths;
};

// The masks that PHI nodes carry; all numbers of the function are counted.
inline llvm::SmallVector<llvm::PHINode *> maskPhis(llvm::Function &function, NumberWidths &widths) {
  llvm::SmallVector<llvm::PHINode *> phis;
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block) {
      auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
      if (phi && isMask(phi->getType()))
        phis.push_back(phi);
      widths.count(instruction);
    }
  return phis;
}

// The block in which a use asks for its value.
inline llvm::BasicBlock *blockOf(const llvm::Use &use) {
  auto *user = llvm::cast<llvm::Instruction>(use.getUser());
  auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
  return phi ? phi->getIncomingBlock(use) : user->getParent();
}

// Has a builder go on behind where a value is made: an instruction, or something that is there from the beginning of the function.
inline void goBehind(llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Function &function) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction)
    builder.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
  else if (auto after = instruction->getInsertionPointAfterDef())
    builder.SetInsertPoint(*after);
}

// The same where it must be this block: behind a value that the block makes, else at its beginning.
inline void goInto(llvm::IRBuilder<> &builder, llvm::BasicBlock &block, llvm::Value *value) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction && instruction->getParent() == &block)
    builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
  else
    builder.SetInsertPoint(&*block.getFirstInsertionPt());
}

} // namespace oxcl

#endif
