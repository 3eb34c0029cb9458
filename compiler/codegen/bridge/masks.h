// Masks of lanes that are stretched by zeros.
#ifndef OXCL_CODEGEN_MASKS_H
#define OXCL_CODEGEN_MASKS_H

#include "llvm/IR/LegacyPassManager.h"

namespace oxcl {

// Hands passes on to another pass manager, and lets one of our own come before the first that works on code out of SSA form:
// it makes every stretched mask by an instruction that is no move.
//
// LLVM 22.1 stretches a mask (of 8 lanes for a store of 16 bytes, say) by KMOVB, which clears the bits above, and calls KMOVB a move as
// well, which only has to bring the bits that its type has. A spill of the stretched mask may then store the one that it
// was made of, with whatever lies above it, and a masked store writes bytes behind its lanes.
class KeepsStretchedMasks : public llvm::legacy::PassManagerBase {
public:
  explicit KeepsStretchedMasks(llvm::legacy::PassManagerBase &passes) : passes(passes) {}
  void add(llvm::Pass *pass) override;

private:
  llvm::legacy::PassManagerBase &passes;
};

} // namespace oxcl

#endif
