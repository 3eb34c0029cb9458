//! Compiled objects and libraries: programs between compiling and linking.
//!
//! Their intermediate form is LLVM bitcode as the front end left it, nothing linked or optimised, in the archive entry
//! `/program.bc` beside the program's facts. It goes over the compile service's pipe and is what
//! `clGetProgramInfo(CL_PROGRAM_BINARIES)` gives, so it can be kept and linked by another process. An executable program has
//! such a module in another entry: single kernels of it are made again, and it is linked with nothing.

use oxcl_binary::archive::{Archive, BinaryType};
use oxcl_binary::meta::PROGRAM_MODULE_PATH;
use oxcl_frontend::{BuildOptions, OptLevel, Standard, Switch};
use oxcl_ir::{Context, Module, read_module};

use crate::error::CompileError;
use crate::pack::{self, MODULE_PATH};
use crate::settings::{Emit, Settings};

fn refused(index: usize, reason: impl Into<String>) -> CompileError {
    CompileError::Input { index, reason: reason.into() }
}

/// An archive to link; an executable program only where `part` of its own code is wanted.
fn read(index: usize, bytes: &[u8], part: bool) -> Result<Archive, CompileError> {
    let archive = Archive::read(bytes).map_err(|error| refused(index, error.to_string()))?;
    if archive.binary_type == BinaryType::Executable && !part {
        return Err(refused(index, "it is an executable program"));
    }
    // Intermediate code is trusted further than bytes from anywhere could be.
    if !Archive::is_sealed(bytes) {
        return Err(refused(index, "it was changed after it was written"));
    }
    Ok(archive)
}

/// The module in an archive.
pub(crate) fn module<'ctx>(
    context: &'ctx Context,
    index: usize,
    bytes: &[u8],
    part: bool,
) -> Result<Module<'ctx>, CompileError> {
    let archive = read(index, bytes, part)?;
    let is_executable = archive.binary_type == BinaryType::Executable;
    let path = if is_executable { PROGRAM_MODULE_PATH } else { MODULE_PATH };
    let file = archive.file(path).ok_or_else(|| refused(index, format!("it has no {path}")))?;
    read_module(context, &file.data, path).map_err(|error| refused(index, error.to_string()))
}

/// The options of a link with what its objects were compiled with: the latest language version, whatever concerns the
/// program as a whole, and the lowest level of optimisation.
pub(crate) fn options(
    of_link: &BuildOptions,
    objects: &[Vec<u8>],
    part: bool,
) -> Result<BuildOptions, CompileError> {
    let mut linked = of_link.clone();
    let mut latest: Option<Standard> = None;
    let mut level: Option<OptLevel> = None;
    for (index, bytes) in objects.iter().enumerate() {
        let meta = read(index, bytes, part)?.program_meta()?;
        let meta = meta.ok_or_else(|| refused(index, "another compiler made it"))?;
        let options =
            BuildOptions::parse(&meta.options).map_err(|error| refused(index, error.to_string()))?;
        latest = latest.max(Some(options.standard()));
        level = Some(level.map_or(options.opt_level(), |level| level.min(options.opt_level())));
        for switch in [
            Switch::DenormsAreZero,
            Switch::UniformWorkGroupSize,
            Switch::OptDisable,
            Switch::ZeroLocal,
            Switch::ZeroPrivate,
        ] {
            if options.switches.has(switch) {
                linked.switches.set(switch);
            }
        }
    }
    linked.standard = latest;
    linked.optimisation = level.filter(|level| *level != OptLevel::default());
    Ok(linked)
}

/// The archive of a compiled object or a library.
pub(crate) fn archive(settings: &Settings<'_>, module: &Module<'_>) -> Result<Vec<u8>, CompileError> {
    let is_library = settings.emit == Emit::Library;
    let what = if is_library { BinaryType::Library } else { BinaryType::CompiledObject };
    let bitcode = module.write_bitcode_to_memory().as_slice().to_vec();
    Ok(pack::object(settings, what, bitcode)?.seal()?)
}
