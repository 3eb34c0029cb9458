// Inlining for programs that are there as a whole and whose calls are dear: a call of a transport-triggered processor costs
// its delay slots twice, ends two blocks, and keeps variables that only one function would use in memory.

#include "whole.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// Instructions that a function may add to the program by being inlined everywhere, and that all may add together.
constexpr size_t largestGrowth = 2000;
constexpr size_t wholeGrowth = 12000;

// How often a function is called, all callers together; 0 if its address is used otherwise.
size_t calls(const Function &function) {
  size_t count = 0;
  for (const User *user : function.users()) {
    auto *call = dyn_cast<CallBase>(user);
    if (!call || call->getCalledOperand() != &function || call->getFunctionType() != function.getFunctionType())
      return 0;
    ++count;
  }
  return count;
}

} // namespace

bool oxcl::markForInlining(Module &module) {
  CallGraph graph(module);
  DenseMap<const Function *, size_t> sizes;
  size_t grown = 0;
  bool any = false;
  // Callees first, so that what they have become is known.
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component) {
    if (component->size() != 1 || component.hasCycle())
      continue;
    Function *function = component->front()->getFunction();
    if (!function || function->isDeclaration())
      continue;
    size_t size = 0;
    for (const BasicBlock &block : *function)
      for (const Instruction &instruction : block) {
        auto *call = dyn_cast<CallBase>(&instruction);
        auto *callee = call ? call->getCalledFunction() : nullptr;
        size += callee && sizes.count(callee) ? sizes.lookup(callee) : 1;
      }
    size_t count = calls(*function);
    bool may = function->hasLocalLinkage() && count && !function->isVarArg() &&
               !function->hasFnAttribute(Attribute::NoInline) && !function->hasFnAttribute(Attribute::OptimizeNone);
    size_t growth = may ? size * (count - 1) : 0;
    if (!may || growth > largestGrowth || grown + growth > wholeGrowth)
      continue;
    grown += growth;
    sizes[function] = size;
    function->addFnAttr(Attribute::AlwaysInline);
    any = true;
  }
  return any;
}
