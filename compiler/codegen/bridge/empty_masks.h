// Masks that are chosen by whether they are empty.

#ifndef OXCL_EMPTY_MASKS_H
#define OXCL_EMPTY_MASKS_H

namespace llvm {
class Module;
}

namespace oxcl {

// Replaces "no lane where no lane is in this mask, else this mask" by the mask. Tests whether any lane runs a block become that when
// LLVM turns short blocks into selects. It is shorter; and at 32 lanes of 64 bits LLVM 22.1 does not end on two of them, one
// chosen by the other, with AVX-512 (`combine` of its instruction selection puts them this way and that).
void foldEmptyMasks(llvm::Module &module);

} // namespace oxcl

#endif
