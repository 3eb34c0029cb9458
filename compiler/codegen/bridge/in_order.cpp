// Keeps functions in their order through code generation.

#include "in_order.h"

using namespace llvm;

namespace {

constexpr const char *attribute = "oxcl-in-order";

} // namespace

void oxcl::keepInOrder(Function &function) { function.addFnAttr(attribute); }

bool oxcl::leavesInOrder(const Module &module, StringRef pass, StringRef where) {
  bool orders = pass == "machine-scheduler" || pass == "machine-sink" || pass == "lrshrink";
  if (!orders || !where.consume_front("function (") || !where.consume_back(")"))
    return false;
  const Function *function = module.getFunction(where);
  return function && function->hasFnAttribute(attribute);
}
