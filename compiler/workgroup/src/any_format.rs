//! Functions for pixels of any format: whether they become part of a kernel, so that many lanes decode at once, or are called for
//! each work-item.
//!
//! In: a module with the library's functions still calls. Out: [`AnyFormat`], and which functions it is about. They are long, and
//! the formats that pictures mostly have are known beside them: they must not cost a kernel its lanes.

use crate::Options;
use crate::error::FormError;
use crate::plan::choose::{LARGEST_PREPARED, inlined_size};
use oxcl_ir::access::{IMAGE, PIXEL};
use oxcl_ir::cfg::Cfg;
use oxcl_ir::{Function, Module, Opcode};
use std::collections::{HashMap, HashSet};

/// Calls of a function for pixels of any format that it becomes part of the kernel for.
const FEW: u32 = 2;

/// What becomes of the functions for pixels of any format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnyFormat {
    /// Those that are called little are part of the kernel.
    InKernel,
    /// All stay calls.
    Apart,
}

fn is_pixel(function: Function<'_>) -> bool {
    function.name().starts_with(PIXEL)
}

/// Chooses for a kernel. `try_with` prepares it in the module that it is given, with these functions in it, and says how large it is
/// then: which branches samplers and formats that are known take away shows only there.
pub(crate) fn choose<'c>(
    module: &Module<'c>,
    kernel: &str,
    options: &Options,
    try_with: impl FnOnce(&Module<'c>) -> Result<usize, FormError>,
) -> Result<AnyFormat, FormError> {
    let may_be_large = || {
        Function::find(module, kernel)
            .is_some_and(|kernel| inlined_size(kernel, &mut HashMap::new()) > LARGEST_PREPARED)
    };
    if !options.has_lanes() || !Function::all(module).into_iter().any(is_pixel) || !may_be_large() {
        return Ok(AnyFormat::InKernel);
    }
    let size = try_with(&module.clone())?;
    Ok(if size > LARGEST_PREPARED { AnyFormat::Apart } else { AnyFormat::InKernel })
}

impl AnyFormat {
    /// The functions for pixels of any format that become part of the kernel: those that it calls in few places, and in no loop of
    /// the program: a loop with them in it is too long to be unrolled, or to be made one for each format. (A loop of the library's own
    /// has them once.) `order` is what a kernel reaches, callees before their callers.
    pub(crate) fn in_kernel<'c>(self, order: &[Function<'c>]) -> HashSet<Function<'c>> {
        if self == AnyFormat::Apart || !order.iter().copied().any(is_pixel) {
            return HashSet::new();
        }
        let mut calls: HashMap<Function<'c>, u32> = HashMap::new();
        for (number, function) in order.iter().rev().enumerate() {
            let name = function.name();
            let is_kernel = number == 0;
            if !is_kernel && name.starts_with(IMAGE) {
                // It stays a call itself, with what it calls.
                continue;
            }
            let own = if is_kernel { 1 } else { calls.get(function).copied().unwrap_or(0) };
            // What the front end makes of a kernel that others may call has a name of its own.
            let is_of_library = name.starts_with("_Z") || name.starts_with("oxcl_");
            let cfg = (is_kernel || !is_of_library).then(|| Cfg::of(*function));
            for call in function.instructions().into_iter().filter(|call| call.is(Opcode::LLVMCall)) {
                let (Some(callee), Some(block)) = (call.callee(), call.block()) else { continue };
                let loops = cfg.as_ref().is_some_and(|cfg| cfg.innermost[cfg.number(block)].is_some());
                let added = if loops { own.saturating_mul(FEW + 1) } else { own };
                let calls = calls.entry(callee).or_default();
                *calls = calls.saturating_add(added);
            }
        }
        let few = |function: &Function<'c>| calls.get(function).is_some_and(|&calls| calls <= FEW);
        order.iter().copied().filter(|function| is_pixel(*function) && few(function)).collect()
    }
}
