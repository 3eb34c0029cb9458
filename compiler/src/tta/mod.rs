//! Programs for transport-triggered processors.
//!
//! In: sources and a machine. Out: a program image. LLVM selects instructions for 32-bit RISC-V with what the machine can do;
//! their machine IR, before registers are assigned, is [`oxcl_tta::compile`]'s input. Run-time routines come as machine IR
//! that was made beforehand.

mod headers;
pub mod kernel;
pub mod launch;
mod units;

pub(crate) use units::{Selected, Units, units};

use crate::error::CompileError;
use crate::request::SourceFile;
use oxcl_codegen::{Level, Machine as Selector, Passes};
use oxcl_frontend::{Diagnostics, Source, VirtualHeader, compile_c, link_into};
use oxcl_ir::{Context, Module};
use oxcl_tta::compile::{CompileError as TtaError, CompiledBlock, compile as compile_program};
use oxcl_tta::image::Image;
use oxcl_tta::lift::Ability;
use oxcl_tta::machine_ir;
use oxcl_tta::model::Machine;

/// Run-time routines as machine IR.
const ROUTINES: &str = include_str!("routines.mir");

/// The source that [`ROUTINES`] is made from.
const ROUTINES_SOURCE: &str = include_str!("routines.c");

/// A program in C and where its headers are.
#[derive(Debug, Clone, Default)]
pub struct CRequest {
    /// Sources that link into one program.
    pub sources: Vec<SourceFile>,
    /// Definitions: `NAME` or `NAME=VALUE`.
    pub macros: Vec<String>,
    /// Folders that are searched for headers.
    pub folders: Vec<String>,
}

/// A compiled program.
#[derive(Debug)]
pub struct Program {
    /// The program with its machine.
    pub image: Image,
    /// The first address above the data in each space.
    pub data_ends: std::collections::BTreeMap<oxcl_tta::model::SpaceId, u64>,
    /// The stack's lowest address.
    pub stack_bottom: u64,
    /// The blocks of its functions, with how short each could be.
    pub blocks: Vec<CompiledBlock>,
    /// The machine IR that it was made of, the run-time routines last.
    pub modules: Vec<machine_ir::Module>,
    /// Warnings.
    pub diagnostics: Diagnostics,
}

/// Compiles a program in C for `machine`; it begins with `main`.
///
/// # Errors
/// The sources are wrong, or the machine cannot run them.
pub fn compile_c_program(request: &CRequest, machine: &Machine) -> Result<Program, CompileError> {
    let (text, diagnostics) = c_machine_ir(request, machine)?;
    finish(machine, &[read(&text)?], "main", diagnostics)
}

/// The machine IR of a program in C.
///
/// # Errors
/// The sources are wrong, or nothing can be compiled for the machine.
pub fn c_machine_ir(request: &CRequest, machine: &Machine) -> Result<(String, Diagnostics), CompileError> {
    let ability = Ability::of(machine).map_err(TtaError::from)?;
    let operations = headers::operations(machine);
    let headers = headers::all(&operations);
    let context = Context::create();
    let mut macros = vec!["__TCE__".to_owned(), "__tce__".to_owned(), "__TCE_V1__".to_owned()];
    macros.extend(request.macros.iter().cloned());
    let mut whole: Option<Module<'_>> = None;
    let mut diagnostics = Diagnostics::default();
    for file in &request.sources {
        let source = Source { name: &file.name, text: &file.text };
        let compiled = compile_c(&context, &source, &macros, &request.folders, &headers);
        let compiled = compiled.map_err(CompileError::Source)?;
        diagnostics.items.extend(compiled.diagnostics.items);
        match &whole {
            None => whole = Some(compiled.module),
            Some(first) => link_into(first, compiled.module)?,
        }
    }
    let module = whole.ok_or_else(|| CompileError::Request("there is no source".into()))?;
    Ok((select(&module, &ability.features(), &["main"], Language::C)?, diagnostics))
}

/// What a module was written in: address spaces of a C program are the machine's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    OpenClC,
}

/// Optimises a module and selects its instructions; gives the machine IR.
fn select(
    module: &Module<'_>,
    features: &str,
    exports: &[&str],
    language: Language,
) -> Result<String, CompileError> {
    let failed = |error| CompileError::Codegen { kernel: exports.join(", "), error };
    let selector = Selector::riscv32(features, Level::O3).map_err(failed)?;
    selector.retarget(module);
    let passes = Passes {
        exports,
        no_vectorisers: true,
        widen: false,
        whole_program: !exports.is_empty(),
        generic: language == Language::OpenClC,
    };
    selector.optimise(module, &passes).map_err(failed)?;
    selector.tap(module).map_err(failed)
}

fn finish(
    machine: &Machine,
    modules: &[machine_ir::Module],
    entry: &str,
    diagnostics: Diagnostics,
) -> Result<Program, CompileError> {
    let mut modules = modules.to_vec();
    modules.push(read(ROUTINES)?);
    let compiled = compile_program(machine, &modules, entry)?;
    let image = Image { machine: machine.clone().into(), program: compiled.program };
    let (data_ends, stack_bottom) = (compiled.data_ends, compiled.stack_bottom);
    let blocks = compiled.blocks;
    Ok(Program { image, data_ends, stack_bottom, blocks, modules, diagnostics })
}

fn read(text: &str) -> Result<machine_ir::Module, CompileError> {
    machine_ir::parse(text).map_err(CompileError::MachineIr)
}

/// Makes the machine IR of the run-time routines from their source.
///
/// # Errors
/// LLVM refuses it.
pub fn make_routines() -> Result<String, CompileError> {
    let context = Context::create();
    let source = Source { name: "routines.c", text: ROUTINES_SOURCE };
    let none: [VirtualHeader<'_>; 0] = [];
    let compiled = compile_c(&context, &source, &[], &[], &none).map_err(CompileError::Source)?;
    select(&compiled.module, "+short-forward-branch-ialu", &[], Language::C)
}

/// The machine IR of the run-time routines as it is shipped.
#[must_use]
pub fn shipped_routines() -> &'static str {
    ROUTINES
}
