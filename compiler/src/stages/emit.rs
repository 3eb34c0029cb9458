//! LLVM's code generator.
//!
//! In: a module of one kernel or of several. Out: an object or assembly; the module is used up.

use oxcl_codegen::{Machine, Output};
use oxcl_ir::Module;

use crate::error::CompileError;

/// Runs the stage.
pub(crate) fn run(
    module: &Module<'_>,
    kernel: &str,
    machine: &Machine,
    output: Output,
) -> Result<Vec<u8>, CompileError> {
    let code = machine.emit(module, output);
    code.map_err(|error| CompileError::Codegen { kernel: kernel.to_owned(), error })
}
