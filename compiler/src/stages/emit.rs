//! LLVM's code generator.
//!
//! In: a module of one kernel or of several. Out: an object or assembly; the module is used up.

use oxcl_codegen::{Machine, Output, spirv_triple};
use oxcl_frontend::Bits;
use oxcl_ir::Module;
use oxcl_ir::module::set_target;

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

/// The front end's module as SPIR-V, by LLVM's own back end.
pub(crate) fn spirv(module: &Module<'_>, bits: Bits) -> Result<Vec<u8>, CompileError> {
    let refused = |error| CompileError::NoSpirv { error };
    let bits = match bits {
        Bits::Bits32 => 32,
        Bits::Bits64 => 64,
    };
    let machine = Machine::spirv(bits).map_err(refused)?;
    set_target(module, spirv_triple(bits), &machine.data_layout());
    machine.emit(module, Output::Object).map_err(refused)
}
