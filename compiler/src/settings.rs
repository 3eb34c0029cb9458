//! How a request is compiled: everything that stages ask, decided once.
//!
//! In: a request and what shall be made of it. Out: [`Settings`]. Whatever contradicts itself in a request is refused here,
//! before anything is compiled; no stage looks at the request again.

use std::borrow::Cow;

use oxcl_binary::archive::Version;
use oxcl_binary::archive::slots::ANY_SIZE;
use oxcl_binary::hash;
use oxcl_binary::known::{KnownArguments, KnownOf};
use oxcl_binary::pipe::{Kernels, Quality};
use oxcl_binary::unit::digest_text;
use oxcl_codegen::{CpuTarget, Level};
use oxcl_frontend::{Bits, BuildOptions, OptLevel, VirtualHeader};
use oxcl_tta::image::digest;
use oxcl_tta::model::Machine;
use oxcl_workgroup::{PlanText, PoclAbi, Width};

use crate::error::CompileError;
use crate::native::{self, Native};
use crate::objects;
use crate::pieces::Pieces;
use crate::request::{DeviceId, Devices, IlFile, Request, SourceFile};

/// What a request is compiled to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    /// The front end's IR, builtins linked.
    Llvm,
    /// The program as a module of SPIR-V, for other platforms.
    Spirv,
    /// Each kernel as the work-group compiler prepares it, and what its analyses say beside the lines.
    Analysis,
    /// The regions report of each kernel.
    Regions,
    /// How many work-items of each kernel run at a time, why, and what its accesses, calls and blocks become.
    Plan,
    /// By line of the source what each loop, branch, access and call of each kernel became, what it costs, and what would make it
    /// better.
    Remarks,
    /// The work-group functions' IR before LLVM optimises it.
    WorkGroup,
    /// Assembly of one kernel.
    Assembly,
    /// The object of one kernel.
    Object,
    /// A pocl-binary archive.
    Archive,
    /// An archive of a compiled object, to be linked.
    CompiledObject,
    /// An archive of a library, to be linked.
    Library,
}

impl Emit {
    /// Whether the program is kept as a module, to be linked.
    pub(crate) fn is_module(self) -> bool {
        matches!(self, Emit::CompiledObject | Emit::Library)
    }
}

/// What the front end reads, and how.
#[derive(Debug)]
pub(crate) struct Program<'r> {
    pub(crate) sources: &'r [SourceFile],
    pub(crate) il: &'r [IlFile],
    pub(crate) objects: &'r [Vec<u8>],
    pub(crate) headers: &'r [VirtualHeader<'r>],
    /// Those of the request; where objects are linked, with what they were compiled with.
    pub(crate) options: Cow<'r, BuildOptions>,
    /// Single kernels of it are wanted, for a program that has the others already.
    pub(crate) is_part: bool,
}

/// Everything that stages ask.
#[derive(Debug)]
pub(crate) struct Settings<'r> {
    pub(crate) program: Program<'r>,
    pub(crate) emit: Emit,
    /// Addresses of the program's module: 32 bits where code is made for processors of 32 bits and nothing else.
    pub(crate) bits: Bits,
    /// The library's machine code that kernels may call.
    pub(crate) native: Option<Native>,
    /// The kernels that an archive shall hold.
    pub(crate) kernels: &'r Kernels,
    /// An archive has the module that it was made of: others may have it without the sources.
    pub(crate) keeps_module: bool,
    pub(crate) devices: Devices,
    /// Transport-triggered processors.
    pub(crate) machines: &'r [Machine],
    /// The CPUs, the first for PoCL's slots; at least one, no two alike.
    pub(crate) cpus: Vec<CpuTarget>,
    /// How hard LLVM works.
    pub(crate) level: Level,
    /// An archive gets generic functions only, several kernels in one object each.
    pub(crate) is_hurried: bool,
    /// Others than this runtime load the code: it is where they look for it, with objects that can be linked.
    pub(crate) is_for_others: bool,
    /// The code has an entry for PoCL: a function that is made alone, too, as it is to be the same as one that is made with its program.
    pub(crate) has_pocl_entry: bool,
    /// Launches with global ids of 2^31 and more are served. They are rare, and code for them takes time to make: what is made
    /// in a hurry, and single kernels that are made later, go without; the runtime has the whole program made for such a launch.
    pub(crate) large_ids: bool,
    /// The local sizes that functions are made for; [`ANY_SIZE`] is any.
    pub(crate) sizes: Vec<[u64; 3]>,
    /// Kernels whose functions for local sizes are for known arguments as well.
    pub(crate) known: &'r [KnownOf],
    /// The one of them to look at where only one function is shown: the first asked for, else any.
    pub(crate) shown_size: [u64; 3],
    /// W.
    pub(crate) width: Width,
    /// What shall be done with some kernels.
    pub(crate) plan: Option<&'r PlanText>,
    /// A plan that cannot be followed is an error.
    pub(crate) strict: bool,
    /// Every work-group is whole.
    pub(crate) uniform: bool,
    /// The context layout of PoCL's entry.
    pub(crate) pocl: PoclAbi,
    /// The container's version.
    pub(crate) version: Version,
    /// The id of the device that the container is for.
    pub(crate) device_id: u64,
    /// What the code is: nothing is left to do where the reference executor alone was asked for, or nothing was to be
    /// optimised.
    pub(crate) quality: Quality,
    /// How far it is.
    pub(crate) pieces: Pieces<'r>,
}

