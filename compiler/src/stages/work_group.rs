//! A kernel to functions that run it.
//!
//! In: the program's complete module. Out: a module of the kernel's own for the real target. [`run`] gives the work-group
//! function, formed by `oxcl_workgroup`; [`reference`] what the reference executor runs instead.

use std::sync::Arc;

use oxcl_binary::archive::slots::ANY_SIZE;
use oxcl_binary::known::{KnownArgument, KnownArguments};
use oxcl_binary::meta::PixelPlaces;
use oxcl_codegen::CpuTarget;
use oxcl_frontend::KernelSignature;
use oxcl_ir::module::{clone_reached, know_arguments, run_passes};
use oxcl_ir::{Function, IrError, Module};
use oxcl_workgroup::{Formed, Options, form_best, has_images, sub_groups};

use super::target::Cpu;
use crate::error::CompileError;
use crate::reference as reference_code;
use crate::settings::{Emit, Settings};
use crate::variables::Variables;

/// The size of a kernel's sub-groups: the one that it asks for, else one that the vectors of the first CPU like. Whatever is made
/// of the kernel has it: code for other CPUs and for known local sizes, and the reference executor's.
pub(crate) fn sub_group_size(required: Option<u64>, vector_bits: u32) -> u32 {
    let like_vectors = match vector_bits {
        512.. => 16,
        256.. => 8,
        _ => 4,
    };
    required.and_then(|size| u32::try_from(size).ok()).unwrap_or(like_vectors)
}

/// Bits of the first CPU's vectors.
fn vector_bits(settings: &Settings<'_>) -> u32 {
    settings.cpus.first().map_or(0, CpuTarget::vector_bits)
}

/// What a kernel's attributes say of all its launches.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Required {
    /// The size of sub-groups.
    pub(crate) sub_group: Option<u64>,
    /// The local size.
    pub(crate) local: Option<[u64; 3]>,
    /// What `vec_type_hint` says of the numbers that it computes with: their bits.
    pub(crate) hinted_bits: Option<u32>,
}

impl From<&KernelSignature> for Required {
    fn from(signature: &KernelSignature) -> Self {
        let hint = signature.vec_type_hint.as_deref();
        Self {
            sub_group: signature.reqd_sub_group_size,
            local: signature.reqd_work_group_size,
            hinted_bits: hint.and_then(element_bits),
        }
    }
}

/// The bits of a type's elements: 32 of `uint4`.
fn element_bits(ty: &str) -> Option<u32> {
    match ty.trim_end_matches(|c: char| c.is_ascii_digit()).trim_start_matches('u') {
        "char" => Some(8),
        "short" | "half" => Some(16),
        "int" | "float" => Some(32),
        "long" | "double" => Some(64),
        _ => None,
    }
}

/// How `kernel` is formed for a local size or for [`ANY_SIZE`], which for a kernel that requires one is this
/// where all groups are whole.
pub(crate) fn options(
    settings: &Settings<'_>,
    variables: &Variables,
    (kernel, required): (&str, Required),
    cpu: &Cpu,
    size: [u64; 3],
) -> Options {
    Options {
        width: settings.width,
        plan: settings.plan.and_then(|plan| plan.of(kernel)).cloned().map(Arc::new),
        // Groups at the edge may be smaller than what is required.
        local_size: (size != ANY_SIZE).then_some(size).or(required.local.filter(|_| settings.uniform)),
        uniform: settings.uniform,
        variables: variables.offsets.clone(),
        pocl: settings.pocl,
        large_ids: settings.large_ids,
        sub_group_size: sub_group_size(required.sub_group, vector_bits(settings)),
        hinted_bits: required.hinted_bits,
        target: cpu.target.clone(),
        remarks: settings.emit == Emit::Remarks,
        strict: settings.strict,
    }
}

/// A copy of what a kernel reaches.
pub(crate) fn own_module<'ctx>(module: &Module<'ctx>, kernel: &str) -> Module<'ctx> {
    match Function::find(module, kernel) {
        Some(function) => clone_reached(module, function),
        // A kernel that is not there is refused by what follows.
        None => module.clone(),
    }
}

/// Private variables that hold parameters become values: arguments are followed through these alone.
const BEFORE_KNOWN: &str = "function(sroa)";
/// Takes away what known arguments have made needless: branches first, so that lanes never see them.
const AFTER_KNOWN: &str = "function(early-cse,instsimplify,\
    simplifycfg<no-switch-range-to-icmp;no-switch-to-lookup>,adce)";

/// Makes `kernel` one for arguments of these values.
fn know(module: &Module<'_>, kernel: &str, known: &KnownArguments) -> Result<(), IrError> {
    let Some(function) = Function::find(module, kernel).filter(|_| !known.is_empty()) else { return Ok(()) };
    run_passes(module, BEFORE_KNOWN)?;
    let known: Vec<_> = known.0.iter().map(|&KnownArgument { index, value }| (index, value)).collect();
    know_arguments(function, &known);
    run_passes(module, AFTER_KNOWN)
}

/// The pixels of images that a kernel reads and writes, as far as that is plain.
pub(crate) fn pixels(module: &Module<'_>, kernel: &str) -> Result<Vec<PixelPlaces>, CompileError> {
    if !Function::find(module, kernel).is_some_and(has_images) {
        return Ok(Vec::new());
    }
    let copy = own_module(module, kernel);
    let found = Function::find(&copy, kernel).map(|function| oxcl_workgroup::pixels(&copy, function));
    Ok(found.transpose()?.unwrap_or_default())
}

/// Runs the stage.
pub(crate) fn run<'ctx>(
    module: &Module<'ctx>,
    kernel: &str,
    options: &Options,
    known: &KnownArguments,
    cpu: &Cpu,
) -> Result<(Module<'ctx>, Formed), CompileError> {
    let copy = own_module(module, kernel);
    know(&copy, kernel, known)?;
    cpu.operations.settle(&copy);
    let (copy, formed) = form_best(copy, kernel, options)
        .map_err(|error| CompileError::Kernel { kernel: kernel.to_owned(), error })?;
    cpu.machine.retarget(&copy);
    Ok((copy, formed))
}

/// Makes the reference executor's function; gives the sizes of the kernel's `__local` variables as well.
pub(crate) fn reference<'ctx>(
    module: &Module<'ctx>,
    kernel: &str,
    required: Required,
    variables: &Variables,
    cpu: &Cpu,
) -> Result<(Module<'ctx>, Vec<u64>), CompileError> {
    let copy = module.clone();
    sub_groups::settle(&copy, sub_group_size(required.sub_group, cpu.target.vectors.bits));
    cpu.operations.portable().settle(&copy);
    let sizes = reference_code::build(&copy, kernel, &variables.offsets, &cpu.target)?;
    cpu.machine.retarget(&copy);
    Ok((copy, sizes))
}
