// Pipelines in the notation of `opt -passes=` over a module, without a target. LLVM's C interface has this as well, always with
// instrumentation that takes longer than the passes take for a small kernel; here only where the verifier needs it.

#include "copies.h"
#include "floors.h"
#include "guarded.h"
#include "held.h"
#include "rare.h"
#include "spaces.h"
#include "walks.h"

#include "llvm-c/Core.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/Error.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include <cstring>
#include <optional>

using namespace llvm;

AnalysisKey oxcl::SpacesAA::Key;

namespace {

// Returns why the pipeline was not run.
Error run(Module &M, const char *Pipeline, bool Verify) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassInstrumentationCallbacks Callbacks;
  std::optional<StandardInstrumentations> Standard;
  if (Verify) {
    Standard.emplace(M.getContext(), /*DebugLogging=*/false, /*VerifyEach=*/true);
    Standard->registerCallbacks(Callbacks, &Modules);
  }
  // What is not reached need not be emitted.
  oxcl::leaveRareFunctionsAlone(Callbacks, "SimplifyCFGPass");
  PassBuilder Builder(nullptr, PipelineTuningOptions(), std::nullopt, &Callbacks);
  // Memory of different address spaces is different memory.
  Functions.registerPass([] { return oxcl::SpacesAA(); });
  Functions.registerPass([&Builder] {
    AAManager Manager = Builder.buildDefaultAAPipeline();
    Manager.registerFunctionAnalysis<oxcl::SpacesAA>();
    return Manager;
  });
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  // Unrolls the loops that the source says must be, and no others; marks more of them; takes accesses out of loops.
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, LoopPassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "hoist-held") {
          Passes.addPass(oxcl::HoistHeld());
          return true;
        }
        if (Name == "mark-walks") {
          Passes.addPass(oxcl::MarkWalks());
          return true;
        }
        if (Name != "unroll-hinted")
          return false;
        Passes.addPass(LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/true));
        return true;
      });
  Builder.registerPipelineParsingCallback([](StringRef Name, FunctionPassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
    if (Name == "copies-by-element")
      Passes.addPass(oxcl::CopiesByElement());
    else if (Name == "fold-floors")
      Passes.addPass(oxcl::FoldFloors());
    else
      return false;
    return true;
  });
  ModulePassManager Passes;
  if (Error Failure = Builder.parsePassPipeline(Passes, Pipeline))
    return Failure;
  Passes.run(M, Modules);
  return Error::success();
}

} // namespace

// With `Verify` the verifier runs after every pass. Where it does not end well, `Message` is to be freed.
extern "C" oxcl::Ended oxcl_ir_run_passes(LLVMModuleRef M, const char *Pipeline, bool Verify, char **Message) {
  std::string Words;
  oxcl::Ended Ended = oxcl::guarded(unwrap(M)->getContext(), Words, [&](std::string &Errors) {
    if (Error Failure = run(*unwrap(M), Pipeline, Verify))
      Errors = toString(std::move(Failure));
  });
  if (Ended != oxcl::Ended::Well)
    *Message = strdup(Words.c_str());
  return Ended;
}
