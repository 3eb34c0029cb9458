//! Pairs of conversions that cancel out: a value that was cut to fewer bits without loss and widened again is the value.
//!
//! In: emitted functions whose variables are values already. LLVM folds such pairs as well, but where the target has registers
//! of both widths it tries to keep the bits by two shifts first, and no loop pass sees a linear index through these.

use oxcl_ir::{Function, Module, Opcode};

/// Takes the pairs away from every function of a module.
pub(super) fn cancel(module: &Module<'_>) {
    for function in Function::all(module).into_iter().filter(|function| !function.is_declaration()) {
        for widened in function.instructions() {
            let lossless = match widened.opcode() {
                Some(Opcode::LLVMSExt) => widened.operand(0).no_signed_wrap(),
                Some(Opcode::LLVMZExt) => widened.operand(0).no_unsigned_wrap(),
                _ => continue,
            };
            let cut = widened.operand(0);
            if lossless && cut.is(Opcode::LLVMTrunc) && cut.operand(0).ty() == widened.ty() {
                widened.replace_uses_with(cut.operand(0));
            }
        }
    }
}
