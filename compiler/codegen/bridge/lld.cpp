// lld's ELF driver in this process.
//
// `lldMain` brings its own crash recovery and says whether it can be called again; it keeps process-wide state, so that
// the caller holds a lock around it.

#include "machine.h"
#include "targets.h"

#include <string>

#include "lld/Common/Driver.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

OxclLinkResult oxcl_lld(const char *const *arguments, size_t count, OxclTextSink message, void *user) {
  oxcl::enterTargets();
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  lld::Result result =
      lld::lldMain(llvm::ArrayRef<const char *>(arguments, count), llvm::nulls(), stream, {{lld::Gnu, &lld::elf::link}});
  OxclOutcome outcome = result.retCode == 0 ? OXCL_DONE : result.canRunAgain ? OXCL_REFUSED : OXCL_CRASHED;
  if (outcome != OXCL_DONE)
    message(user, {errors.data(), errors.size()});
  return {outcome, uint32_t(result.canRunAgain)};
}
