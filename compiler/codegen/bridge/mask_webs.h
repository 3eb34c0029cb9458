// What both ways to hold masks that cross blocks ask of them (lane_masks.h, mask_parts.h).

#ifndef OXCL_MASK_WEBS_H
#define OXCL_MASK_WEBS_H

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DerivedTypes.h"
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

} // namespace oxcl

#endif
