// LLVM's list of the targets that it makes code for.
#ifndef OXCL_IR_TARGETS_H
#define OXCL_IR_TARGETS_H

namespace oxcl {

// Enters every target that this process may use into LLVM's list, once. LLVM's list has no lock: a target that is entered while
// another thread enters one is lost, and one that is looked up meanwhile may be half made. lld, libclang and LLVM's back end for
// SPIR-V enter targets of their own accord, each time they run; after this function they change nothing. So it comes before all
// of them, and before the first lookup.
void enterTargets();

} // namespace oxcl

#endif
