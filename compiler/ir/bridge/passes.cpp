// Pipelines in the notation of `opt -passes=` over a module, without a target. LLVM's C interface has this as well, with
// instrumentation that takes longer than the passes take for a small kernel.

#include "llvm-c/Core.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include <cstring>

using namespace llvm;

// Returns null or a message to be freed.
extern "C" char *oxcl_ir_run_passes(LLVMModuleRef M, const char *Pipeline) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassBuilder Builder;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  ModulePassManager Passes;
  if (Error Failure = Builder.parsePassPipeline(Passes, Pipeline))
    return strdup(toString(std::move(Failure)).c_str());
  Passes.run(*unwrap(M), Modules);
  return nullptr;
}
