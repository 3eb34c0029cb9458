// Machine code of x86-64, in Intel's notation, and of AArch64 to text, with the targets of branches as addresses.

#include "machine.h"

#include <memory>
#include <string>

#include "target.h"
#include "targets.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace {

constexpr unsigned IntelNotation = 1;

} // namespace

uint32_t oxcl_disassemble(uint32_t architecture, OxclText code, uint64_t address, OxclInstructionSink sink, void *user) {
  llvm::Triple triple = oxcl::tripleOf(architecture);
  oxcl::enterTargets();
  bool isX86 = triple.isX86();
  // Whatever an archive may be for: the code has been made for some processor that has it.
  const char *features = isX86 ? "" : "+all";
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return 0;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> assembly(target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, "", features));
  llvm::MCContext context(triple, assembly.get(), registers.get(), subtarget.get());
  std::unique_ptr<llvm::MCDisassembler> disassembler(target->createMCDisassembler(*subtarget, context));
  std::unique_ptr<llvm::MCInstPrinter> printer(
      target->createMCInstPrinter(triple, isX86 ? IntelNotation : assembly->getAssemblerDialect(), *assembly, *instructions, *registers));
  if (!disassembler || !printer)
    return 0;
  printer->setPrintImmHex(true);
  printer->setPrintBranchImmAsAddress(true);

  llvm::ArrayRef<uint8_t> rest(reinterpret_cast<const uint8_t *>(code.data), code.size);
  while (!rest.empty()) {
    llvm::MCInst instruction;
    uint64_t size = 0;
    std::string text;
    auto status = disassembler->getInstruction(instruction, size, rest, address, llvm::nulls());
    if (status == llvm::MCDisassembler::Success) {
      llvm::raw_string_ostream stream(text);
      // x86 branches count from the next instruction, and so does the printer.
      printer->printInst(&instruction, isX86 ? address + size : address, "", *subtarget, stream);
    } else {
      size = isX86 ? 1 : 4;
    }
    sink(user, address, size, {text.data(), text.size()});
    address += size;
    rest = rest.drop_front(std::min<size_t>(size, rest.size()));
  }
  return 1;
}
