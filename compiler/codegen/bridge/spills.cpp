// See spills.h. On entry: a module in the form that code is generated from. On exit: the same with stack alignments.

#include "spills.h"

#include "rare.h"

#include "llvm/IR/Attributes.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// No register is longer.
constexpr uint64_t Longest = 64;
// What the calling convention aligns the stack to by itself.
constexpr uint64_t Given = 16;

// The bytes of the longest vector that a function's calls take or give, as far as a register holds it.
uint64_t longestVector(Function &function, const DataLayout &layout) {
  uint64_t longest = 0;
  auto note = [&](Type *type) {
    if (isa<FixedVectorType>(type))
      longest = std::max(longest, std::min(Longest, layout.getTypeStoreSize(type).getFixedValue()));
  };
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm())
      continue;
    note(call->getType());
    for (Value *argument : call->args())
      note(argument->getType());
  }
  return PowerOf2Ceil(longest);
}

} // namespace

void oxcl::alignStacks(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration() || isRare(function))
      continue;
    uint64_t longest = longestVector(function, module.getDataLayout());
    if (longest > Given)
      function.addFnAttr(Attribute::getWithStackAlignment(module.getContext(), Align(longest)));
  }
}
