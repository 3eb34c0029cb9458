//! The report on a pocl-binary.

use super::files::{self, Kind};
use crate::error::CliError;
use crate::ui::table::Table;
use oxcl_binary::archive::{
    AccessQualifier, AddressQualifier, Archive, Arg, ArgKind, BinaryType, File, Kernel,
};
use oxcl_binary::meta::{Access, KernelMeta, ProgramMeta};
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// What an archive says of itself and its kernels.
#[derive(Debug, Serialize)]
pub(crate) struct ArchiveReport {
    version: u32,
    /// In hexadecimal: JSON numbers cannot hold all of it.
    device_id: String,
    binary_type: &'static str,
    flush_denorms: bool,
    program_scope_bytes: Option<u64>,
    build_hash: String,
    facts: Facts<ProgramMeta>,
    files: Vec<FileReport>,
    kernels: Vec<KernelReport>,
}

/// What our compiler recorded.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Facts<T> {
    /// Another compiler made the archive.
    Absent,
    /// The facts are there and cannot be used.
    Unusable(String),
    /// The facts.
    #[serde(untagged)]
    Known(T),
}

impl<T> Facts<T> {
    fn of(read: Result<Option<T>, impl fmt::Display>) -> Self {
        match read {
            Ok(Some(facts)) => Self::Known(facts),
            Ok(None) => Self::Absent,
            Err(error) => Self::Unusable(error.to_string()),
        }
    }
}

#[derive(Debug, Serialize)]
struct FileReport {
    path: String,
    kind: Kind,
    bytes: usize,
}

#[derive(Debug, Serialize)]
struct KernelReport {
    name: String,
    args: Vec<ArgReport>,
    local_sizes: Vec<u64>,
    reqd_work_group_size: Option<[u64; 3]>,
    attributes: String,
    work_group: Option<WorkGroupReport>,
    /// Most sub-groups, and the number compiled for.
    sub_groups: Option<[u32; 2]>,
    reqd_sub_group_size: Option<u32>,
    facts: Facts<KernelMeta>,
    files: Vec<FileReport>,
}

#[derive(Debug, Serialize)]
struct WorkGroupReport {
    max_size: u32,
    preferred_multiple: u32,
    local_mem: u32,
    private_mem: u32,
    spill_mem: u32,
}

#[derive(Debug, Serialize)]
struct ArgReport {
    name: String,
    type_name: String,
    address: &'static str,
    access: &'static str,
    kind: &'static str,
    qualifiers: Vec<&'static str>,
    bytes: u32,
}

/// The error for a kernel that the archive does not have.
pub(crate) fn no_such_kernel(path: &Path, archive: &Archive, name: &str) -> CliError {
    let known: Vec<&str> = archive.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    let help = match oxcl_workload::nearest::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its kernels: {}", known.join(", ")),
    };
    CliError::usage_with_help(format!("'{}' has no kernel '{name}'", path.display()), help)
}

impl ArchiveReport {
    /// Reports on the archive and these of its kernels.
    pub(crate) fn of(archive: &Archive, kernels: &[&Kernel]) -> Self {
        Self {
            version: archive.version.number(),
            device_id: format!("{:#018x}", archive.device_id),
            binary_type: match archive.binary_type {
                BinaryType::CompiledObject => "compiled object",
                BinaryType::Library => "library",
                BinaryType::Executable => "executable",
            },
            flush_denorms: archive.flush_denorms,
            program_scope_bytes: archive.program_scope_bytes,
            build_hash: archive.build_hash.clone(),
            facts: Facts::of(archive.program_meta()),
            files: archive.root.iter().flatten().map(FileReport::of).collect(),
            kernels: kernels.iter().map(|kernel| KernelReport::of(kernel)).collect(),
        }
    }
}

impl FileReport {
    fn of(file: &File) -> Self {
        Self { path: file.path.clone(), kind: files::kind(&file.data), bytes: file.data.len() }
    }
}

impl KernelReport {
    fn of(kernel: &Kernel) -> Self {
        Self {
            name: kernel.name.clone(),
            args: kernel.args.iter().map(ArgReport::of).collect(),
            local_sizes: kernel.local_sizes.clone(),
            reqd_work_group_size: (kernel.reqd_wg_size != [0; 3]).then_some(kernel.reqd_wg_size),
            attributes: kernel.attributes.clone(),
            work_group: kernel.work_group.map(|facts| WorkGroupReport {
                max_size: facts.max_size,
                preferred_multiple: facts.preferred_multiple,
                local_mem: facts.local_mem,
                private_mem: facts.private_mem,
                spill_mem: facts.spill_mem,
            }),
            sub_groups: kernel.sub_groups,
            reqd_sub_group_size: kernel.reqd_sub_group_size,
            facts: Facts::of(kernel.meta()),
            files: kernel.files.iter().map(FileReport::of).collect(),
        }
    }
}

impl ArgReport {
    fn of(arg: &Arg) -> Self {
        const QUALIFIERS: [(u64, &str); 4] = [(1, "const"), (2, "restrict"), (4, "volatile"), (8, "pipe")];
        Self {
            name: arg.name.clone(),
            type_name: arg.type_name.clone(),
            address: match arg.address {
                AddressQualifier::Global => "global",
                AddressQualifier::Local => "local",
                AddressQualifier::Constant => "constant",
                AddressQualifier::Private => "private",
            },
            access: match arg.access {
                AccessQualifier::ReadOnly => "read_only",
                AccessQualifier::WriteOnly => "write_only",
                AccessQualifier::ReadWrite => "read_write",
                AccessQualifier::None => "none",
            },
            kind: match arg.kind {
                ArgKind::Value => "value",
                ArgKind::Pointer => "pointer",
                ArgKind::Image => "image",
                ArgKind::Sampler => "sampler",
                ArgKind::Pipe => "pipe",
            },
            qualifiers: QUALIFIERS
                .iter()
                .filter(|(bit, _)| arg.type_qualifier & bit != 0)
                .map(|(_, word)| *word)
                .collect(),
            bytes: arg.size,
        }
    }
}

