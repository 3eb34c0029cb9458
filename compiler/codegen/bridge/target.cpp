// What LLVM knows of x86-64 CPUs.

#include "machine.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "llvm-c/Target.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include "target.h"

namespace {

OxclText view(llvm::StringRef text) { return {text.data(), text.size()}; }

} // namespace

void oxcl::initialiseX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // inline assembly
  });
}

void oxcl_cpu_names(OxclTextSink sink, void *user) {
  llvm::SmallVector<llvm::StringRef, 128> names;
  llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  std::sort(names.begin(), names.end());
  for (llvm::StringRef name : names)
    sink(user, view(name));
}

void oxcl_host_cpu(OxclTextSink sink, void *user) { sink(user, view(llvm::sys::getHostCPUName())); }

void oxcl_host_features(OxclTextSink sink, void *user) {
  std::vector<std::pair<std::string, bool>> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.emplace_back(feature.getKey().str(), feature.getValue());
  std::sort(features.begin(), features.end());
  for (const auto &[name, has] : features)
    sink(user, view((has ? "+" : "-") + name));
}

void oxcl_cpu_features(OxclText cpu, OxclTextSink sink, void *user) {
  oxcl::initialiseX86();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return;
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, llvm::StringRef(cpu.data, cpu.size), ""));
  if (!info)
    return;
  // LLVM's table mixes instruction sets with tuning hints; what the host can be asked for is the former.
  llvm::StringMap<bool> known = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> features;
  for (const llvm::SubtargetFeatureKV &feature : info->getAllProcessorFeatures())
    if (info->hasFeature(feature.Value) && known.contains(feature.Key))
      features.push_back(feature.Key);
  std::sort(features.begin(), features.end());
  for (const std::string &name : features)
    sink(user, view(name));
}
