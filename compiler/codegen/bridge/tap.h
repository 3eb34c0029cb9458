// What the tap offers to the rest of the bridge.
#ifndef OXCL_CODEGEN_TAP_H
#define OXCL_CODEGEN_TAP_H

#include <string>

namespace llvm {
class Module;
class TargetMachine;
class raw_ostream;
} // namespace llvm

namespace oxcl {

// Prints the data of `module` and the machine IR of its functions as they stand before the machine scheduler.
void tapMachineCode(llvm::TargetMachine &machine, llvm::Module &module, llvm::raw_ostream &out, std::string &errors);

} // namespace oxcl

#endif
