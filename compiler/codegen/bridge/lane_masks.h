// Masks that live from one block to another, where there are no mask registers.

#ifndef OXCL_LANE_MASKS_H
#define OXCL_LANE_MASKS_H

#include "llvm/IR/Module.h"

namespace oxcl {

// Before instruction selection, for targets whose comparisons give lanes of all ones or none in ordinary registers: a mask that a
// PHI node carries, and what is made of such masks, is held in lanes as wide as the numbers that it is about, or as wide as one
// register has room for; a function's only mask of this kind may have two. LLVM 22 would hold a vector of single bits in lanes of
// 16 bits or less: each comparison is packed, and each use unpacks it and shifts its lowest bits to where a blend looks for them.
//
// Masks that only one block knows stay as they are; instruction selection sees these whole.
void holdMasksInLanes(llvm::Module &module, unsigned registerBits);

} // namespace oxcl

#endif
