// Vectors that are cut to fewer bits and compared.

#ifndef OXCL_COMPARED_CUTS_H
#define OXCL_COMPARED_CUTS_H

namespace llvm {
class Module;
}

namespace oxcl {

// Takes from `trunc` of vectors that are compared the claim that nothing is lost (`nsw`, `nuw`). LLVM 22.1's instruction selection
// for x86 compares what was cut in registers of two lengths where it believes the claim and the result of the comparison is as
// narrow, and then has no instruction for the copy between them ("Cannot emit physreg copy instruction").
void dropClaimsOfComparedCuts(llvm::Module &module);

} // namespace oxcl

#endif
