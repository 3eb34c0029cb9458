// Widening of loops by calls of functions that have vector forms: declarations name theirs in an attribute, and LLVM's loop
// vectoriser takes a form that the module declares.

#include "widen.h"

#include "divisions.h"
#include "rare.h"
#include "wraps.h"

#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;

oxcl::WideForms::WideForms(Module &module) : module(module) {
  SmallVector<Function *, 16> declarations;
  for (Function &function : module)
    if (function.isDeclaration() && function.hasFnAttribute(VFABI::MappingsAttrName))
      declarations.push_back(&function);
  for (Function *function : declarations) {
    SmallVector<StringRef, 8> forms;
    function->getFnAttribute(VFABI::MappingsAttrName).getValueAsString().split(forms, ',');
    for (StringRef form : forms) {
      std::optional<VFInfo> info = VFABI::tryDemangleForVFABI(form, function->getFunctionType());
      if (!info || module.getFunction(info->VectorName))
        continue;
      Function *wide = Function::Create(VFABI::createFunctionType(*info, function->getFunctionType()),
                                        Function::ExternalLinkage, info->VectorName, module);
      // What is said of scalars (a range, no sign) does not hold for the vectors' types.
      AttributeMask wrong;
      wrong.addAttribute(VFABI::MappingsAttrName);
      wide->setAttributes(AttributeList().addFnAttributes(
          module.getContext(), AttrBuilder(module.getContext(), function->getAttributes().getFnAttrs()).remove(wrong)));
      wide->setVisibility(function->getVisibility());
      added.push_back(wide);
    }
  }
  SmallVector<GlobalValue *, 16> kept(added.begin(), added.end());
  appendToCompilerUsed(module, kept);
}

oxcl::WideForms::~WideForms() {
  if (added.empty())
    return;
  removeFromUsedLists(module, [&](Constant *used) { return is_contained(added, used); });
  for (Function *wide : added)
    if (wide->use_empty())
      wide->eraseFromParent();
}

static bool callsWidenable(Function &function) {
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (call->getFnAttr(VFABI::MappingsAttrName).isValid())
        return true;
  return false;
}

void oxcl::addBeforeVectoriser(FunctionPassManager &passes) {
  passes.addPass(HoistDivisions());
  passes.addPass(HideNarrowWraps());
}

void oxcl::widenLoops(Module &module, FunctionAnalysisManager &functions) {
  constexpr StringRef width = "prefer-vector-width";
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(LoopFullUnrollPass());
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  oxcl::addBeforeVectoriser(passes);
  passes.addPass(LoopVectorizePass(LoopVectorizeOptions(/*InterleaveOnlyWhenForced=*/true, /*VectorizeOnlyWhenForced=*/false)));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  // Code generation takes so much less time as this takes: there is less code.
  passes.addPass(SLPVectorizerPass());
  for (Function &function : module)
    if (!function.isDeclaration() && !isRare(function)) {
      // Wider loops come in two sizes, which is twice the code.
      if (function.getFnAttribute(width).getValueAsString() == "512")
        function.addFnAttr(width, "256");
      passes.run(function, functions);
    }
}

void oxcl::widenCalls(Module &module, FunctionAnalysisManager &functions) {
  FunctionPassManager passes;
  oxcl::addBeforeVectoriser(passes);
  passes.addPass(LoopVectorizePass(LoopVectorizeOptions(/*InterleaveOnlyWhenForced=*/true, /*VectorizeOnlyWhenForced=*/false)));
  passes.addPass(EarlyCSEPass());
  for (Function &function : module)
    if (!function.isDeclaration() && !isRare(function) && callsWidenable(function))
      passes.run(function, functions);
}
