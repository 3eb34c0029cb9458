// What LLVM knows of CPUs of x86-64 and AArch64.

#include "machine.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include "target.h"
#include "targets.h"

namespace {

OxclText view(llvm::StringRef text) { return {text.data(), text.size()}; }

} // namespace

llvm::Triple oxcl::tripleOf(uint32_t architecture) {
  return llvm::Triple(architecture == OXCL_AARCH64 ? "aarch64-unknown-linux-gnu" : "x86_64-unknown-linux-gnu");
}

void oxcl_cpu_names(uint32_t architecture, OxclTextSink sink, void *user) {
  llvm::SmallVector<llvm::StringRef, 128> names;
  if (architecture == OXCL_AARCH64)
    llvm::AArch64::fillValidCPUArchList(names);
  else
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

void oxcl_cpu_features(uint32_t architecture, OxclText cpu, OxclText adjustment, OxclTextSink sink, void *user) {
  llvm::Triple triple = oxcl::tripleOf(architecture);
  oxcl::enterTargets();
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return;
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(
      triple, llvm::StringRef(cpu.data, cpu.size), llvm::StringRef(adjustment.data, adjustment.size)));
  if (!info)
    return;
  // LLVM's table mixes instruction sets with tuning hints; what a host can be asked for, or compilers are told by name, is the
  // former. Its generic processor has units that trace, which no program sees.
  llvm::StringMap<bool> known = llvm::sys::getHostCPUFeatures();
  auto isInstructionSet = [&](const char *name) {
    if (architecture != OXCL_AARCH64)
      return known.contains(name);
    bool traces = llvm::StringRef(name) == "ete" || llvm::StringRef(name) == "trbe";
    return !traces && llvm::AArch64::targetFeatureToExtension("+" + std::string(name)).has_value();
  };
  std::vector<std::string> features;
  for (const llvm::SubtargetFeatureKV &feature : info->getAllProcessorFeatures())
    if (info->hasFeature(feature.Value) && isInstructionSet(feature.Key))
      features.push_back(feature.Key);
  std::sort(features.begin(), features.end());
  for (const std::string &name : features)
    sink(user, view(name));
}
