// Gathers of bytes and shorts in SVE registers.

#ifndef OXCL_NARROW_GATHERS_H
#define OXCL_NARROW_GATHERS_H

namespace llvm {
class Module;
}

namespace oxcl {

// Keeps what gathers of less than 32 bits give apart from what is computed of it. LLVM 22.1's instruction selection for AArch64 joins
// the extension to floating point with the gather where the vector has four elements and registers have more, and then has no
// instruction for the copy between registers of the two kinds ("Cannot select: AArch64ISD::NVCAST").
void keepNarrowGathersApart(llvm::Module &module);

} // namespace oxcl

#endif
