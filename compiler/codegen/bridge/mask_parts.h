// Masks of more lanes than a register has, where there are mask registers.

#ifndef OXCL_MASK_PARTS_H
#define OXCL_MASK_PARTS_H

namespace llvm {
class Module;
}

namespace oxcl {

// Before instruction selection, for targets with AVX-512: a mask that a PHI node carries, and what is made of such masks, is held in
// as many parts as the numbers that it is about have registers. LLVM 22 would hold it in one mask register: the comparisons of each part
// are put together and taken apart again in every round of a loop, each time by the one port that does so, and none of them can
// be masked by what it is joined with.
//
// Masks that only one block knows stay as they are; instruction selection sees these whole.
void holdMasksByRegister(llvm::Module &module);

} // namespace oxcl

#endif
