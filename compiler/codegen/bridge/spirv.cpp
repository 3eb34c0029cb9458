// A module as SPIR-V, by LLVM's own back end. It keeps what belongs to a module in variables of the process: one at a time.

#include "machine.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "guarded.h"
#include "targets.h"

#include "llvm-c/Core.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace llvm {
// LLVM installs no header that declares it. The options are a triple and a level of optimisation.
extern "C" bool SPIRVTranslateModule(Module *module, std::string &words, std::string &message,
                                     const std::vector<std::string> &extensions,
                                     const std::vector<std::string> &options);
} // namespace llvm

OxclOutcome oxcl_spirv(LLVMModuleRef wrapped, OxclText triple, const OxclText *extensions, size_t count,
                       size_t attempt, OxclTextSink bytes, OxclTextSink message, void *user) {
  static std::mutex one;
  std::lock_guard<std::mutex> lock(one);
  oxcl::enterTargets();
  llvm::Module &module = *llvm::unwrap(wrapped);
  std::string target(triple.data, triple.size), said, emitted;
  std::vector<std::string> allowed;
  for (size_t i = 0; i < count; ++i)
    allowed.emplace_back(extensions[i].data, extensions[i].size);
  // Places where machine functions of earlier modules were: taken until the end, so that this module's are elsewhere.
  std::vector<std::unique_ptr<char[]>> taken(attempt == 0 ? 0 : size_t(64) << std::min<size_t>(attempt, 10));
  for (std::unique_ptr<char[]> &place : taken)
    place.reset(new char[sizeof(llvm::MachineFunction)]);
  oxcl::Ended ended = oxcl::guarded(module.getContext(), said, [&](std::string &errors) {
    module.setTargetTriple(llvm::Triple(target));
    std::string why;
    if (!llvm::SPIRVTranslateModule(&module, emitted, why, allowed, {target, "0"}) && errors.empty())
      errors = why.empty() ? "LLVM's back end refused the module" : why;
  });
  if (ended == oxcl::Ended::Well) {
    bytes(user, {emitted.data(), emitted.size()});
    return OXCL_DONE;
  }
  message(user, {said.data(), said.size()});
  return ended == oxcl::Ended::Refused ? OXCL_REFUSED : OXCL_CRASHED;
}
