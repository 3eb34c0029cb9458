//! Puts a program's code and facts into an archive. In: what the stages made of each kernel. Out: a sealed pocl-binary.

use crate::stages::work_group::sub_group_size;
use oxcl_binary::archive::slots::{ANY_SIZE, Code, Readers};
use oxcl_binary::archive::{Archive, BinaryType, File, Kernel, Version, WorkGroupMeta};
use oxcl_binary::known::KnownArguments;
use oxcl_binary::meta::{
    KernelCode, KernelMeta, PROGRAM_META_PATH, PROGRAM_MODULE_PATH, PixelPlaces, ProgramMeta,
    ProgramVariables, SCHEMA,
};
use oxcl_codegen::{Architecture, CpuTarget};
use oxcl_frontend::{BuildOptions, KernelSignature, Switch};
use oxcl_workgroup::{Facts, Formed};

use crate::error::CompileError;
use crate::settings::Settings;

/// Most work-items in a group, unless scratch memory sets a lower limit.
pub(crate) const MAX_GROUP: u64 = 4096;

/// Most scratch memory, in bytes, that one work-group may need. A thread keeps as much as its largest group needed.
const MAX_SCRATCH: u64 = 256 << 20;

/// Where an archive has the module that is to be linked: the place and the name that PoCL knows it by.
pub(crate) const MODULE_PATH: &str = "/program.bc";

/// One CPU level's code of a kernel.
pub(crate) struct LevelCode {
    /// What the work-group pass found.
    pub(crate) formed: Formed,
    /// By local size; [`ANY_SIZE`] first.
    pub(crate) objects: Vec<SizeCode>,
}

/// The code for one local size.
pub(crate) struct SizeCode {
    /// The local size, or [`ANY_SIZE`].
    pub(crate) size: [u64; 3],
    /// What it takes for known of the arguments.
    pub(crate) known: KnownArguments,
    /// The object as LLVM emitted it, where others may link it.
    pub(crate) relocatable: Option<Vec<u8>>,
    /// The shared object linked from it.
    pub(crate) shared: Vec<u8>,
}

/// Everything made of one kernel.
pub(crate) struct KernelParts {
    pub(crate) signature: KernelSignature,
    /// In the order of the request's CPUs; empty if only the reference executor's code was asked for.
    pub(crate) levels: Vec<LevelCode>,
    /// The reference executor's shared object and the sizes of the kernel's own `__local` variables.
    pub(crate) reference: Option<(Vec<u8>, Vec<u64>)>,
    /// What was made of it for transport-triggered processors: what the work-group pass found, and the units.
    pub(crate) units: Option<(Formed, Vec<File>)>,
    /// The pixels of images that it reads and writes, where they are known.
    pub(crate) pixels: Vec<PixelPlaces>,
}

/// Builds the archive; its build hash is still to be sealed. `variables`: those at program scope, for devices of 64 and of 32
/// bits; `module`: what better code is made of later.
pub(crate) fn archive(
    settings: &Settings<'_>,
    variables: [Option<ProgramVariables>; 2],
    kernels: Vec<KernelParts>,
    shared: Vec<File>,
    module: Option<Vec<u8>>,
) -> Result<Archive, CompileError> {
    let kernels = kernels
        .into_iter()
        .map(|parts| kernel(parts, settings))
        .collect::<Result<Vec<Kernel>, CompileError>>()?;
    let mut root =
        vec![File { path: PROGRAM_META_PATH.to_owned(), data: meta_of(settings, variables).to_json()? }];
    root.extend(module.map(|data| File { path: PROGRAM_MODULE_PATH.to_owned(), data }));
    root.extend(shared);
    Ok(container(settings, BinaryType::Executable, vec![root], kernels))
}

/// A compiled object or a library: the module itself, to be linked.
pub(crate) fn object(
    settings: &Settings<'_>,
    what: BinaryType,
    bitcode: Vec<u8>,
) -> Result<Archive, CompileError> {
    let facts = File { path: PROGRAM_META_PATH.to_owned(), data: meta_of(settings, [None, None]).to_json()? };
    let module = File { path: MODULE_PATH.to_owned(), data: bitcode };
    Ok(container(settings, what, vec![vec![facts, module]], Vec::new()))
}

fn meta_of(
    settings: &Settings<'_>,
    [variables, narrow_variables]: [Option<ProgramVariables>; 2],
) -> ProgramMeta {
    let options = &settings.program.options;
    let architecture = settings.cpus.first().map_or(Architecture::X86_64, CpuTarget::architecture);
    ProgramMeta {
        schema: SCHEMA,
        compiler: env!("CARGO_PKG_VERSION").to_owned(),
        triple: architecture.triple().to_owned(),
        levels: if settings.devices.cpu {
            settings.cpus.iter().map(CpuTarget::level).collect()
        } else {
            Vec::new()
        },
        has_ref: settings.devices.reference,
        cl_std: options.standard().name().to_owned(),
        uniform_work_group_size: options.switches.has(Switch::UniformWorkGroupSize),
        options: print_options(options),
        variables,
        narrow_variables,
    }
}

