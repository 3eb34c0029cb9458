//! LLVM's code generator.
//!
//! In: a module of one kernel or of several. Out: an object or assembly; the module is used up.

use oxcl_codegen::{CodegenError, Machine, Output};
use oxcl_frontend::{Bits, KernelSignature, kernels};
use oxcl_ir::{Context, Module, read_module};
use oxcl_spirv::{Parameters, SpirvError, mended, with_own_labels, with_parameters};

use crate::error::CompileError;

mod plain;

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
/// That keeps the labels of all modules of a process, so that a later one may be given labels of an earlier one: they are
/// numbered anew, and where that cannot be, as two blocks of a function have one label, the module is made again with the back
/// end's own functions elsewhere in memory.
pub(crate) fn spirv(context: &Context, module: &Module<'_>, bits: Bits) -> Result<Vec<u8>, CompileError> {
    let bits = match bits {
        Bits::Bits32 => 32,
        Bits::Bits64 => 64,
    };
    let bitcode = module.write_bitcode_to_memory();
    let refused = |reason| CompileError::NoSpirv { error: CodegenError::Refused { stage: "SPIR-V", reason } };
    let damaged = |error: SpirvError| refused(format!("LLVM's back end wrote a damaged module: {error}"));
    let mut attempt = 0;
    let words = loop {
        let copy = read_module(context, bitcode.as_slice(), "program")?;
        plain::run(&copy);
        let words =
            oxcl_codegen::spirv(&copy, bits, attempt).map_err(|error| CompileError::NoSpirv { error })?;
        attempt += 1;
        match with_own_labels(&mended(&words).map_err(damaged)?) {
            Ok(words) => break words,
            Err(error) if attempt == ATTEMPTS => return Err(damaged(error)),
            Err(_) => {}
        }
    };
    // The back end writes pointers to bytes for all pointers.
    let types = |kernel: KernelSignature| Parameters {
        kernel: kernel.name,
        types: kernel.args.into_iter().map(|arg| (arg.type_name, qualifiers(arg.type_qualifier))).collect(),
    };
    let kernels: Vec<Parameters> = kernels(module).into_iter().map(types).collect();
    with_parameters(&words, &kernels).map_err(damaged)
}

/// Qualifiers of a parameter's type in words.
fn qualifiers(bits: u64) -> String {
    let words = [(1, "const"), (2, "restrict"), (4, "volatile"), (8, "pipe")];
    let said: Vec<&str> = words.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, word)| *word).collect();
    said.join(" ")
}
