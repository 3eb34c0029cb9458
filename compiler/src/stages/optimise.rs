//! LLVM's optimiser over a kernel's module.
//!
//! In: work-group functions for the real target. Out: the same module, optimised; what nobody else calls is internal.

use oxcl_codegen::{Machine, Passes};
use oxcl_ir::Module;

use crate::error::CompileError;

/// Runs the stage; `has_barrier`: the kernel waits for its group somewhere.
pub(crate) fn run(
    module: &Module<'_>,
    kernel: &str,
    machine: &Machine,
    exports: &[&str],
    has_barrier: bool,
) -> Result<(), CompileError> {
    // What lives across barriers goes through memory in every loop: one at a time that takes ten times as long.
    let passes = Passes { exports, widen: has_barrier, ..Passes::default() };
    let done = machine.optimise(module, &passes);
    done.map_err(|error| CompileError::Codegen { kernel: kernel.to_owned(), error })
}