impl fmt::Display for ArchiveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pocl-binary version {}, {}", self.version, self.binary_type)?;
        writeln!(f, "device id     {}", self.device_id)?;
        writeln!(f, "build hash    {}", self.build_hash)?;
        if self.flush_denorms {
            writeln!(f, "denormals     flushed to zero")?;
        }
        if let Some(bytes @ 1..) = self.program_scope_bytes {
            writeln!(f, "program scope {bytes} bytes of variables")?;
        }
        match &self.facts {
            Facts::Absent => writeln!(f, "compiler      not oxcl")?,
            Facts::Unusable(error) => writeln!(f, "compiler      facts cannot be used: {error}")?,
            Facts::Known(facts) => write_program(f, facts)?,
        }
        write_files(f, &self.files)?;
        for kernel in &self.kernels {
            write!(f, "\n{kernel}")?;
        }
        Ok(())
    }
}

fn write_program(f: &mut fmt::Formatter<'_>, facts: &ProgramMeta) -> fmt::Result {
    writeln!(f, "compiler      oxcl {} for {}, {}", facts.compiler, facts.triple, facts.cl_std)?;
    if !facts.options.is_empty() {
        writeln!(f, "options       {}", facts.options)?;
    }
    for level in &facts.levels {
        let features =
            if level.features.is_empty() { String::new() } else { format!(": {}", level.features.join(" ")) };
        writeln!(f, "CPU level     {}{features}", level.cpu)?;
    }
    if facts.has_ref {
        writeln!(f, "also          for the reference executor")?;
    }
    Ok(())
}

fn write_files(f: &mut fmt::Formatter<'_>, files: &[FileReport]) -> fmt::Result {
    if files.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&["file", "kind", "bytes"]).right(2);
    for file in files {
        table.row(vec![file.path.clone(), file.kind.word().to_owned(), file.bytes.to_string()]);
    }
    write!(f, "\n{table}")
}

impl fmt::Display for KernelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {}", self.name)?;
        if !self.attributes.is_empty() {
            writeln!(f, "attributes    {}", self.attributes)?;
        }
        if let Some([x, y, z]) = self.reqd_work_group_size {
            writeln!(f, "local size    {x} x {y} x {z}, required")?;
        }
        if let Some(facts) = &self.work_group {
            writeln!(
                f,
                "work-group    at most {} items, best a multiple of {}; {} bytes local, {} private for each item",
                facts.max_size, facts.preferred_multiple, facts.local_mem, facts.private_mem
            )?;
        }
        if let Some([most, compiled]) = self.sub_groups {
            writeln!(f, "sub-groups    at most {most}, compiled for {compiled}")?;
        }
        if let Some(size) = self.reqd_sub_group_size {
            writeln!(f, "sub-groups    of {size} items, required")?;
        }
        if !self.local_sizes.is_empty() {
            let sizes: Vec<String> = self.local_sizes.iter().map(u64::to_string).collect();
            writeln!(f, "own locals    {} bytes", sizes.join(" + "))?;
        }
        match &self.facts {
            Facts::Absent => {}
            Facts::Unusable(error) => writeln!(f, "facts         cannot be used: {error}")?,
            Facts::Known(facts) => write_kernel_facts(f, facts)?,
        }
        self.write_args(f)?;
        write_files(f, &self.files)
    }
}

impl KernelReport {
    fn write_args(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.args.is_empty() {
            return Ok(());
        }
        let uses = match &self.facts {
            Facts::Known(facts) => facts.args.as_slice(),
            Facts::Absent | Facts::Unusable(_) => &[],
        };
        let mut table = Table::new(&["argument", "type", "space", "bytes", "use"]).right(3);
        for (index, arg) in self.args.iter().enumerate() {
            let access = match uses.get(index).map(|facts| facts.access) {
                _ if arg.kind != "pointer" => "",
                None => "unknown",
                Some(Access::None) => "not used",
                Some(Access::Read) => "read",
                Some(Access::Write) => "written",
                Some(Access::ReadWrite) => "read, written",
            };
            let mut words = arg.qualifiers.clone();
            words.push(&arg.type_name);
            table.row(vec![
                arg.name.clone(),
                words.join(" "),
                arg.address.to_owned(),
                arg.bytes.to_string(),
                access.to_owned(),
            ]);
        }
        write!(f, "\n{table}")
    }
}

fn write_kernel_facts(f: &mut fmt::Formatter<'_>, facts: &KernelMeta) -> fmt::Result {
    let words = [
        (facts.barrier, "has barriers"),
        (facts.printf, "prints"),
        (facts.globals, "uses variables at program scope"),
        (facts.opaque, "may touch memory that no argument names"),
        (facts.any_groups, "asks nothing of its work-groups"),
        (facts.columns, "may have lanes along columns"),
    ];
    let words: Vec<&str> = words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect();
    if !words.is_empty() {
        writeln!(f, "facts         {}", words.join(", "))?;
    }
    for code in &facts.code {
        let mut sizes: Vec<String> = vec!["any".to_owned()];
        sizes.extend(code.specialised.iter().map(|[x, y, z]| format!("{x} x {y} x {z}")));
        writeln!(
            f,
            "code          {}: {} items at a time, scratch {} + {} bytes for each item, local sizes: {}",
            code.cpu,
            code.width,
            code.scratch_fixed,
            code.scratch_per_item,
            sizes.join(", ")
        )?;
    }
    Ok(())
}
