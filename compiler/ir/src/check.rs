//! Refusing what LLVM would take for something else. LLVM checks what it is given by assertions, which a released LLVM does
//! not have; here every safe function of the crate asks first (mostly `bridge/check.cpp`) and panics where the answer is no.
//!
//! A panic here is always a mistake of the compiler's own: the command line and the compile service turn it into an internal
//! error. What this file does not do: it does not say whether a module is valid as a whole, which is the verifier's.

use crate::value::Value;
use inkwell::llvm_sys::prelude::LLVMValueRef;

/// Panics unless `condition` holds; `what` names what does not fit.
#[inline]
#[track_caller]
pub(crate) fn fits(condition: bool, what: &str) {
    if !condition {
        fail(what);
    }
}

/// Panics: `what` does not fit where it was to be put.
#[cold]
#[track_caller]
pub(crate) fn fail(what: &str) -> ! {
    panic!("IR that does not fit together: {what}: this is a bug of the compiler")
}

/// The values as LLVM takes them.
pub(crate) fn raw_of(values: &[Value<'_>]) -> Vec<LLVMValueRef> {
    values.iter().map(|value| value.raw()).collect()
}
