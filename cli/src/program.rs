//! Programs from files: an archive is read, OpenCL C or SPIR-V is compiled in process for the devices at hand, or taken
//! from the cache.

use crate::error::CliError;
use crate::ui::Ui;
use oxcl_runtime::{Coded, LoadError, Program};
use oxcl_workload::device::Device;
use oxcl_workload::host::Loaded;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// The bytes that every archive begins with.
const ARCHIVE_MAGIC: &[u8] = b"poclbin\0";

/// How sources are compiled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct How<'a> {
    /// The build options.
    pub(crate) options: &'a [String],
    /// Work-items that the code runs at a time; none: the compiler's choice.
    pub(crate) width: Option<u32>,
    /// A plan to follow.
    pub(crate) plan: Option<&'a Path>,
    /// What was compiled before is taken from the cache, and what is compiled is kept there.
    #[cfg_attr(not(feature = "compiler"), expect(dead_code, reason = "only a compiler's results are kept"))]
    pub(crate) cache: bool,
}

/// Whether a file's contents are an archive, whatever its name.
pub(crate) fn is_archive(contents: &[u8]) -> bool {
    contents.starts_with(ARCHIVE_MAGIC)
}

/// Loads `path` for `devices`; how to compile is for sources only.
pub(crate) fn load(path: &Path, how: How<'_>, devices: &[Device], ui: &mut Ui) -> Result<Loaded, CliError> {
    let loaded = load_any(path, how, devices, ui)?;
    crate::trace::loaded(path, &loaded.stages);
    Ok(loaded)
}

fn load_any(path: &Path, how: How<'_>, devices: &[Device], ui: &mut Ui) -> Result<Loaded, CliError> {
    let contents = fs::read(path).map_err(|source| CliError::Read { path: path.to_owned(), source })?;
    if is_archive(&contents) {
        if !how.options.is_empty() || how.width.is_some() || how.plan.is_some() {
            let help = "leave them out, or give the source";
            return Err(CliError::usage_with_help(
                format!("'{}' is compiled already, and build options were given", path.display()),
                help,
            ));
        }
        let start = Instant::now();
        let program = Program::from_archive(&contents).map_err(|e| load_error(path, &e))?;
        return Ok(Loaded { program, stages: vec![("load".to_owned(), start.elapsed())] });
    }
    if std::str::from_utf8(&contents).is_err() && !oxcl_binary::il::is_spirv(&contents) {
        return Err(CliError::File {
            path: path.to_owned(),
            reason: "it is neither a pocl-binary nor SPIR-V nor OpenCL C text".to_owned(),
            help: None,
        });
    }
    build(path, contents, how, devices, ui)
}

#[cfg(feature = "compiler")]
fn build(
    path: &Path,
    contents: Vec<u8>,
    how: How<'_>,
    devices: &[Device],
    ui: &mut Ui,
) -> Result<Loaded, CliError> {
    let built = crate::build::for_here(path, contents, how, devices, ui)?;
    let mut stages = built.stages;
    let start = Instant::now();
    let program = Program::from_archive(&built.bytes).map_err(|e| load_error(path, &e))?;
    stages.push(("load".to_owned(), start.elapsed()));
    Ok(Loaded { program, stages })
}

#[cfg(not(feature = "compiler"))]
fn build(
    path: &Path,
    _contents: Vec<u8>,
    _how: How<'_>,
    _devices: &[Device],
    _ui: &mut Ui,
) -> Result<Loaded, CliError> {
    Err(CliError::File {
        path: path.to_owned(),
        reason: "it is not a pocl-binary, and this oxcl was built without the compiler".to_owned(),
        help: Some("compile it where the compiler is: oxcl compile FILE.cl -o FILE.poclbin".to_owned()),
    })
}

fn load_error(path: &Path, error: &LoadError) -> CliError {
    CliError::File {
        path: path.to_owned(),
        reason: format!("{error} [{}]", error.code()),
        help: Some(format!("see what is in it: oxcl inspect {}", path.display())),
    }
}

/// Finds a kernel; without a name, the only one.
pub(crate) fn kernel(
    program: &Program,
    path: &Path,
    name: Option<&str>,
) -> Result<oxcl_runtime::Kernel, CliError> {
    let known: Vec<&str> = program.kernel_names().collect();
    let name = match (name, known.as_slice()) {
        (Some(name), _) => name,
        (None, [only]) => only,
        (None, _) => {
            let message = format!("'{}' has {} kernels: name one", path.display(), known.len());
            return Err(CliError::usage_with_help(message, format!("its kernels: {}", known.join(", "))));
        }
    };
    program.kernel(name).map_err(|error| {
        let help = match oxcl_workload::nearest::nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its kernels: {}", known.join(", ")),
        };
        CliError::Usage { message: format!("'{}': {error}", path.display()), help: Some(help) }
    })
}

/// Splits build options that are written in one text, as the compiler that takes them does.
#[cfg(feature = "compiler")]
pub(crate) fn split_options(text: &str) -> Result<Vec<String>, String> {
    crate::build::split_options(text)
}

/// Splits build options that are written in one text: without a compiler only their presence matters.
#[cfg(not(feature = "compiler"))]
pub(crate) fn split_options(text: &str) -> Result<Vec<String>, String> {
    Ok(text.split_whitespace().map(str::to_owned).collect())
}
