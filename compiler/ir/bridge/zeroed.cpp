// Memory that is zero at first, for programs of contexts that ask for it (cl_khr_initialize_memory).
//
// In: a module as the front end leaves it: every variable of a function has its place on the stack, which lifetime markers may
// make undefined again. Out: the same, in which each such place holds zeros where its life begins; and each variable in local
// memory has a zero for its initial value, so that nothing is concluded from its having none. Local memory is not written here:
// whoever runs work-groups clears it before each.
//
// Places of opaque types stay as they are: they have no bits.

#include "llvm-c/Core.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

constexpr unsigned localSpace = 3;

bool isOpaque(Type *type) {
  if (type->isTargetExtTy())
    return true;
  if (auto *array = dyn_cast<ArrayType>(type))
    return isOpaque(array->getElementType());
  auto *structure = dyn_cast<StructType>(type);
  return structure && any_of(structure->elements(), isOpaque);
}

void clear(IRBuilder<> &builder, AllocaInst *place) {
  Type *type = place->getAllocatedType();
  if (type->isSingleValueType() && !place->isArrayAllocation()) {
    builder.CreateAlignedStore(Constant::getNullValue(type), place, place->getAlign());
    return;
  }
  uint64_t each = place->getDataLayout().getTypeAllocSize(type);
  Value *count = builder.CreateZExtOrTrunc(place->getArraySize(), builder.getInt64Ty());
  Value *bytes = builder.CreateMul(count, builder.getInt64(each));
  builder.CreateMemSet(place, builder.getInt8(0), bytes, place->getAlign());
}

void clearPlaces(Function &function) {
  SmallVector<AllocaInst *, 16> places;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *place = dyn_cast<AllocaInst>(&instruction))
        if (!isOpaque(place->getAllocatedType()))
          places.push_back(place);
  for (AllocaInst *place : places) {
    SmallVector<Instruction *, 4> beginnings;
    for (User *user : place->users()) {
      auto *marker = dyn_cast<IntrinsicInst>(user);
      if (marker && marker->getIntrinsicID() == Intrinsic::lifetime_start)
        beginnings.push_back(marker);
    }
    if (beginnings.empty())
      beginnings.push_back(place);
    for (Instruction *beginning : beginnings) {
      auto after = std::next(beginning->getIterator());
      // Stack slots of the entry block stay together.
      while (isa<AllocaInst>(*after))
        ++after;
      IRBuilder<> builder(beginning->getParent(), after);
      clear(builder, place);
    }
  }
}

} // namespace

extern "C" void oxcl_ir_clear_memory(LLVMModuleRef raw, bool ofItems, bool ofGroups) {
  Module &module = *unwrap(raw);
  if (ofItems)
    for (Function &function : module)
      clearPlaces(function);
  if (!ofGroups)
    return;
  for (GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == localSpace && variable.hasInitializer())
      variable.setInitializer(Constant::getNullValue(variable.getValueType()));
}
