//! LLVM's code generator.
//!
//! In: a module of one kernel or of several. Out: an object or assembly; the module is used up.

use oxcl_codegen::{Machine, Output};
use oxcl_frontend::Bits;
use oxcl_ir::{Context, Module, read_module};

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

/// How often LLVM's back end is asked for the same module.
const ATTEMPTS: usize = 8;

/// The front end's module as SPIR-V, by LLVM's own back end.
///
/// That keeps the labels of all modules of a process by the addresses of their functions, also when these are gone: a second
/// module may be given labels of the first one's, whose numbers it uses for something else. Such a module is made again, with
/// functions elsewhere.
pub(crate) fn spirv(context: &Context, module: &Module<'_>, bits: Bits) -> Result<Vec<u8>, CompileError> {
    let bits = match bits {
        Bits::Bits32 => 32,
        Bits::Bits64 => 64,
    };
    let bitcode = module.write_bitcode_to_memory();
    // Alive until a module is right, so that no other function gets their places.
    let mut copies = Vec::new();
    let mut words = Vec::new();
    for _ in 0..ATTEMPTS {
        let copy = read_module(context, bitcode.as_slice(), "program")?;
        words = oxcl_codegen::spirv(&copy, bits).map_err(|error| CompileError::NoSpirv { error })?;
        copies.push(copy);
        if oxcl_spirv::defines_ids_once(&words) {
            break;
        }
    }
    Ok(words)
}
