//! LLVM's code generator.
//!
//! In: a module of one kernel or of several. Out: an object or assembly; the module is used up.

use oxcl_codegen::{CodegenError, Machine, Output};
use oxcl_frontend::{Bits, KernelSignature, kernels};
use oxcl_ir::{Context, Module, read_module};
use oxcl_spirv::{Parameters, SpirvError, mended, with_parameters};

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
/// That keeps the labels of all modules of a process by the addresses of their functions, also when these are gone: a second
/// module may be given labels of the first one's, whose numbers it uses for something else. Such a module is made again, with
/// functions elsewhere.
pub(crate) fn spirv(context: &Context, module: &Module<'_>, bits: Bits) -> Result<Vec<u8>, CompileError> {
    let bits = match bits {
        Bits::Bits32 => 32,
        Bits::Bits64 => 64,
    };
    let bitcode = module.write_bitcode_to_memory();
    let refused = |reason| CompileError::NoSpirv { error: CodegenError::Refused { stage: "SPIR-V", reason } };
    let damaged = |error: SpirvError| refused(format!("LLVM's back end wrote a damaged module: {error}"));
    // Alive until a module is right, so that no other function gets their places.
    let mut copies = Vec::new();
    let words = loop {
        let copy = read_module(context, bitcode.as_slice(), "program")?;
        plain::run(&copy);
        let words = oxcl_codegen::spirv(&copy, bits).map_err(|error| CompileError::NoSpirv { error })?;
        let words = mended(&words).map_err(damaged)?;
        if !oxcl_spirv::defines_an_id_twice(&words) {
            break words;
        }
        copies.push(copy);
        if copies.len() == ATTEMPTS {
            return Err(refused("LLVM's back end defined an id twice".to_owned()));
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
