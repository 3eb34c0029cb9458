// Puts values of a kernel's arguments in that code is made for: formats of images, whether these are small, and bits of samplers.
//
// On entry: a module whose opaque types are lowered (opaque_types.cpp), with private variables that hold parameters made values. On
// exit: where the kernel, and what it passes an image on to, reads the image's format, there is the format; where it asks whether a small
// image is small, that it is; where it reads a known sampler, its bits. Functions that an image is passed on to are copies of the
// kernel's own, one for each value of an image; theirs is a name that no function of the library has, because they are short once their
// branches are gone. Nothing is simplified here.

#include "llvm-c/Core.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <map>
#include <vector>

using namespace llvm;

namespace {

constexpr const char *IS_IMAGE = "oxcl-image";
constexpr const char *IS_SAMPLER = "oxcl-sampler";
// How the names of copies begin.
constexpr const char *KNOWN = "oxcl_known_";

// Where in a description the order of channels is; their type, number and size follow, each of four bytes.
constexpr uint64_t FORMAT = 40, FORMAT_BYTES = 16, WORD = 4;

// The bit of an image's value that says that it is small, and what the library asks for it.
constexpr uint64_t FEW_PIXELS = 1ull << 63;
constexpr const char *HAS_FEW_PIXELS = "oxcl_has_few_pixels";

// An argument, by its number, with what is known of it.
using Known = std::vector<std::pair<unsigned, uint64_t>>;

class KnownArguments {
public:
  // In the kernel, parameters say themselves what they are.
  void kernel(Function &F, const Known &Given) {
    Known Images;
    for (auto [Index, Value] : Given) {
      if (Index >= F.arg_size())
        continue;
      if (F.hasParamAttribute(Index, IS_IMAGE))
        Images.push_back({Index, Value});
      else if (F.hasParamAttribute(Index, IS_SAMPLER) && F.getArg(Index)->getType()->isIntegerTy())
        F.getArg(Index)->replaceAllUsesWith(ConstantInt::get(F.getArg(Index)->getType(), Value));
    }
    if (!Images.empty())
      know(F, Images);
  }

private:
  void know(Function &F, const Known &Images) {
    for (auto [Index, Value] : Images) {
      loads(*F.getArg(Index), 0, Value & ~FEW_PIXELS);
      if (Value & FEW_PIXELS)
        confirm(*F.getArg(Index));
    }
    std::vector<CallBase *> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        Calls.push_back(Call);
    for (CallBase *Call : Calls)
      pass(*Call, F, Images);
  }

  // A call that gets known images calls the copy of its function that knows them.
  void pass(CallBase &Call, Function &F, const Known &Images) {
    Function *Callee = Call.getCalledFunction();
    if (!Callee || Callee->isDeclaration() || Callee->isVarArg())
      return;
    Known Passed;
    for (unsigned At = 0; At < Call.arg_size(); ++At)
      for (auto [Index, Value] : Images)
        if (Call.getArgOperand(At) == F.getArg(Index))
          Passed.push_back({At, Value});
    if (Passed.empty())
      return;
    Function *&Copy = Copies[{Callee, Passed}];
    if (!Copy) {
      ValueToValueMapTy Map;
      Copy = CloneFunction(Callee, Map);
      Copy->setLinkage(GlobalValue::InternalLinkage);
      Copy->setName(KNOWN + Callee->getName());
      know(*Copy, Passed);
    }
    Call.setCalledFunction(Copy);
  }

  // Answers whether an image is small: it is.
  void confirm(Value &Image) {
    for (User *U : make_early_inc_range(Image.users())) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || !Call->getCalledFunction() || Call->getCalledFunction()->getName() != HAS_FEW_PIXELS)
        continue;
      Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), 1));
      Call->eraseFromParent();
    }
  }

  // Answers the loads of a format behind `V`, which is `Offset` bytes into a description.
  void loads(Value &V, uint64_t Offset, uint64_t Format) {
    for (User *U : make_early_inc_range(V.users())) {
      if (auto *Step = dyn_cast<GetElementPtrInst>(U)) {
        const DataLayout &Layout = Step->getModule()->getDataLayout();
        APInt Bytes(Layout.getIndexTypeSizeInBits(Step->getType()), 0);
        if (Step->getPointerOperand() == &V && Step->accumulateConstantOffset(Layout, Bytes) && !Bytes.isNegative())
          loads(*Step, Offset + Bytes.getZExtValue(), Format);
        continue;
      }
      auto *Load = dyn_cast<LoadInst>(U);
      auto *Type = Load ? dyn_cast<IntegerType>(Load->getType()) : nullptr;
      if (!Type || (Type->getBitWidth() != 32 && Type->getBitWidth() != 64))
        continue;
      uint64_t Bytes = Type->getBitWidth() / 8;
      if (Offset < FORMAT || Offset % WORD != 0 || Offset + Bytes > FORMAT + FORMAT_BYTES)
        continue;
      uint64_t Answer = 0;
      for (uint64_t At = 0; At < Bytes; At += WORD)
        Answer |= (Format >> (Offset + At - FORMAT) / WORD * 16 & 0xffff) << At * 8;
      Load->replaceAllUsesWith(ConstantInt::get(Type, Answer));
      Load->eraseFromParent();
    }
  }

  std::map<std::pair<Function *, Known>, Function *> Copies;
};

} // namespace

// `Indices` and `Values` have `Count` elements.
extern "C" void oxcl_ir_know_arguments(LLVMValueRef Kernel, const unsigned *Indices, const uint64_t *Values, unsigned Count) {
  Known Given;
  for (unsigned At = 0; At < Count; ++At)
    Given.push_back({Indices[At], Values[At]});
  KnownArguments().kernel(*unwrap<Function>(Kernel), Given);
}
