//! Functions of less accuracy, where a program allows it.
//!
//! In: a module whose built-in functions are declared. Out: the same, in which calls that may be approximate
//! (`-cl-unsafe-math-optimizations`, `-cl-fast-relaxed-math`; in SPIR-V the mode `Fast`) go to the native function where that is faster and
//! as accurate as OpenCL C asks of such calls (OpenCL C 3.0, section 7.4, table of errors with unsafe optimisations). It goes by the calls:
//! what was compiled with other options, and is linked here, stays as it is.
//!
//! Exponentials and logarithms stay as well: with subnormal values, which calls need, the native ones would gain nothing.

use oxcl_ir::{Function, Module};

use crate::print::SPIR_FUNCTION;

/// Sines and cosines may be 2^-11 off up to pi, and more beyond.
const FUNCTIONS: [&str; 2] = ["sin", "cos"];

/// What floats, and their vectors, are mangled as.
const TYPES: [&str; 6] = ["f", "Dv2_f", "Dv3_f", "Dv4_f", "Dv8_f", "Dv16_f"];

/// Sends the calls there.
pub(crate) fn lower(module: &Module<'_>) {
    for name in FUNCTIONS {
        for ty in TYPES {
            if let Some(accurate) = Function::find(module, &format!("_Z{}{name}{ty}", name.len()))
                && accurate.is_declaration()
            {
                replace(module, accurate, &format!("_Z{}native_{name}{ty}", name.len() + 7));
            }
        }
    }
}

fn replace<'c>(module: &Module<'c>, accurate: Function<'c>, native: &str) {
    let calls = accurate.value().users().into_iter();
    let calls = calls.filter(|user| user.callee() == Some(accurate) && user.may_be_approximate());
    for call in calls {
        let native = Function::find(module, native).unwrap_or_else(|| {
            let function = Function::add(module, native, accurate.ty());
            function.set_convention(SPIR_FUNCTION);
            function
        });
        call.set_operand(call.operand_count() - 1, native.value());
    }
    if accurate.value().users().is_empty() {
        accurate.delete();
    }
}
