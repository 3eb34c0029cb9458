// Reads what clang recorded about each kernel (`!kernel_arg_*` and the work-group metadata), and links modules.
//
// A kernel is a definition with the calling convention `spir_kernel` that carries `!kernel_arg_addr_space`.

#include "kernels.h"

#include <string>
#include <vector>

#include "guarded.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

namespace {

OxclText view(llvm::StringRef text) { return {text.data(), text.size()}; }

OxclText textAt(const llvm::MDNode *node, unsigned index) {
  if (node && index < node->getNumOperands())
    if (auto *text = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(index)))
      return view(text->getString());
  return {nullptr, 0};
}

// The name of a parameter's opaque type. Where it was replaced by what it is in memory, an attribute says what it was
// (`opaque_types.cpp`).
OxclText opaqueName(const llvm::Argument &parameter) {
  if (parameter.getParent()->getAttributes().hasParamAttr(parameter.getArgNo(), "oxcl-image"))
    return view("spirv.Image");
  if (parameter.getParent()->getAttributes().hasParamAttr(parameter.getArgNo(), "oxcl-sampler"))
    return view("spirv.Sampler");
  auto *opaque = llvm::dyn_cast<llvm::TargetExtType>(parameter.getType());
  return opaque ? view(opaque->getName()) : OxclText{nullptr, 0};
}

uint64_t numberAt(const llvm::MDNode *node, unsigned index) {
  if (node && index < node->getNumOperands())
    if (auto *number = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(index)))
      return number->getZExtValue();
  return 0;
}

// OpenCL's name for an LLVM type of `vec_type_hint`, whose second operand says whether it is signed.
std::string hintName(const llvm::MDNode *node) {
  if (!node || node->getNumOperands() != 2)
    return {};
  auto *value = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node->getOperand(0));
  if (!value)
    return {};
  llvm::Type *type = value->getType();
  llvm::Type *scalar = type->getScalarType();
  std::string name;
  if (scalar->isIntegerTy()) {
    name = numberAt(node, 1) ? "" : "u";
    switch (scalar->getIntegerBitWidth()) {
    case 8: name += "char"; break;
    case 16: name += "short"; break;
    case 32: name += "int"; break;
    case 64: name += "long"; break;
    default: return {};
    }
  } else if (scalar->isHalfTy()) {
    name = "half";
  } else if (scalar->isFloatTy()) {
    name = "float";
  } else if (scalar->isDoubleTy()) {
    name = "double";
  } else {
    return {};
  }
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    name += std::to_string(vector->getNumElements());
  return name;
}

} // namespace

void oxcl_kernels(LLVMModuleRef wrapped, OxclKernelSink sink, void *user) {
  llvm::Module &module = *llvm::unwrap(wrapped);
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::Function &function : module) {
    llvm::MDNode *spaces = function.getMetadata("kernel_arg_addr_space");
    if (function.isDeclaration() || function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL || !spaces)
      continue;
    llvm::MDNode *names = function.getMetadata("kernel_arg_name");
    llvm::MDNode *types = function.getMetadata("kernel_arg_type");
    llvm::MDNode *access = function.getMetadata("kernel_arg_access_qual");
    llvm::MDNode *qualifiers = function.getMetadata("kernel_arg_type_qual");
    std::vector<OxclKernelArg> args;
    for (llvm::Argument &parameter : function.args()) {
      unsigned index = parameter.getArgNo();
      llvm::Type *type = parameter.getType();
      llvm::Type *value = parameter.hasByValAttr() ? parameter.getParamByValType() : type;
      args.push_back({textAt(names, index), textAt(types, index), textAt(access, index),
                      textAt(qualifiers, index), opaqueName(parameter), uint32_t(numberAt(spaces, index)),
                      uint32_t(type->isPointerTy() && !parameter.hasByValAttr()),
                      value->isSized() ? layout.getTypeAllocSize(value).getFixedValue() : 0});
    }
    OxclKernel kernel = {view(function.getName()), args.data(), args.size(), {}, {}, 0, {nullptr, 0}};
    for (unsigned i = 0; i < 3; ++i) {
      kernel.reqd_work_group_size[i] = numberAt(function.getMetadata("reqd_work_group_size"), i);
      kernel.work_group_size_hint[i] = numberAt(function.getMetadata("work_group_size_hint"), i);
    }
    kernel.reqd_sub_group_size = numberAt(function.getMetadata("intel_reqd_sub_group_size"), 0);
    std::string hint = hintName(function.getMetadata("vec_type_hint"));
    kernel.vec_type_hint = view(hint);
    sink(user, &kernel);
  }
}

OxclLinkOutcome oxcl_link_module(LLVMModuleRef into, LLVMModuleRef from, OxclMessageSink sink, void *user) {
  llvm::Module &target = *llvm::unwrap(into);
  std::unique_ptr<llvm::Module> source(llvm::unwrap(from));
  bool duplicate = false;
  for (const llvm::GlobalValue &value : source->global_values()) {
    const llvm::GlobalValue *other = target.getNamedValue(value.getName());
    if (other && value.isStrongDefinitionForLinker() && !value.hasLocalLinkage() &&
        other->isStrongDefinitionForLinker() && !other->hasLocalLinkage()) {
      duplicate = true;
      sink(user, view(value.getName()));
    }
  }
  if (duplicate)
    return OXCL_LINK_DUPLICATE;
  std::string words;
  oxcl::Ended ended = oxcl::guarded(target.getContext(), words, [&](std::string &errors) {
    // Given away within, so that a crash leaves it alone.
    if (llvm::Linker::linkModules(target, std::unique_ptr<llvm::Module>(source.release())) && errors.empty())
      errors = "LLVM's linker refused them";
  });
  if (ended == oxcl::Ended::Well)
    return OXCL_LINKED;
  sink(user, view(words));
  return OXCL_LINK_FAILED;
}
