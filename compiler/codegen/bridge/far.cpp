// See far.h. On entry: a module in the form that code is generated from. On exit: the same with other operands.

#include "far.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

// Whether a constant is an address far from its variable; `promised`: as one that is within the variable's bounds.
bool isFar(Constant &address, const DataLayout &layout, bool promised) {
  if (!isa<ConstantExpr>(address) || !address.getType()->isPointerTy())
    return false;
  constexpr int64_t Far = int64_t(1) << 30;
  APInt offset(layout.getIndexTypeSizeInBits(address.getType()), 0);
  const Value *base = address.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/!promised);
  auto *variable = dyn_cast<GlobalVariable>(base);
  if (!variable || offset.getBitWidth() != 64)
    return false;
  uint64_t size = layout.getTypeAllocSize(variable->getValueType());
  int64_t at = offset.getSExtValue();
  return at < -Far || (at > Far && uint64_t(at - Far) > size);
}

bool isAccess(const Use &use) {
  auto *instruction = cast<Instruction>(use.getUser());
  const Value *pointer = getLoadStorePointerOperand(instruction);
  return pointer == use.get() && (isa<LoadInst>(instruction) || use.getOperandNo() == StoreInst::getPointerOperandIndex());
}

} // namespace

void oxcl::dropFarAddresses(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      for (Use &operand : instruction.operands())
        if (auto *address = dyn_cast<Constant>(operand.get()))
          if (isFar(*address, layout, /*promised=*/!isAccess(operand)))
            operand.set(Constant::getNullValue(address->getType()));
}
