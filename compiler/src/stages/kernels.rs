//! The kernels that code is made of, and the memory that they share.
//!
//! In: a complete module. Out: the signatures of the kernels that are wanted, the object that each is in where several are
//! put together, and the places of variables at program scope.

use oxcl_binary::archive::{ArgKind, Version};
use oxcl_binary::meta::SUB_GROUP_SIZES;
use oxcl_frontend::{Bits, KernelSignature, kernels};
use oxcl_ir::Module;

use crate::error::CompileError;
use crate::names;
use crate::settings::{Emit, Settings};
use crate::share;
use crate::variables::{self, Variables};

/// What was chosen.
pub(crate) struct Chosen {
    /// The names of all kernels of the program, in the order of the sources.
    pub(crate) names: Vec<String>,
    /// Those that code is made of.
    pub(crate) signatures: Vec<KernelSignature>,
    /// The object that each of them is in, where an archive is made.
    pub(crate) objects: Vec<usize>,
    /// Where the variables lie that 64-bit code shares.
    pub(crate) variables: Variables,
}

/// Runs the stage. `kernel` is the only one to look at, where what is emitted shows one.
pub(crate) fn run(
    module: &Module<'_>,
    settings: &Settings<'_>,
    kernel: Option<&str>,
) -> Result<Chosen, CompileError> {
    let is_archive = settings.emit == Emit::Archive;
    let mut signatures = kernels(module);
    // OpenCL takes programs without kernels; there is just nothing to show of one.
    if signatures.is_empty() && !is_archive {
        let texts = settings.program.sources.iter().map(|source| &source.name);
        let names = texts.chain(settings.program.il.iter().map(|file| &file.name));
        let sources = names.map(|name| format!("'{name}'")).collect();
        return Err(CompileError::NoKernel { sources });
    }
    // Images have no place in the memory of processors yet.
    let images = settings.bits == Bits::Bits64 && settings.machines.is_empty();
    signatures.iter().try_for_each(|signature| check_parameters(signature, images))?;
    signatures.iter().try_for_each(check_sub_groups)?;
    let names: Vec<String> = signatures.iter().map(|signature| signature.name.clone()).collect();
    if let Some(wanted) = kernel {
        signatures.retain(|signature| signature.name == wanted);
        if signatures.is_empty() {
            return Err(CompileError::UnknownKernel { name: wanted.to_owned(), known: names });
        }
    }
    let objects = if is_archive {
        share::retain(module, settings.kernels, &mut signatures, settings.native, settings.is_hurried)?
    } else {
        Vec::new()
    };
    let variables = match settings.bits {
        // Units for processors have their own.
        Bits::Bits32 => Variables::default(),
        Bits::Bits64 => variables::lay_out(module)?,
    };
    if is_archive {
        check_variables(settings.version, &variables)?;
    }
    Ok(Chosen { names, signatures, objects, variables })
}

/// Refuses parameters that no device takes, or one of those that code is made for does not, whether the kernel uses them or not.
fn check_parameters(signature: &KernelSignature, images: bool) -> Result<(), CompileError> {
    for arg in &signature.args {
        let what = match arg.kind {
            ArgKind::Image if !images => "images on transport-triggered processors",
            ArgKind::Sampler if !images => "samplers on transport-triggered processors",
            ArgKind::Pipe => "pipes",
            ArgKind::Image | ArgKind::Sampler | ArgKind::Pointer | ArgKind::Value => continue,
        };
        return Err(CompileError::ParameterNotYet {
            kernel: signature.name.clone(),
            parameter: arg.name.clone(),
            type_name: arg.type_name.clone(),
            what,
        });
    }
    Ok(())
}

/// Refuses sizes of sub-groups that no device has.
fn check_sub_groups(signature: &KernelSignature) -> Result<(), CompileError> {
    match signature.reqd_sub_group_size {
        Some(size) if !SUB_GROUP_SIZES.iter().any(|known| u64::from(*known) == size) => {
            Err(CompileError::SubGroupSize { kernel: signature.name.clone(), size })
        }
        _ => Ok(()),
    }
}

/// Refuses variables at program scope in containers that have no place for them: PoCL 3.1 would run the kernels without
/// memory for their variables.
fn check_variables(version: Version, variables: &Variables) -> Result<(), CompileError> {
    match variables.offsets.first() {
        Some((variable, _)) if version == Version::V9 => {
            Err(CompileError::VariablesNotInVersion { variable: names::shown(variable).to_owned() })
        }
        _ => Ok(()),
    }
}
