// Modules from bytes that may be anything: bitcode and IR text of others, and the library's bitcode.
//
// On entry: bytes. On exit: a module that the verifier accepts, or the library's functions in one; or words that say why not,
// also where LLVM crashes over the bytes or comes to no end, as its reader of bitcode does over some.

#include "guarded.h"
#include "watch.h"

#include "llvm-c/Core.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cstring>
#include <memory>

using namespace llvm;

namespace {

std::unique_ptr<Module> read(MemoryBufferRef Bytes, LLVMContext &C, std::string &Errors) {
  SMDiagnostic Said;
  std::unique_ptr<Module> M = parseIR(Bytes, Said, C);
  raw_string_ostream Stream(Errors);
  if (!M) {
    if (Errors.empty())
      Said.print(nullptr, Stream, /*ShowColors=*/false);
    return nullptr;
  }
  if (verifyModule(*M, &Stream)) {
    Errors.insert(0, "it is no valid IR: ");
    return nullptr;
  }
  return M;
}

} // namespace

extern "C" {

// Within so many seconds of a processor's time and bytes of memory. Where it ends well, `Made` is the caller's; otherwise `Message`
// is to be freed.
oxcl::Ended oxcl_ir_read_module(LLVMContextRef C, const char *Data, size_t Size, const char *Name, uint32_t Seconds,
                                uint64_t Bytes, LLVMModuleRef *Made, char **Message) {
  std::string Words;
  oxcl::Watch Watch(Seconds, Bytes);
  oxcl::Ended Ended = oxcl::guarded(*unwrap(C), Words, [&](std::string &Errors) {
    Watch.begin();
    // A copy, because the reader of text needs a zero behind it.
    std::unique_ptr<MemoryBuffer> Copy = MemoryBuffer::getMemBufferCopy(StringRef(Data, Size), Name);
    *Made = wrap(read(*Copy, *unwrap(C), Errors).release());
    Watch.end();
  });
  Watch.end();
  if (Ended == oxcl::Ended::Crashed && Watch.reason())
    Words = Watch.reason();
  if (Ended != oxcl::Ended::Well)
    *Message = strdup(Words.c_str());
  return Ended;
}

// Links into a module what it declares and the bitcode defines, transitively. Where it does not end well, `Message` is to be
// freed.
oxcl::Ended oxcl_ir_link_needed(LLVMModuleRef Into, const char *Data, size_t Size, char **Message) {
  Module &To = *unwrap(Into);
  std::string Words;
  oxcl::Ended Ended = oxcl::guarded(To.getContext(), Words, [&](std::string &Errors) {
    MemoryBufferRef Buffer(StringRef(Data, Size), "library");
    Expected<std::unique_ptr<Module>> From = getLazyBitcodeModule(Buffer, To.getContext());
    if (!From) {
      Errors = toString(From.takeError());
      return;
    }
    (*From)->setTargetTriple(To.getTargetTriple());
    (*From)->setDataLayout(To.getDataLayout());
    if (Linker::linkModules(To, std::move(*From), Linker::Flags::LinkOnlyNeeded) && Errors.empty())
      Errors = "the linker refused the module";
  });
  if (Ended != oxcl::Ended::Well)
    *Message = strdup(Words.c_str());
  return Ended;
}

// Whether LLVM has failed in a context, so that nothing in it may be used or freed.
bool oxcl_ir_is_wreck(LLVMContextRef C) { return oxcl::isWreck(unwrap(C)); }

// Whether LLVM has failed in this process.
bool oxcl_ir_has_failed() { return oxcl::failures.load(std::memory_order_relaxed) != 0; }

} // extern "C"