impl<'r> Settings<'r> {
    /// Decides how `request` is compiled to `emit`.
    ///
    /// # Errors
    /// An unknown CPU, one that is given twice, an object that cannot be linked.
    pub(crate) fn of(request: &'r Request<'r>, emit: Emit) -> Result<Self, CompileError> {
        let is_part = matches!(request.kernels, Kernels::One(_) | Kernels::Specialised(_));
        let options = if request.objects.is_empty() {
            Cow::Borrowed(&request.options)
        } else {
            Cow::Owned(objects::options(&request.options, &request.objects, is_part)?)
        };
        let cpus = if emit.is_module() { vec![CpuTarget::host()] } else { cpus(&request.cpus)? };
        let narrow = !request.machines.is_empty() && !request.devices.cpu && !request.devices.reference;
        let bits = if narrow { Bits::Bits32 } else { Bits::Bits64 };
        let optimises = options.opt_level() != OptLevel::O0;
        let is_quick = optimises && request.quality == Quality::First;
        let level = match options.opt_level() {
            OptLevel::O0 => Level::O0,
            _ if is_quick => Level::Quick,
            OptLevel::O1 => Level::O1,
            OptLevel::O2 => Level::O2,
            OptLevel::O3 => Level::O3,
        };
        // The reference executor, which runs everything as it is written, several processors, and what others link or is
        // shown before any link ask for the bodies of the library's functions.
        let bodies =
            narrow || request.devices.reference || !optimises || matches!(emit, Emit::Llvm | Emit::Object);
        let native = match cpus.as_slice() {
            [cpu] if !bodies => native::native(cpu, request.quality == Quality::First),
            _ => None,
        };
        let only_special = matches!(request.kernels, Kernels::Specialised(_));
        let mut sizes = if only_special { Vec::new() } else { vec![ANY_SIZE] };
        for size in &request.local_sizes {
            if !sizes.contains(size) {
                sizes.push(*size);
            }
        }
        let version = version(request);
        Ok(Settings {
            emit,
            bits,
            native,
            kernels: &request.kernels,
            keeps_module: emit == Emit::Archive
                && request.devices.cpu
                && request.quality == Quality::Full
                && !is_part,
            devices: request.devices,
            machines: &request.machines,
            level,
            is_hurried: is_quick
                && request.devices == Devices { cpu: true, reference: false }
                && request.local_sizes.is_empty()
                && !only_special,
            is_for_others: request.quality == Quality::Full && !only_special,
            has_pocl_entry: request.quality == Quality::Full,
            large_ids: request.quality == Quality::Full && !is_part,
            sizes,
            known: &request.known,
            shown_size: request.local_sizes.first().copied().unwrap_or(ANY_SIZE),
            width: match (request.width, request.preferred_width) {
                (Some(width), _) => Width::Fixed(width),
                (None, Some(width)) => Width::Preferred(width),
                (None, None) if level >= Level::O2 => Width::Chosen,
                (None, None) => Width::Fixed(1),
            },
            plan: request.plan.as_ref(),
            strict: request.strict,
            uniform: options.has_uniform_groups(),
            pocl: if version == Version::V9 { PoclAbi::Context96 } else { PoclAbi::Context112 },
            version,
            device_id: device_id(request, version, narrow, &cpus[0]),
            pieces: Pieces::new(request.told),
            quality: if request.devices.cpu && optimises { request.quality } else { Quality::Full },
            cpus,
            program: Program {
                sources: &request.sources,
                il: &request.il,
                objects: &request.objects,
                headers: &request.headers,
                options,
                is_part,
            },
        })
    }
}

