// Keeps functions in their order through code generation.

#include "in_order.h"

using namespace llvm;

namespace {

constexpr const char *attribute = "oxcl-in-order";

} // namespace

void oxcl::keepInOrder(Function &function) { function.addFnAttr(attribute); }

bool oxcl::ordersInstructions(StringRef pass) { return pass == "machine-scheduler" || pass == "machine-sink"; }

bool oxcl::leavesInOrder(const Module &module, StringRef pass, StringRef where) {
  if (!(ordersInstructions(pass) || pass == "lrshrink") || !where.consume_front("function (") || !where.consume_back(")"))
    return false;
  const Function *function = module.getFunction(where);
  return function && function->hasFnAttribute(attribute);
}
