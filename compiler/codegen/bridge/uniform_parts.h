// Conditions that are the same for all lanes, as parts of masks.

#ifndef OXCL_UNIFORM_PARTS_H
#define OXCL_UNIFORM_PARTS_H

namespace llvm {
class Module;
}

namespace oxcl {

// Where a branch asks whether any lane is left in a mask that a loop goes on with, and the mask is another one where a condition holds that is the same for all
// lanes, and none elsewhere: asks for a lane of the other mask and for the condition, one after the other. Behind the branch, where a lane
// is left, the condition holds, and the other mask is used. It comes of loops that end by a count as well as by what their
// work-items find: the count's comparison would be spread over the lanes in each round.
void testUniformPartsAlone(llvm::Module &module);

} // namespace oxcl

#endif
