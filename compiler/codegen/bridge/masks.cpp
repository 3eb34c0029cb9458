// See masks.h. On entry: machine code of x86 in SSA form, instructions selected. On exit: the same, KMOV between mask registers
// replaced by KOR, which costs the same. What is copied as it is, is still a COPY here and not touched.

#include "masks.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace {

class StretchByOr : public MachineFunctionPass {
public:
  static char ID;
  StretchByOr() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Stretched masks by disjunction"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &target = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block) {
        if (!instruction.isMoveReg())
          continue;
        StringRef disjunction = StringSwitch<StringRef>(target.getName(instruction.getOpcode()))
                                    .Case("KMOVBkk", "KORBkk")
                                    .Case("KMOVWkk", "KORWkk")
                                    .Case("KMOVDkk", "KORDkk")
                                    .Default("");
        if (disjunction.empty())
          continue;
        Register source = instruction.getOperand(1).getReg();
        instruction.setDesc(target.get(opcode(target, disjunction)));
        instruction.addOperand(function, MachineOperand::CreateReg(source, /*isDef=*/false));
        changed = true;
      }
    return changed;
  }

private:
  // Opcodes have no public names but their texts. There are thousands, so each is looked for once.
  unsigned opcode(const TargetInstrInfo &target, StringRef name) {
    auto [place, isNew] = opcodes.try_emplace(name, 0);
    while (isNew && target.getName(place->second) != name)
      if (++place->second == target.getNumOpcodes())
        reportFatalInternalError("the code generator has no instruction of the name " + name);
    return place->second;
  }

  StringMap<unsigned> opcodes;
};
char StretchByOr::ID = 0;

} // namespace

void oxcl::KeepsStretchedMasks::add(Pass *pass) {
  if (pass->getPassID() == static_cast<const void *>(&PHIEliminationID))
    passes.add(new StretchByOr());
  passes.add(pass);
}
