// LLVM's middle and back end for one module: retarget, optimise, emit. Each step is guarded against LLVM's own
// failures, and LLVM's diagnostics go to the caller instead of to the terminal.

#include "machine.h"

#include <memory>
#include <mutex>
#include <string>

#include "compared_cuts.h"
#include "empty_masks.h"
#include "far.h"
#include "far_splats.h"
#include "first_lanes.h"
#include "gather_rows.h"
#include "strides.h"
#include "guarded.h"
#include "in_order.h"
#include "lane_masks.h"
#include "long_rounds.h"
#include "mask_parts.h"
#include "masks.h"
#include "narrow_gathers.h"
#include "operations.h"
#include "rare.h"
#include "round_parts.h"
#include "spills.h"
#include "tap.h"
#include "targets.h"
#include "tree_rounds.h"
#include "uniform_parts.h"
#include "whole.h"
#include "widen.h"
#include "word_gathers.h"

#include "llvm-c/Core.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"

struct OxclMachine {
  bool isQuick;
  std::unique_ptr<llvm::TargetMachine> machine;
  bool isWreck = false; // LLVM failed while it was at work with it
};

namespace {

llvm::StringRef view(OxclText text) { return {text.data, text.size}; }
OxclText view(llvm::StringRef text) { return {text.data(), text.size()}; }

// Runs `work`, in which the machine works on the module, guarded; tells what went wrong.
OxclOutcome guarded(OxclMachine &machine, llvm::Module &module, OxclTextSink message, void *user,
                    llvm::function_ref<void(std::string &)> work) {
  std::string words;
  oxcl::Ended ended = oxcl::guarded(module.getContext(), words, work);
  if (ended != oxcl::Ended::Well)
    message(user, view(words));
  machine.isWreck |= ended == oxcl::Ended::Crashed;
  return ended == oxcl::Ended::Well ? OXCL_DONE : ended == oxcl::Ended::Refused ? OXCL_REFUSED : OXCL_CRASHED;
}

llvm::OptimizationLevel optimisationLevel(uint32_t level) {
  switch (level) {
  case 0: return llvm::OptimizationLevel::O0;
  case 1: return llvm::OptimizationLevel::O1;
  case 2: return llvm::OptimizationLevel::O2;
  default: return llvm::OptimizationLevel::O3;
  }
}

llvm::CodeGenOptLevel codegenLevel(uint32_t level) {
  switch (level) {
  case 0: return llvm::CodeGenOptLevel::None;
  case 1:
  case OXCL_QUICK: return llvm::CodeGenOptLevel::Less;
  case 2: return llvm::CodeGenOptLevel::Default;
  default: return llvm::CodeGenOptLevel::Aggressive;
  }
}

// Whether a call could be replaced by the body of what it calls.
bool hasCallsToInline(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute(llvm::Attribute::NoInline) && !function.use_empty())
      return true;
  return false;
}

// How many instructions of a block LLVM's vectoriser of straight code looks over in all while it tries what could be scheduled
// together. LLVM has 100,000. The tests for overlapping memory before a vectorised loop are one large sum of conditions, of which it
// tries every part: that took 130 ms of 190 for a kernel that stores to 16 rows, and changed 18 instructions outside of all loops. With this
// limit it takes 40; work-group functions of other kernels stay far below it.
constexpr int straightCodeBudget = 5000;

void limitStraightCodeVectoriser() {
  static std::once_flag once;
  std::call_once(once, [] {
    auto &options = llvm::cl::getRegisteredOptions();
    // As its first value: the linker has all options take that again.
    if (auto found = options.find("slp-schedule-budget"); found != options.end())
      static_cast<llvm::cl::opt<int> *>(found->second)->setInitialValue(straightCodeBudget);
  });
}

// LLVM's pipeline of the level. Where there is nothing to inline, its walk over the call graph, which repeats the
// simplification of every function, is left out: both halves of it are LLVM's own all the same.
llvm::ModulePassManager pipelineFor(llvm::PassBuilder &builder, const llvm::Module &module,
                                    llvm::OptimizationLevel level) {
  if (level == llvm::OptimizationLevel::O0)
    return builder.buildO0DefaultPipeline(level);
  if (hasCallsToInline(module))
    return builder.buildPerModuleDefaultPipeline(level);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(
      builder.buildFunctionSimplificationPipeline(level, llvm::ThinOrFullLTOPhase::None)));
  passes.addPass(builder.buildModuleOptimizationPipeline(level, llvm::ThinOrFullLTOPhase::None));
  return passes;
}

