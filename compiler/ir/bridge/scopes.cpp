// Alias scopes, which say what `restrict` of an inlined call promises. A scope is declared where the call was and holds from
// there on, for one run of the call's body; accesses name the scopes that they belong to (`alias.scope`) and those that they
// do not meet (`noalias`). A copy of the body needs scopes of its own, declared where the copy begins; without the
// declaration the names promise more than the source did. Handles are the C interface's own; a scope is metadata as a value.

#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include <cstdint>

using namespace llvm;

namespace {

MDNode *nodeOf(LLVMValueRef Scope) { return cast<MDNode>(cast<MetadataAsValue>(unwrap(Scope))->getMetadata()); }

LLVMValueRef valueOf(MDNode *Scope) { return wrap(MetadataAsValue::get(Scope->getContext(), Scope)); }

} // namespace

extern "C" {

// Whether any access of a function names a scope.
bool oxcl_ir_has_scopes(LLVMValueRef Fn) {
  for (Instruction &I : instructions(*unwrap<Function>(Fn)))
    if (I.getMetadata(LLVMContext::MD_alias_scope) || I.getMetadata(LLVMContext::MD_noalias))
      return true;
  return false;
}

// The scope that an instruction declares, or null.
LLVMValueRef oxcl_ir_declared_scope(LLVMValueRef Inst) {
  auto *Decl = dyn_cast<NoAliasScopeDeclInst>(unwrap(Inst));
  if (!Decl || Decl->getScopeList()->getNumOperands() != 1)
    return nullptr;
  return valueOf(cast<MDNode>(Decl->getScopeList()->getOperand(0)));
}

// Another scope of the same domain.
LLVMValueRef oxcl_ir_clone_scope(LLVMValueRef Scope) {
  AliasScopeNode Node(nodeOf(Scope));
  MDBuilder Builder(nodeOf(Scope)->getContext());
  return valueOf(Builder.createAnonymousAliasScope(const_cast<MDNode *>(Node.getDomain()), Node.getName()));
}

// Replaces the scopes that an instruction names or declares: `Old[i]` by `New[i]`. Of other scopes nothing is known: what
// belongs to one may be met by anything, and that it is not met is not said any more.
void oxcl_ir_adapt_scopes(LLVMValueRef Inst, const LLVMValueRef *Old, const LLVMValueRef *New, uint32_t Count) {
  auto *I = unwrap<Instruction>(Inst);
  DenseMap<const Metadata *, Metadata *> Known;
  for (uint32_t Index = 0; Index < Count; ++Index)
    Known[nodeOf(Old[Index])] = nodeOf(New[Index]);
  auto Adapted = [&](const MDNode *List, bool Whole) -> MDNode * {
    SmallVector<Metadata *> Scopes;
    for (const MDOperand &Scope : List->operands()) {
      if (Metadata *Own = Known.lookup(Scope.get()))
        Scopes.push_back(Own);
      else if (Whole)
        return nullptr;
    }
    return Scopes.empty() ? nullptr : MDNode::get(I->getContext(), Scopes);
  };
  if (auto *Decl = dyn_cast<NoAliasScopeDeclInst>(I)) {
    if (MDNode *List = Adapted(Decl->getScopeList(), true))
      Decl->setScopeList(List);
    return;
  }
  if (MDNode *List = I->getMetadata(LLVMContext::MD_alias_scope))
    I->setMetadata(LLVMContext::MD_alias_scope, Adapted(List, true));
  if (MDNode *List = I->getMetadata(LLVMContext::MD_noalias))
    I->setMetadata(LLVMContext::MD_noalias, Adapted(List, false));
}

} // extern "C"
