//! Programs from files: an archive is read, OpenCL C or SPIR-V is compiled in process for the devices at hand, or taken
//! from the cache.

use crate::error::CliError;
use crate::ui::Ui;
use oxcl_binary::meta::KernelMeta;
use oxcl_runtime::{Coded, Kernel, LoadError, Program};
use oxcl_workload::device::Device;
use oxcl_workload::host::Loaded;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// The bytes that every archive begins with.
const ARCHIVE_MAGIC: &[u8] = b"poclbin\0";

/// Local sizes of one program that get code of their own, at most.
const LOCAL_SIZES: usize = 8;

/// How sources are compiled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct How<'a> {
    /// The build options.
    pub(crate) options: &'a [String],
    /// Work-items that the code runs at a time; none: the compiler's choice.
    pub(crate) width: Option<u32>,
    /// A plan to follow.
    pub(crate) plan: Option<&'a Path>,
    /// Local sizes that there is code of their own for, beside the code for all.
    #[cfg_attr(not(feature = "compiler"), expect(dead_code, reason = "an archive has the code that it has"))]
    pub(crate) local_sizes: &'a [[u64; 3]],
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
    Ok(load_any(path, how, devices, ui)?.0)
}

/// As [`load`], for the launches that are asked for when the kernels are known, as names of kernels and local sizes. Kernels whose sub-groups meet get code
/// for the local size where their sub-groups are the rows: only there the work-items of a sub-group are the lanes of a vector. And kernels
/// whose lanes may run along columns get it where columns are not short.
pub(crate) fn load_for(
    path: &Path,
    how: How<'_>,
    launches: impl FnOnce(&Program) -> Vec<(String, [u64; 3])>,
    devices: &[Device],
    ui: &mut Ui,
) -> Result<Loaded, CliError> {
    let (mut loaded, is_compiled) = load_any(path, how, devices, ui)?;
    let is_open = is_compiled && how.width.is_none() && how.plan.is_none();
    if !is_open || !devices.iter().any(|device| matches!(device, Device::Cpu | Device::Basic)) {
        return Ok(loaded);
    }
    let mut local_sizes: Vec<[u64; 3]> = Vec::new();
    for (kernel, local) in launches(&loaded.program) {
        let pays = loaded.program.kernel(&kernel).is_ok_and(|kernel| pays(&kernel, local));
        if pays && !local_sizes.contains(&local) {
            local_sizes.push(local);
        }
    }
    // Many sizes are many functions, each of which takes as long to compile.
    local_sizes.truncate(LOCAL_SIZES);
    if local_sizes.is_empty() {
        return Ok(loaded);
    }
    let sizes: Vec<String> = local_sizes.iter().map(|[x, y, z]| format!("{x}x{y}x{z}")).collect();
    ui.detail(&format!(
        "compiling for local sizes {}: lanes are sub-groups there, or run along columns",
        sizes.join(", ")
    ));
    let again = load(path, How { local_sizes: &local_sizes, ..how }, devices, ui)?;
    loaded.program = again.program;
    loaded.stages.extend(again.stages);
    Ok(loaded)
}

/// Whether a kernel gains by code for one local size, of a launch that a device would take.
fn pays(kernel: &Kernel, local: [u64; 3]) -> bool {
    /// Shorter columns fill no vector.
    const SHORT: u64 = 8;
    let [x, y, z] = local;
    let items = x.checked_mul(y).and_then(|items| items.checked_mul(z)).unwrap_or(u64::MAX);
    let rows = |size: u32| x.is_multiple_of(u64::from(size)) || (y, z) == (1, 1);
    // A required local size has such code anyway.
    let sub_groups = |meta: &KernelMeta| meta.sub_groups && kernel.sub_group_size(false).is_some_and(rows);
    kernel.meta().is_some_and(|meta| sub_groups(meta) || (meta.columns && y >= SHORT))
        && kernel.record().reqd_wg_size == [0; 3]
        && kernel.record().work_group.is_none_or(|facts| (1..=u64::from(facts.max_size)).contains(&items))
}

/// The program, and whether it was made of a source.
fn load_any(path: &Path, how: How<'_>, devices: &[Device], ui: &mut Ui) -> Result<(Loaded, bool), CliError> {
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
        let loaded = Loaded { program, stages: vec![("load".to_owned(), start.elapsed())] };
        crate::trace::loaded(path, &loaded.stages);
        return Ok((loaded, false));
    }
    if std::str::from_utf8(&contents).is_err() && !oxcl_binary::il::is_spirv(&contents) {
        return Err(CliError::File {
            path: path.to_owned(),
            reason: "it is neither a pocl-binary nor SPIR-V nor OpenCL C text".to_owned(),
            help: None,
        });
    }
    let loaded = build(path, contents, how, devices, ui)?;
    crate::trace::loaded(path, &loaded.stages);
    Ok((loaded, true))
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

/// A local size with 1 for the dimensions that it leaves out.
pub(crate) fn padded(local: &[u64]) -> [u64; 3] {
    std::array::from_fn(|dimension| local.get(dimension).copied().unwrap_or(1))
}

/// Finds a kernel; without a name, the only one.
pub(crate) fn kernel(program: &Program, path: &Path, name: Option<&str>) -> Result<Kernel, CliError> {
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
