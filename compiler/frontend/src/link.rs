//! Several modules of one context into one.

use std::ffi::c_void;

use oxcl_ir::Module;

use crate::bridge;

/// Why modules could not be linked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// Two modules define the same function or variable.
    #[error("defined more than once: {}; rename it, or make it static", names(.symbols))]
    Duplicate {
        /// The names, sorted.
        symbols: Vec<String>,
    },
    /// LLVM's linker refused.
    #[error("the modules do not fit together: {}", .reasons.join("; "))]
    Refused {
        /// What it said.
        reasons: Vec<String>,
    },
    /// There is nothing to link.
    #[error("there is no module to link")]
    Empty,
}

fn names(symbols: &[String]) -> String {
    let quoted: Vec<String> = symbols.iter().map(|name| format!("'{name}'")).collect();
    quoted.join(", ")
}

/// The part of a kernel's name that clang adds to the function with its body.
pub const KERNEL_BODY_PREFIX: &str = "__clang_ocl_kern_imp_";

/// Links all modules into the first.
///
/// # Errors
/// No module, a symbol defined twice, or types that clash.
pub fn link<'ctx>(modules: Vec<Module<'ctx>>) -> Result<Module<'ctx>, LinkError> {
    let mut modules = modules.into_iter();
    let into = modules.next().ok_or(LinkError::Empty)?;
    for module in modules {
        link_into(&into, module)?;
    }
    Ok(into)
}

/// Links `from` into `into`, both of the same context.
///
/// # Errors
/// A symbol defined twice, or types that clash; then `into` may hold a part of `from` and is of no use any more.
pub fn link_into<'ctx>(into: &Module<'ctx>, from: Module<'ctx>) -> Result<(), LinkError> {
    let mut said: Vec<String> = Vec::new();
    let source = from.as_mut_ptr();
    std::mem::forget(from);
    let user: *mut c_void = (&raw mut said).cast();
    // SAFETY: both modules are valid and of one context (by their lifetime); `source` is given away and its owner
    // forgotten; `take_message` is called with `user`, the only way to `said` meanwhile.
    let outcome = unsafe { bridge::oxcl_link_module(into.as_mut_ptr(), source, take_message, user) };
    match outcome {
        bridge::LINKED => Ok(()),
        bridge::LINK_DUPLICATE => {
            let strip = |name: String| match name.strip_prefix(KERNEL_BODY_PREFIX) {
                Some(kernel) => kernel.to_owned(),
                None => name,
            };
            let mut symbols: Vec<String> = said.into_iter().map(strip).collect();
            symbols.sort();
            symbols.dedup();
            Err(LinkError::Duplicate { symbols })
        }
        _ => Err(LinkError::Refused { reasons: said }),
    }
}

/// Copies one message of the linker's.
///
/// # Safety
/// `user` is the `Vec<String>` of the running call, and `message` is readable.
unsafe extern "C" fn take_message(user: *mut c_void, message: bridge::Text) {
    // SAFETY: `user` is what `link_into` passed: a vector that nothing else touches during the call.
    let into = unsafe { &mut *user.cast::<Vec<String>>() };
    // SAFETY: the bridge passes a text that is readable during this call.
    into.push(unsafe { message.to_string() });
}