// What the work-group pass leaves is simplified already; what is not reached is dropped.
llvm::ModulePassManager quickPipeline() {
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());
  return passes;
}

bool verify(llvm::Module &module, std::string &errors, const char *when) {
  llvm::raw_string_ostream stream(errors);
  if (!llvm::verifyModule(module, &stream))
    return true;
  errors.insert(0, std::string("invalid IR ") + when + ": ");
  return false;
}

} // namespace

OxclMachine *oxcl_machine_new(const OxclMachineDescription *description, OxclTextSink message, void *user) {
  llvm::Triple triple(view(description->triple));
  oxcl::enterTargets();
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    message(user, view(error));
    return nullptr;
  }
  llvm::TargetOptions options;
  options.FunctionSections = true; // what is not reached is dropped at the link
  options.DataSections = true;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, view(description->cpu), view(description->features), options,
                                  triple.isRISCV() ? llvm::Reloc::Static : llvm::Reloc::PIC_, llvm::CodeModel::Small, codegenLevel(description->level)));
  if (!machine) {
    message(user, view(llvm::StringRef("LLVM made no target machine")));
    return nullptr;
  }
  return new OxclMachine{description->level == OXCL_QUICK, std::move(machine)};
}

void oxcl_machine_free(OxclMachine *machine) {
  if (!machine->isWreck)
    delete machine;
}

void oxcl_machine_layout(OxclMachine *machine, OxclTextSink sink, void *user) {
  sink(user, view(machine->machine->createDataLayout().getStringRepresentation()));
}

void oxcl_retarget(LLVMModuleRef wrapped, OxclMachine *target, uint32_t preferVectorWidth, uint32_t vscale) {
  llvm::Module &module = *llvm::unwrap(wrapped);
  llvm::TargetMachine &machine = *target->machine;
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  auto plain = [](llvm::CallingConv::ID convention) {
    return convention == llvm::CallingConv::SPIR_FUNC || convention == llvm::CallingConv::SPIR_KERNEL;
  };
  // An inexact division of vectors starts from an estimate that the processor has only to 12 bits (how good it is differs
  // from make to make): refined once, as LLVM would by itself, it can be 2.7 ulp off, and 3.6 without fused operations;
  // OpenCL allows 2.5. Twice is enough; without fused operations it takes longer than to divide.
  bool isX86 = machine.getTargetTriple().isX86();
  bool fuses = isX86 && machine.getMCSubtargetInfo()->checkFeatures("+fma");
  const char *estimates = fuses ? "vec-divf:2" : "!vec-divf";
  for (llvm::Function &function : module) {
    if (plain(function.getCallingConv()))
      function.setCallingConv(llvm::CallingConv::C);
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (isX86)
      function.addFnAttr("reciprocal-estimates", estimates);
    if (preferVectorWidth)
      function.addFnAttr("prefer-vector-width", std::to_string(preferVectorWidth));
    // Vectors of a known length become SVE's where the length of its registers is known.
    if (vscale)
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(module.getContext(), vscale, vscale));
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          if (plain(call->getCallingConv()))
            call->setCallingConv(llvm::CallingConv::C);
  }
}

namespace {

// Pointers of OpenCL's generic address space get the space that they come from: where spaces are memories of their own, only
// those have an address.
void inferAddressSpaces(llvm::Module &module, llvm::FunctionAnalysisManager &functions) {
  constexpr unsigned generic = 4;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      llvm::InferAddressSpacesPass(generic).run(function, functions);
  functions.clear();
}

} // namespace

