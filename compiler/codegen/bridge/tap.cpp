// Machine IR of RISC-V code before registers are assigned, as text, and the module's data beside it.

#include "tap.h"

#include <string>

#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MIRPrinter.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

// Lets passes through up to the machine scheduler, which comes right after the register coalescer, and none from it on.
class Tap : public legacy::PassManagerBase {
public:
  explicit Tap(legacy::PassManagerBase &passes) : passes(passes) {}
  void add(Pass *pass) override {
    closed |= pass->getPassID() == static_cast<const void *>(&MachineSchedulerID);
    if (closed)
      delete pass;
    else
      passes.add(pass);
  }
  bool closed = false;

private:
  legacy::PassManagerBase &passes;
};

class Printer : public MachineFunctionPass {
public:
  static char ID;
  explicit Printer(raw_ostream &out) : MachineFunctionPass(ID), out(out) {}
  StringRef getPassName() const override { return "Machine IR tap"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override {
    printMIR(out, getAnalysis<MachineModuleInfoWrapperPass>().getMMI(), function);
    return false;
  }

private:
  raw_ostream &out;
};
char Printer::ID = 0;

// The initial value of a variable: bytes, and the addresses to be filled in.
class Data {
public:
  Data(const DataLayout &layout, std::string &errors) : layout(layout), errors(errors) {}

  void print(raw_ostream &out, const GlobalVariable &variable) {
    bytes.assign(layout.getTypeAllocSize(variable.getValueType()), '\0');
    relocations.clear();
    write(variable.getInitializer(), 0);
    size_t used = bytes.size();
    while (used && !bytes[used - 1])
      --used;
    out << "data " << variable.getName() << " space=" << variable.getAddressSpace()
        << " align=" << layout.getPreferredAlign(&variable).value() << " size=" << bytes.size()
        << (variable.hasLocalLinkage() ? " internal" : " external") << " bytes="
        << toHex(StringRef(bytes.data(), used), /*LowerCase=*/true) << "\n" << relocations;
  }

private:
  void write(const Constant *value, uint64_t at) {
    Type *type = value->getType();
    if (value->isNullValue() || isa<UndefValue>(value))
      return;
    if (auto *integer = dyn_cast<ConstantInt>(value)) {
      writeInteger(integer->getValue(), layout.getTypeStoreSize(type), at);
    } else if (auto *number = dyn_cast<ConstantFP>(value)) {
      writeInteger(number->getValueAPF().bitcastToAPInt(), layout.getTypeStoreSize(type), at);
    } else if (auto *array = dyn_cast<ConstantDataSequential>(value)) {
      uint64_t step = layout.getTypeAllocSize(array->getElementType());
      for (unsigned i = 0; i < array->getNumElements(); ++i)
        write(array->getElementAsConstant(i), at + i * step);
    } else if (isa<ConstantArray>(value) || isa<ConstantVector>(value)) {
      uint64_t step = layout.getTypeAllocSize(value->getOperand(0)->getType());
      for (unsigned i = 0; i < value->getNumOperands(); ++i)
        write(cast<Constant>(value->getOperand(i)), at + i * step);
    } else if (isa<ConstantStruct>(value)) {
      const StructLayout *fields = layout.getStructLayout(cast<StructType>(type));
      for (unsigned i = 0; i < value->getNumOperands(); ++i)
        write(cast<Constant>(value->getOperand(i)), at + fields->getElementOffset(i));
    } else if (type->isPointerTy()) {
      APInt offset(layout.getIndexTypeSizeInBits(type), 0);
      const Value *base = value->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
      while (auto *cast = dyn_cast<ConstantExpr>(base)) {
        if (cast->getOpcode() != Instruction::AddrSpaceCast)
          break;
        base = cast->getOperand(0)->stripAndAccumulateConstantOffsets(layout, offset, true);
      }
      if (isa<GlobalValue>(base))
        relocations += "relocation " + std::to_string(at) + " " + base->getName().str() + " " +
                       std::to_string(offset.getSExtValue()) + "\n";
      else
        fail();
    } else {
      fail();
    }
  }

  void writeInteger(const APInt &value, uint64_t size, uint64_t at) {
    APInt wide = value.zextOrTrunc(size * 8);
    for (uint64_t k = 0; k < size; ++k)
      bytes[at + k] = static_cast<char>(wide.extractBitsAsZExtValue(8, k * 8));
  }

  void fail() { errors = "an initial value of a variable is none that can be placed in memory"; }

  const DataLayout &layout;
  std::string &errors;
  SmallVector<char, 0> bytes;
  std::string relocations;
};

// A multiplication and an addition that may be fused are not: no transport-triggered unit rounds once. What must be fused
// is a call.
void splitFused(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block)) {
        auto *call = dyn_cast<IntrinsicInst>(&instruction);
        if (!call)
          continue;
        IRBuilder<> builder(call);
        builder.setFastMathFlags(call->getFastMathFlags());
        Value *with = nullptr;
        if (call->getIntrinsicID() == Intrinsic::fmuladd) {
          with = builder.CreateFAdd(builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1)),
                                    call->getArgOperand(2));
        } else if (call->getIntrinsicID() == Intrinsic::fma && call->getType()->getScalarType()->isFloatTy()) {
          auto *scalar = call->getType()->getScalarType();
          auto fused = module.getOrInsertFunction("fmaf", scalar, scalar, scalar, scalar);
          auto *vector = dyn_cast<FixedVectorType>(call->getType());
          auto part = [&](unsigned argument, unsigned lane) {
            Value *value = call->getArgOperand(argument);
            return vector ? builder.CreateExtractElement(value, lane) : value;
          };
          auto one = [&](unsigned lane) -> Value * {
            return builder.CreateCall(fused, {part(0, lane), part(1, lane), part(2, lane)});
          };
          if (!vector)
            with = one(0);
          else {
            with = PoisonValue::get(vector);
            for (unsigned lane = 0; lane < vector->getNumElements(); ++lane)
              with = builder.CreateInsertElement(with, one(lane), lane);
          }
        }
        if (with) {
          call->replaceAllUsesWith(with);
          call->eraseFromParent();
        }
      }
}

} // namespace

void oxcl::tapMachineCode(TargetMachine &machine, Module &module, raw_ostream &out, std::string &errors) {
  splitFused(module);
  for (Function &function : module) {
    if (!function.isDeclaration())
      function.addFnAttr("no-jump-tables", "true");
    // Optimisation gives functions that nobody else sees a convention with more registers than whoever reads on knows of.
    function.setCallingConv(CallingConv::C);
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        call->setCallingConv(CallingConv::C);
  }
  legacy::PassManager passes;
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  Tap tap(passes);
  TargetPassConfig *config = machine.createPassConfig(tap);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses()) {
    errors = "the target selects no instructions";
    return;
  }
  config->addMachinePasses();
  config->setInitialized();
  std::string functions;
  raw_string_ostream printed(functions);
  passes.add(new Printer(printed));
  passes.add(createFreeMachineFunctionPass());
  passes.run(module);
  // Passes before instruction selection merge variables, so they are printed last and stand first.
  Data data(module.getDataLayout(), errors);
  for (const GlobalVariable &variable : module.globals())
    if (variable.hasInitializer() && !variable.getName().starts_with("llvm."))
      data.print(out, variable);
  out << functions;
}