impl Settings<'_> {
    /// How many pieces of code an archive has of a kernel.
    pub(crate) fn codes(&self, kernel: &str) -> usize {
        let levels = if self.devices.cpu { self.cpus.len() * self.functions(kernel).len() } else { 0 };
        levels + usize::from(self.devices.reference) + self.machines.len()
    }

    /// The functions of a kernel that are made for each CPU: local sizes, and what is known of arguments.
    pub(crate) fn functions(&self, kernel: &str) -> Vec<([u64; 3], KnownArguments)> {
        let mut functions = Vec::new();
        for &size in &self.sizes {
            let of_kernel = self.known.iter().filter(|known| size != ANY_SIZE && known.kernel == kernel);
            let before = functions.len();
            functions.extend(of_kernel.map(|known| (size, known.arguments.clone())));
            if functions.len() == before {
                functions.push((size, KnownArguments::NONE));
            }
        }
        functions
    }

    /// Refuses a plan for a kernel that is not among those of the program.
    pub(crate) fn check_plan(&self, kernels: &[String]) -> Result<(), CompileError> {
        let unknown = self.plan.and_then(|plan| plan.kernels.iter().find(|k| !kernels.contains(&k.name)));
        unknown.map_or(Ok(()), |plan| {
            Err(CompileError::UnknownKernel { name: plan.name.clone(), known: kernels.to_vec() })
        })
    }
}

/// The CPUs of these names, or this machine's.
fn cpus(names: &[String]) -> Result<Vec<CpuTarget>, CompileError> {
    if names.is_empty() {
        return Ok(vec![CpuTarget::host()]);
    }
    let cpus = names.iter().map(|name| CpuTarget::named(name)).collect::<Result<Vec<_>, _>>()?;
    for (index, cpu) in cpus.iter().enumerate() {
        if cpus[..index].iter().any(|other| other.name() == cpu.name()) {
            return Err(CompileError::Request(format!("the CPU '{}' is given twice", cpu.name())));
        }
        let (first, own) = (cpus[0].architecture(), cpu.architecture());
        if own != first {
            return Err(CompileError::Request(format!(
                "'{}' is a CPU of {} and '{}' one of {}: an archive has code for one of them; make two",
                cpus[0].name(),
                first.name(),
                cpu.name(),
                own.name()
            )));
        }
    }
    Ok(cpus)
}

/// The container version.
fn version(request: &Request<'_>) -> Version {
    let by_string = match &request.device_id {
        DeviceId::OfString(text) => hash::version_of(text),
        DeviceId::OfTarget | DeviceId::Number(_) => Version::V12,
    };
    request.version.unwrap_or(by_string)
}

/// The device's id.
fn device_id(request: &Request<'_>, version: Version, narrow: bool, first: &CpuTarget) -> u64 {
    match &request.device_id {
        DeviceId::Number(id) => *id,
        DeviceId::OfString(text) => hash::device_id(text),
        DeviceId::OfTarget if narrow => {
            let machine = request.machines.first().map(digest).unwrap_or_default();
            hash::device_id(&hash::processor_string(&digest_text(&machine)))
        }
        DeviceId::OfTarget => {
            let cpu = if version == Version::V9 { first.distribution_cpu() } else { first.cpu() };
            let triple = first.architecture().debian_triple();
            hash::device_id(&hash::device_string(version, triple, cpu))
        }
    }
}