OxclOutcome oxcl_optimise(LLVMModuleRef wrapped, OxclMachine *target, const OxclPipeline *pipeline,
                          OxclTextSink message, void *user) {
  llvm::Module &module = *llvm::unwrap(wrapped);
  return guarded(*target, module, message, user, [&](std::string &errors) {
    if (pipeline->verify && !verify(module, errors, "before optimisation"))
      return;
    if (pipeline->export_count) {
      llvm::ArrayRef<OxclText> exports(pipeline->exports, pipeline->export_count);
      llvm::internalizeModule(module, [&](const llvm::GlobalValue &value) {
        return llvm::any_of(exports, [&](OxclText name) { return value.getName() == view(name); });
      });
    }
    limitStraightCodeVectoriser();
    llvm::PipelineTuningOptions tuning;
    tuning.LoopVectorization = pipeline->vectorise;
    tuning.SLPVectorization = pipeline->vectorise;
    tuning.LoopInterleaving = pipeline->vectorise;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassInstrumentationCallbacks callbacks;
    oxcl::leaveRareFunctionsAlone(callbacks);
    // A table of distances in place of one of pointers gives pointers of address space 0, whatever memory they are to lead to.
    callbacks.registerShouldRunOptionalPassCallback(
        [](llvm::StringRef pass, llvm::Any) { return pass != "RelLookupTableConverterPass"; });
    llvm::PassBuilder builder(target->machine.get(), tuning, std::nullopt, &callbacks);
    bool makesRows = pipeline->vectorise && target->machine->getTargetTriple().isX86();
    if (pipeline->vectorise)
      builder.registerVectorizerStartEPCallback([makesRows](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
        passes.addPass(oxcl::AccessFirstLanes());
        passes.addPass(oxcl::LowerWideOperations());
        if (makesRows)
          passes.addPass(oxcl::UnrollWalks());
        passes.addPass(oxcl::PairLongRounds());
        oxcl::addBeforeVectoriser(passes);
      });
    if (pipeline->vectorise)
      builder.registerLateLoopOptimizationsEPCallback(
          [](llvm::LoopPassManager &passes, llvm::OptimizationLevel) { passes.addPass(oxcl::UnrollTrees()); });
    if (makesRows) {
      bool gathersWell = target->machine->getMCSubtargetInfo()->checkFeatures("+avx2");
      builder.registerOptimizerLastEPCallback(
          [gathersWell](llvm::ModulePassManager &passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
            passes.addPass(llvm::createModuleToFunctionPassAdaptor(oxcl::JoinStrides()));
            passes.addPass(llvm::createModuleToFunctionPassAdaptor(oxcl::GatherRows()));
            if (gathersWell)
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(oxcl::GatherWords()));
            passes.addPass(llvm::createModuleToFunctionPassAdaptor(oxcl::ReloadFarSplats()));
          });
    }
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::OptimizationLevel level = optimisationLevel(pipeline->level);
    if (pipeline->whole_program && level != llvm::OptimizationLevel::O0) {
      // Simplified first, so that sizes are what they come to; then all over again, with variables of one function only.
      builder.buildModuleSimplificationPipeline(level, llvm::ThinOrFullLTOPhase::None).run(module, modules);
      if (oxcl::markForInlining(module)) {
        modules.clear();
        llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false).run(module, modules);
      }
      modules.clear();
      if (pipeline->generic)
        inferAddressSpaces(module, functions);
    }
    bool isQuick = pipeline->level == OXCL_QUICK;
    llvm::ModulePassManager passes = isQuick ? quickPipeline() : pipelineFor(builder, module, level);
    oxcl::WideForms forms(module);
    passes.run(module, modules);
    if (isQuick && pipeline->widen)
      oxcl::widenLoops(module, functions);
    else if (isQuick)
      oxcl::widenCalls(module, functions);
    if (pipeline->verify)
      verify(module, errors, "after optimisation");
  });
}

namespace {

// Whether the address is of an element that no addressing mode of x86 can scale an index to, and the index is not the same in every
// turn.
bool scalesInLoop(const llvm::Instruction &instruction, const llvm::Loop &loop) {
  auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
  if (!address || address->getType()->isVectorTy())
    return false;
  const llvm::DataLayout &layout = instruction.getModule()->getDataLayout();
  for (auto step = llvm::gep_type_begin(address); step != llvm::gep_type_end(address); ++step)
    if (!step.isStruct() && !loop.isLoopInvariant(step.getOperand()) && step.getSequentialElementStride(layout) > 8)
      return true;
  return false;
}

// Whether loop strength reduction has anything to reduce: a multiplication whose value changes from turn to turn, or a shift in its
// place.
bool multipliesInLoops(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || oxcl::isRare(function))
      continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (llvm::BasicBlock &block : function) {
      const llvm::Loop *loop = loops.getLoopFor(&block);
      if (!loop)
        continue;
      for (llvm::Instruction &instruction : block)
        if ((instruction.getOpcode() == llvm::Instruction::Mul && !instruction.getType()->isVectorTy() &&
             !loop->hasLoopInvariantOperands(&instruction)) ||
            scalesInLoop(instruction, *loop))
          return true;
    }
  }
  return false;
}

// Leaves loop strength reduction out where it has nothing to reduce. It takes two fifths of the time of code generation
// for a small kernel, and x86's addressing modes do what it would do to plain indices. What orders instructions is left out of functions that
// keep their order.
class LeanGate : public llvm::OptPassGate {
public:
  LeanGate(const llvm::Module &module, bool reduceStrength) : module(module), reduceStrength(reduceStrength) {}

  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef where) const override {
    bool reduction = pass == "Loop Strength Reduction" || pass == "Canonicalize Freeze Instructions in Loops";
    return (reduceStrength || !reduction) && !oxcl::leavesInOrder(module, pass, where);
  }
  bool isEnabled() const override { return true; }