fn container(
    settings: &Settings<'_>,
    binary_type: BinaryType,
    root: Vec<Vec<File>>,
    kernels: Vec<Kernel>,
) -> Archive {
    let version = settings.version;
    Archive {
        version,
        device_id: settings.device_id,
        flush_denorms: settings.program.options.switches.has(Switch::DenormsAreZero),
        program_scope_bytes: (version != Version::V9).then_some(0),
        binary_type,
        build_hash: String::new(),
        root,
        kernels,
    }
}

fn print_options(options: &BuildOptions) -> String {
    options.to_string()
}

fn kernel(parts: KernelParts, settings: &Settings<'_>) -> Result<Kernel, CompileError> {
    let (cpus, version) = (&settings.cpus, settings.version);
    let KernelParts { signature, levels, reference, units, pixels } = parts;
    let attributes = signature.attributes();
    let required = signature.reqd_sub_group_size;
    let size = sub_group_size(required, cpus.first().map_or(0, CpuTarget::vector_bits));
    let first = levels.first().map(|level| &level.formed).or(units.as_ref().map(|(formed, _)| formed));
    let local_sizes = match (first, &reference) {
        (Some(formed), _) => formed.local_sizes.clone(),
        (None, Some((_, sizes))) => sizes.clone(),
        (None, None) => Vec::new(),
    };
    let per_item = first.map_or(0, |formed| formed.scratch_per_item);
    let local_mem: u64 = local_sizes.iter().sum();
    let work_group = (version != Version::V9).then(|| WorkGroupMeta {
        max_size: MAX_SCRATCH.checked_div(per_item).map_or(MAX_GROUP, |most| most.clamp(1, MAX_GROUP)) as u32,
        preferred_multiple: first.map_or(1, |formed| formed.width.max(8)),
        local_mem: u32::try_from(local_mem).unwrap_or(u32::MAX),
        private_mem: u32::try_from(per_item).unwrap_or(u32::MAX),
        spill_mem: 0,
    });
    let mut record = Kernel {
        name: signature.name.clone(),
        local_sizes,
        reqd_wg_size: signature.reqd_work_group_size.unwrap_or([0; 3]),
        attributes,
        has_arg_metadata: Kernel::ALL_ARG_METADATA,
        work_group,
        sub_groups: (version != Version::V9).then(|| [(MAX_GROUP as u32).div_ceil(size), 0]),
        reqd_sub_group_size: required
            .and_then(|size| u32::try_from(size).ok())
            .filter(|_| version == Version::V12),
        files: Vec::new(),
        args: signature.args,
    };
    let mut code = Vec::new();
    for (index, (level, cpu)) in levels.iter().zip(cpus).enumerate() {
        let slot = if index == 0 { Code::First } else { Code::Level(cpu.name()) };
        for code in &level.objects {
            let readers = if settings.is_for_others { Readers::All } else { Readers::Own };
            record.add_object_for(slot, code.size, &code.known, &code.shared, readers);
            // Only the PoCLs that read version 12 load objects that are not linked.
            if let Some(relocatable) = &code.relocatable
                && slot == Code::First
                && version == Version::V12
            {
                record.add_relocatable(code.size, relocatable);
            }
        }
        code.push(KernelCode {
            cpu: cpu.name().to_owned(),
            width: level.formed.width,
            scratch_fixed: level.formed.scratch_fixed,
            scratch_per_item: level.formed.scratch_per_item,
            specialised: level
                .objects
                .iter()
                .filter(|code| code.size != ANY_SIZE && code.known.is_empty())
                .map(|code| code.size)
                .collect(),
        });
    }
    if let Some((object, _)) = &reference {
        record.add_object(Code::Ref, ANY_SIZE, object);
    }
    let facts = first.map(|formed| formed.facts.clone());
    // Without a work-group function there is the reference executor's code, which counts in 64 bits.
    let any_ids = first.is_none_or(|formed| formed.any_ids);
    record.files.extend(units.into_iter().flat_map(|(_, files)| files));
    record.add_meta(&KernelMeta {
        sub_group_size: size,
        narrow_sub_group_size: sub_group_size(required, 0),
        required_sub_group_size: required.and_then(|size| u32::try_from(size).ok()).unwrap_or(0),
        zero_local: settings.program.options.switches.has(Switch::ZeroLocal),
        pixels,
        ..meta(facts, any_ids, code, record.args.len())
    })?;
    Ok(record)
}

/// The kernel's facts; without a work-group function nothing is known, so the worst is assumed.
fn meta(facts: Option<Facts>, any_ids: bool, code: Vec<KernelCode>, args: usize) -> KernelMeta {
    use oxcl_binary::meta::{Access, ArgFacts};
    let facts = facts.unwrap_or_else(|| Facts {
        args: vec![ArgFacts { access: Access::ReadWrite, bounds: Vec::new() }; args],
        opaque: true,
        globals: true,
        printf: true,
        barrier: true,
        sub_groups: true,
        any_groups: false,
        columns: false,
    });
    KernelMeta {
        schema: SCHEMA,
        args: facts.args,
        opaque: facts.opaque,
        globals: facts.globals,
        printf: facts.printf,
        barrier: facts.barrier,
        any_ids,
        any_groups: facts.any_groups,
        columns: facts.columns,
        zero_local: false,
        sub_groups: facts.sub_groups,
        sub_group_size: 0,
        narrow_sub_group_size: 0,
        required_sub_group_size: 0,
        pixels: Vec::new(),
        code,
    }
}
