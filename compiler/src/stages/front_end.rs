//! Sources and compiled objects to one module.
//!
//! In: texts, modules of SPIR-V, or objects that were compiled before. Out: LLVM IR of the whole program as clang leaves it, built-in functions
//! declared; warnings; and what was read from disk.

use oxcl_binary::pipe::Dependency;
use oxcl_frontend::{Bits, Diagnostics, Source, Switch, compile as clang, link_into};
use oxcl_ir::module::clear_memory;
use oxcl_ir::{Context, Module};
use oxcl_spirv::Addresses;

use crate::error::CompileError;
use crate::objects;
use crate::request::IlFile;
use crate::settings::Program;

/// What the sources and the objects have become.
pub(crate) struct Parsed<'ctx> {
    pub(crate) module: Module<'ctx>,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) dependencies: Vec<Dependency>,
}

/// Runs the stage, for addresses of so many bits.
pub(crate) fn run<'ctx>(
    context: &'ctx Context,
    program: &Program<'_>,
    bits: Bits,
) -> Result<Parsed<'ctx>, CompileError> {
    let mut whole: Option<Module<'ctx>> = None;
    let mut diagnostics = Diagnostics::default();
    let mut dependencies: Vec<Dependency> = Vec::new();
    for file in program.sources {
        let source = Source { name: &file.name, text: &file.text };
        let compiled = clang(context, &source, &program.options, program.headers, bits);
        let compiled = compiled.map_err(CompileError::Source)?;
        diagnostics.items.extend(compiled.diagnostics.items);
        for dependency in compiled.dependencies {
            if !dependencies.contains(&dependency) {
                dependencies.push(dependency);
            }
        }
        match &whole {
            None => whole = Some(compiled.module),
            Some(first) => link_into(first, compiled.module)?,
        }
    }
    for file in program.il {
        let module = spirv(context, file, bits)?;
        match &whole {
            None => whole = Some(module),
            Some(first) => link_into(first, module)?,
        }
    }
    for (index, object) in program.objects.iter().enumerate() {
        let module = objects::module(context, index, object, program.is_part)?;
        match &whole {
            None => whole = Some(module),
            Some(first) => link_into(first, module)?,
        }
    }
    let module = whole.ok_or_else(|| CompileError::Request("there is no source".into()))?;
    if !program.is_part {
        let has = |switch| program.options.switches.has(switch);
        clear_memory(&module, has(Switch::ZeroPrivate), has(Switch::ZeroLocal));
    }
    Ok(Parsed { module, diagnostics, dependencies })
}

/// A module of SPIR-V.
fn spirv<'ctx>(context: &'ctx Context, file: &IlFile, bits: Bits) -> Result<Module<'ctx>, CompileError> {
    let addresses = match bits {
        Bits::Bits32 => Addresses::Bits32,
        Bits::Bits64 => Addresses::Bits64,
    };
    let source = oxcl_spirv::Source { name: &file.name, bytes: &file.bytes, constants: &file.constants };
    let refused = |error| CompileError::Spirv { file: file.name.clone(), error };
    oxcl_spirv::read(context, &source, addresses).map_err(refused)
}