private:
  const llvm::Module &module;
  bool reduceStrength;
};

// While it lives, the context's passes go through the gate.
class Gated {
public:
  Gated(llvm::LLVMContext &context, LeanGate &gate) : context(context), outer(context.getOptPassGate()) {
    context.setOptPassGate(gate);
  }
  Gated(const Gated &) = delete;
  Gated &operator=(const Gated &) = delete;
  ~Gated() { context.setOptPassGate(outer); }

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &outer;
};

// Lets gathers be the processor's. LLVM takes those of AVX2 apart else: a load for each lane, and under a mask a branch for each, which
// mostly cannot be foreseen. Only here: its vectorisers would make gathers of loads that are better one by one.
void takeGathersWhole(llvm::Module &module, const llvm::TargetMachine &machine) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      // What a function says takes the place of what the machine has.
      llvm::Attribute own = function.getFnAttribute("target-features");
      std::string features = own.isValid() ? own.getValueAsString().str() : machine.getTargetFeatureString().str();
      function.addFnAttr("target-features", features.empty() ? "+fast-gather" : features + ",+fast-gather");
    }
}

} // namespace

OxclOutcome oxcl_emit(LLVMModuleRef wrapped, OxclMachine *target, uint32_t assembly, OxclTextSink bytes,
                      OxclTextSink message, void *user) {
  llvm::Module &module = *llvm::unwrap(wrapped);
  llvm::SmallVector<char, 0> emitted;
  OxclOutcome outcome = guarded(*target, module, message, user, [&](std::string &errors) {
    llvm::raw_svector_ostream stream(emitted);
    llvm::legacy::PassManager passes;
    auto kind = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
    oxcl::KeepsStretchedMasks keeping(passes);
    bool isX86 = target->machine->getTargetTriple().isX86();
    llvm::legacy::PassManagerBase &first = isX86 ? static_cast<llvm::legacy::PassManagerBase &>(keeping) : passes;
    if (target->machine->addPassesToEmitFile(first, stream, nullptr, kind, /*DisableVerify=*/true)) {
      errors = "the target emits no such file";
      return;
    }
    oxcl::dropFarAddresses(module);
    oxcl::foldEmptyMasks(module);
    oxcl::dropClaimsOfComparedCuts(module);
    oxcl::lowerOperations(module);
    if (target->machine->getTargetTriple().isAArch64())
      oxcl::keepNarrowGathersApart(module);
    if (isX86) {
      oxcl::alignStacks(module);
      oxcl::testUniformPartsAlone(module);
      const llvm::MCSubtargetInfo &features = *target->machine->getMCSubtargetInfo();
      if (!features.checkFeatures("+avx512f") && !target->isQuick)
        oxcl::makeRoundsByParts(module, features.checkFeatures("+avx2") ? 256 : 128);
      if (features.checkFeatures("+avx2") && !features.checkFeatures("+avx512f")) {
        takeGathersWhole(module, *target->machine);
        oxcl::holdMasksInLanes(module, /*registerBits=*/256);
      }
      if (features.checkFeatures("+avx512bw") && features.checkFeatures("+avx512dq") && features.checkFeatures("+avx512vl"))
        oxcl::holdMasksByRegister(module);
      if (features.checkFeatures("+avx512fp16") && features.checkFeatures("+avx512vl"))
        oxcl::storeHalvesAtOnce(module);
    }
    LeanGate gate(module, !target->isQuick && multipliesInLoops(module));
    Gated gated(module.getContext(), gate);
    passes.run(module);
  });
  if (outcome == OXCL_DONE)
    bytes(user, {emitted.data(), emitted.size()});
  return outcome;
}

OxclOutcome oxcl_tap(LLVMModuleRef wrapped, OxclMachine *target, OxclTextSink bytes, OxclTextSink message, void *user) {
  llvm::Module &module = *llvm::unwrap(wrapped);
  llvm::SmallVector<char, 0> printed;
  OxclOutcome outcome = guarded(*target, module, message, user, [&](std::string &errors) {
    llvm::raw_svector_ostream stream(printed);
    oxcl::tapMachineCode(*target->machine, module, stream, errors);
  });
  if (outcome == OXCL_DONE)
    bytes(user, {printed.data(), printed.size()});
  return outcome;
}
