//! A kernel to a program that runs its work-groups.
//!
//! In: OpenCL C and a machine. Out: an image whose `main` runs every work-group of a launch that somebody has described at the
//! symbol [`LAUNCH`] (see `launch.c`). The front end compiles for 32-bit addresses; ids are computed as in 64-bit code, which
//! the work-group pass expects, and narrowed again by LLVM.

use super::{Language, Program, finish, read, select};
use crate::error::CompileError;
use crate::operations::Operations;
use crate::pack::MAX_GROUP;
use crate::request::SourceFile;
use crate::settings::Program as Sources;
use crate::stages::front_end::Parsed;
use crate::stages::work_group::sub_group_size;
use crate::stages::{builtins, front_end};
use oxcl_binary::abi;
use oxcl_codegen::{Level, Machine as Selector};
use oxcl_frontend::{Bits, BuildOptions, KernelSignature, Source, VirtualHeader, compile_c, kernels};
use oxcl_ir::{Builder, Context, Function, Module, Opcode};
use oxcl_tta::compile::CompileError as TtaError;
use oxcl_tta::lift::Ability;
use oxcl_tta::model::Machine;
use oxcl_workgroup::{Formed, Options, PoclAbi, Target, Vectors, Width, form};
use std::borrow::Cow;

/// The symbol of the description of a launch: words in the order of `launch.c`.
pub const LAUNCH: &str = "oxcl_launch";

/// The source of the program around a kernel.
const LAUNCH_SOURCE: &str = include_str!("launch.c");

/// Functions whose result is as wide as an address.
const WIDE: &[&str] = &[
    "_Z13get_global_idj",
    "_Z12get_local_idj",
    "_Z12get_group_idj",
    "_Z14get_num_groupsj",
    "_Z14get_local_sizej",
    "_Z23get_enqueued_local_sizej",
    "_Z15get_global_sizej",
    "_Z17get_global_offsetj",
    "_Z20get_global_linear_idv",
    "_Z19get_local_linear_idv",
    "oxcl_sub_group_lane",
    "oxcl_sub_group_number",
];

/// A kernel's program.
#[derive(Debug)]
pub struct KernelProgram {
    /// The program.
    pub program: Program,
    /// The kernel's name, parameters and attributes.
    pub signature: KernelSignature,
    /// What the work-group pass found out.
    pub formed: Formed,
}

impl KernelProgram {
    /// Bytes of scratch memory that a work-group of so many work-items needs.
    #[must_use]
    pub fn scratch_bytes(&self, items: u64) -> u64 {
        let width = u64::from(self.formed.width.max(1));
        self.formed.scratch_fixed
            + items.min(MAX_GROUP).next_multiple_of(width) * self.formed.scratch_per_item
    }
}

/// Compiles a kernel for `machine`; without a name the only one.
///
/// # Errors
/// The sources are wrong, or the machine cannot run them.
pub fn compile_kernel(
    sources: &[SourceFile],
    options: &BuildOptions,
    kernel: Option<&str>,
    machine: &Machine,
) -> Result<KernelProgram, CompileError> {
    let ability = Ability::of(machine).map_err(TtaError::from)?;
    let features = ability.features();
    let context = Context::create();
    let program = Sources {
        sources,
        il: &[],
        objects: &[],
        headers: &[],
        options: Cow::Borrowed(options),
        is_part: false,
    };
    let Parsed { module, diagnostics, .. } = front_end::run(&context, &program, Bits::Bits32)?;
    builtins::run(&module, Bits::Bits32, None)?;
    widen_ids(&module);
    let signature = choose(&module, sources, kernel)?;
    let name = signature.name.clone();
    let formed = form_kernel(
        &module,
        (&name, signature.reqd_sub_group_size),
        options.has_uniform_groups(),
        &features,
        Vec::new(),
    )?;
    if formed.facts.printf {
        // Nobody reads what an image without a driver prints.
        return Err(CompileError::NotYet { symbols: vec!["printf in images for ttasim".to_owned()] });
    }
    let entry = abi::native_symbol(&name);
    let text = select(&module, &features, &[&entry], Language::OpenClC)?;
    let launcher = Source { name: "launch.c", text: LAUNCH_SOURCE };
    let none: [VirtualHeader<'_>; 0] = [];
    let launcher = compile_c(&context, &launcher, &[format!("ENTRY={entry}")], &[], &none);
    let launcher = launcher.map_err(CompileError::Source)?;
    let launcher = select(&launcher.module, &features, &["main", LAUNCH], Language::C)?;
    let program = finish(machine, &[read(&launcher)?, read(&text)?], "main", diagnostics)?;
    Ok(KernelProgram { program, signature, formed })
}

/// Makes the work-group function of a kernel for 32-bit devices; `variables` are those at program scope with their places in
/// the program's memory.
pub(super) fn form_kernel(
    module: &Module<'_>,
    (name, required): (&str, Option<u64>),
    uniform: bool,
    features: &str,
    variables: Vec<(String, u64)>,
) -> Result<Formed, CompileError> {
    let failed = |error| CompileError::Codegen { kernel: name.to_owned(), error };
    let selector = Selector::riscv32(features, Level::O3).map_err(failed)?;
    let options = Options {
        width: Width::Fixed(1),
        plan: None,
        local_size: None,
        uniform,
        variables,
        pocl: PoclAbi::Context60,
        large_ids: false,
        sub_group_size: sub_group_size(required, 0),
        hinted_bits: None,
        target: Target {
            triple: "riscv32-unknown-elf".to_owned(),
            data_layout: selector.data_layout(),
            cpu: "generic-rv32".to_owned(),
            features: features.to_owned(),
            vectors: Vectors::default(),
        },
        remarks: false,
        strict: false,
    };
    // What must be fused is a call.
    Operations::default().settle(module);
    form(module, name, &options).map_err(|error| CompileError::Kernel { kernel: name.to_owned(), error })
}

fn choose(
    module: &Module<'_>,
    sources: &[SourceFile],
    wanted: Option<&str>,
) -> Result<KernelSignature, CompileError> {
    let mut all = kernels(module);
    let names: Vec<String> = all.iter().map(|k| k.name.clone()).collect();
    if names.is_empty() {
        let sources = sources.iter().map(|s| format!("'{}'", s.name)).collect();
        return Err(CompileError::NoKernel { sources });
    }
    let position = match wanted {
        Some(name) => names.iter().position(|n| n == name),
        None if names.len() == 1 => Some(0),
        None => return Err(CompileError::OneKernel { what: "a program", kernels: names }),
    };
    match position {
        Some(position) => Ok(all.swap_remove(position)),
        None => {
            Err(CompileError::UnknownKernel { name: wanted.unwrap_or_default().to_owned(), known: names })
        }
    }
}

/// Gives work-item functions results of 64 bits, of which their callers take the lower half.
pub(super) fn widen_ids(module: &Module<'_>) {
    for name in WIDE {
        let Some(narrow) = Function::find(module, name) else { continue };
        let types = narrow.types();
        if narrow.result() != types.i32() {
            continue;
        }
        let parameters: Vec<_> = narrow.parameters().iter().map(|p| p.ty()).collect();
        narrow.value().set_name("oxcl_narrow_query");
        let wide = Function::add(module, name, types.function(types.i64(), &parameters));
        for call in narrow.value().users() {
            let builder = Builder::before(call);
            let whole = builder.call(wide, &call.arguments(), "");
            let cut = builder.cast(Opcode::LLVMTrunc, whole, types.i32(), "");
            call.replace_uses_with(cut);
            call.erase();
        }
    }
}
