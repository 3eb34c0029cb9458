//! Which of an archive's machine code runs a kernel here, and its loading.
//!
//! In: an archive and, where it is ours, the program's facts. Out: [`KernelCode`], which has decided for a CPU level
//! that this machine has, and hands out [`Function`]s: the one specialised for a local size and known arguments where the archive has
//! it, else for the local size, else the generic one. A function is loaded at its first use and kept. Functions that were made later can be added.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use oxcl_binary::abi::{
    ABI_VERSION, KernelConstants, NativeEntry, PoclEntry, RefEntry, constants_symbol, native_symbol,
    pocl_symbol, ref_symbol,
};
use oxcl_binary::archive::slots::{ANY_SIZE, Code};
use oxcl_binary::archive::{Archive, File, Kernel};
use oxcl_binary::meta::{Level, ProgramMeta, SUB_GROUP_SIZES};
use oxcl_driver::lock;
use oxcl_driver::program::{Binary, LaunchShape};

use crate::features::HostCpu;
use crate::foreign::{self, PoclLayout};
use crate::histories::Histories;
use crate::image::Image;
use oxcl_driver::CodeError;
use oxcl_driver::Geometry;

/// What a kernel's code is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// `cpu` and `basic`: work-group functions.
    Native,
    /// `ref`: the kernel as an ordinary function.
    Reference,
}

impl Target {
    fn describe(self) -> &'static str {
        match self {
            Self::Native => "the CPU",
            Self::Reference => "the reference executor",
        }
    }
}

/// A kernel's code for this machine.
#[derive(Debug)]
pub struct KernelCode {
    binary: Arc<Binary>,
    kernel: usize,
    origin: Origin,
    /// By path.
    loaded: Mutex<BTreeMap<String, Arc<Function>>>,
    /// Functions that came later, by what they are for.
    added: Mutex<BTreeMap<LaunchShape, Arc<Function>>>,
}

#[derive(Debug)]
enum Origin {
    /// Our compiler made it: at this CPU level, which may be the archive's first.
    Ours { cpu: String, first: bool },
    /// Another compiler made it.
    Foreign(PoclLayout),
    /// Our compiler made it for the reference executor.
    Reference,
}

/// A loaded function of a kernel.
#[derive(Debug)]
pub struct Function {
    pub(crate) image: Image,
    pub(crate) kernel: String,
    pub(crate) entry: Entry,
    pub(crate) flush_denorms: bool,
    /// LLVM's name for the CPU that the code is for, where it is known.
    pub(crate) cpu: Option<String>,
    pub(crate) histories: Histories,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Entry {
    Native(NativeEntry, KernelConstants),
    Pocl(PoclEntry, PoclLayout),
    Reference(RefEntry),
}

impl Function {
    /// W, the number of work-items that the code runs at a time; 1 for code that is not ours.
    #[must_use]
    pub fn width(&self) -> u32 {
        match self.entry {
            Entry::Native(_, constants) => constants.width,
            Entry::Pocl(..) | Entry::Reference(_) => 1,
        }
    }

    /// How many neighbouring groups fill the lanes of one vector. Groups whose work-items keep something between regions, or that
    /// have memory of their own, never share one; of the others only the compiler knows which do.
    pub(crate) fn groups_in_row(&self, geometry: &Geometry) -> u64 {
        match self.entry {
            Entry::Native(_, constants) if constants.scratch_per_item == 0 => {
                u64::from(constants.width).div_ceil(geometry.local[0].max(1)).min(geometry.groups[0].max(1))
            }
            _ => 1,
        }
    }

    /// Whether the function is specialised for one local size.
    #[must_use]
    pub fn is_specialised(&self) -> bool {
        matches!(self.entry, Entry::Native(_, constants) if constants.local_size != ANY_SIZE)
    }
}

impl KernelCode {
    /// Decides which code of the binary's kernel number `kernel` runs on this machine.
    ///
    /// # Errors
    /// The archive has no such code, or only for other CPUs.
    pub fn select(binary: Arc<Binary>, kernel: usize, target: Target) -> Result<Self, CodeError> {
        let archive = binary.archive();
        let Some(record) = archive.kernels.get(kernel) else {
            return Err(CodeError::NoCode {
                kernel: format!("#{kernel}"),
                device: target.describe(),
                found: format!("it has {} kernels", archive.kernels.len()),
            });
        };
        let facts = binary.kernel_meta(kernel).filter(|facts| facts.sub_groups);
        if let Some(size) =
            facts.map(|facts| facts.sub_group_size).filter(|size| !SUB_GROUP_SIZES.contains(size))
        {
            // Results depend on the size: code and queries must not disagree.
            let reason = format!("its work-items meet in sub-groups of {size}, which no device has");
            return Err(CodeError::BadFacts { kernel: record.name.clone(), reason });
        }
        let origin = match (target, binary.meta()) {
            (Target::Reference, _) => Origin::Reference,
            (Target::Native, Some(program)) => {
                let (index, level) = best_level(record, program)?;
                Origin::Ours { cpu: level.cpu.clone(), first: index == 0 }
            }
            (Target::Native, None) => foreign_origin(archive, record)?,
        };
        let code = Self { kernel, origin, loaded: Mutex::default(), added: Mutex::default(), binary };
        if code.file(ANY_SIZE).is_none() {
            return Err(code.no_code(target));
        }
        Ok(code)
    }

    /// LLVM's name for the CPU that the code is for, where it is known.
    #[must_use]
    pub fn cpu(&self) -> Option<&str> {
        match &self.origin {
            Origin::Ours { cpu, .. } => Some(cpu),
            Origin::Foreign(_) | Origin::Reference => None,
        }
    }

    /// Whether another compiler made the code.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        matches!(self.origin, Origin::Foreign(_))
    }

    /// Whether there is a function for this local size and these arguments, and for no others.
    #[must_use]
    pub fn is_specialised_for(&self, shape: &LaunchShape) -> bool {
        self.record().object_for(self.code(), shape.local, &shape.known).is_some()
            || lock(&self.added).contains_key(shape)
    }

    /// The function for an index space and arguments: a specialised one serves whole groups only, and may be made for global ids of
    /// less than 2^31 only.
    ///
    /// # Errors
    /// As for [`Self::function`].
    pub fn function_for(&self, geometry: &Geometry, shape: &LaunchShape) -> Result<Arc<Function>, CodeError> {
        if !geometry.is_uniform() || !geometry.has_small_ids() {
            return self.function(ANY_SIZE);
        }
        if let Some(function) = lock(&self.added).get(shape) {
            return Ok(Arc::clone(function));
        }
        let exact = self.record().object_for(self.code(), shape.local, &shape.known);
        exact.map_or_else(|| self.function(shape.local), |file| self.loaded(file, shape.local))
    }

    /// The function for work-groups of `local` and any arguments: a specialised one of the archive, else the generic one.
    ///
    /// # Errors
    /// The machine code cannot be loaded.
    pub fn function(&self, local: [u64; 3]) -> Result<Arc<Function>, CodeError> {
        let Some(file) = self.file(local) else {
            return Err(self.no_code(match self.origin {
                Origin::Reference => Target::Reference,
                Origin::Ours { .. } | Origin::Foreign(_) => Target::Native,
            }));
        };
        self.loaded(file, local)
    }

    fn loaded(&self, file: &File, local: [u64; 3]) -> Result<Arc<Function>, CodeError> {
        let mut loaded = lock(&self.loaded);
        if let Some(function) = loaded.get(&file.path) {
            return Ok(Arc::clone(function));
        }
        let function = Arc::new(self.load(file, local, self.binary.archive().flush_denorms)?);
        loaded.insert(file.path.clone(), Arc::clone(&function));
        Ok(function)
    }

    /// Takes the function for launches of `shape` from an archive that was made of the same program later. Launches that have a
    /// function already keep it.
    ///
    /// # Errors
    /// The archive has no such function, or one that does not fit this kernel; nothing has changed then.
    pub fn add(&self, later: &Archive, shape: &LaunchShape) -> Result<(), CodeError> {
        let own = self.record();
        let wrong =
            |reason: &str| CodeError::BadFacts { kernel: own.name.clone(), reason: reason.to_owned() };
        let record = later.kernels.iter().find(|record| record.name == own.name);
        let record = record.ok_or_else(|| wrong("what was made later lacks it"))?;
        if record.local_sizes != own.local_sizes || record.args != own.args {
            return Err(wrong("what was made later has other parameters or variables"));
        }
        let size = |record: &Kernel| record.meta().ok().flatten().map(|facts| facts.sub_group_size);
        if size(record) != size(own) {
            return Err(wrong("what was made later has sub-groups of another size"));
        }
        let file = record
            .object_for(self.code(), shape.local, &shape.known)
            .ok_or_else(|| wrong("what was made later is not for this local size and these arguments"))?;
        let function = Arc::new(self.load(file, shape.local, later.flush_denorms)?);
        lock(&self.added).insert(shape.clone(), function);
        Ok(())
    }

    /// Takes the functions that came later from code that this one takes the place of.
    pub(crate) fn adopt(&self, old: &Self) {
        lock(&self.added).clone_from(&lock(&old.added));
    }

    fn record(&self) -> &Kernel {
        &self.binary.archive().kernels[self.kernel]
    }

    /// The file for work-groups of `local`. Of an archive that another compiler made, functions that assume more than
    /// the local size are left alone.
    fn file(&self, local: [u64; 3]) -> Option<&File> {
        self.record().best_object(self.code(), local)
    }

    /// Which of an archive's code this is.
    fn code(&self) -> Code<'_> {
        match &self.origin {
            Origin::Reference => Code::Ref,
            Origin::Ours { cpu, first: false } => Code::Level(cpu),
            Origin::Ours { first: true, .. } | Origin::Foreign(_) => Code::First,
        }
    }

    fn load(&self, file: &File, local: [u64; 3], flush_denorms: bool) -> Result<Function, CodeError> {
        let name = &self.record().name;
        let symbol = match &self.origin {
            Origin::Ours { .. } => native_symbol(name),
            Origin::Foreign(_) => pocl_symbol(name),
            Origin::Reference => ref_symbol(name),
        };
        let image = Image::load(&file.path, &file.data, &symbol)?;
        let missing =
            |symbol: &str| CodeError::MissingSymbol { path: file.path.clone(), symbol: symbol.to_owned() };
        let address = image.symbol(&symbol).ok_or_else(|| missing(&symbol))?.as_ptr();
        let entry = match self.origin {
            Origin::Ours { .. } => {
                let constants = read_constants(&image, file, name)?;
                if constants.local_size != ANY_SIZE && constants.local_size != local {
                    let reason =
                        format!("'{}' is specialised for another local size than its name says", file.path);
                    return Err(CodeError::BadFacts { kernel: name.clone(), reason });
                }
                // SAFETY: the archive says that our compiler made the object, and it gives this symbol this type.
                Entry::Native(unsafe { std::mem::transmute::<*mut _, NativeEntry>(address) }, constants)
            }
            Origin::Foreign(layout) => {
                // SAFETY: the container format gives this symbol this type.
                Entry::Pocl(unsafe { std::mem::transmute::<*mut _, PoclEntry>(address) }, layout)
            }
            Origin::Reference => {
                // SAFETY: the archive says that our compiler made the object, and it gives this symbol this type.
                Entry::Reference(unsafe { std::mem::transmute::<*mut _, RefEntry>(address) })
            }
        };
        let (cpu, histories) = (self.cpu().map(str::to_owned), Histories::default());
        Ok(Function { image, kernel: name.clone(), entry, flush_denorms, cpu, histories })
    }

    fn no_code(&self, target: Target) -> CodeError {
        let record = self.record();
        let files = &record.files;
        let found = if target == Target::Native && record.object(Code::Ref, ANY_SIZE).is_some() {
            "it has code for the reference executor only (device 'ref')".to_owned()
        } else if files.iter().any(|file| file.path.ends_with(".so")) {
            match target {
                Target::Reference => "it has code for the CPU only (devices 'cpu' and 'basic')".to_owned(),
                Target::Native => "its work-group functions lack the generic one".to_owned(),
            }
        } else {
            "it holds no machine code".to_owned()
        };
        CodeError::NoCode { kernel: record.name.clone(), device: target.describe(), found }
    }
}

/// The most demanding level that this CPU has everything for.
fn best_level<'p>(record: &Kernel, program: &'p ProgramMeta) -> Result<(usize, &'p Level), CodeError> {
    let kernel = || record.name.clone();
    if !program.triple.starts_with("x86_64") || !program.triple.contains("linux") {
        return Err(CodeError::WrongTriple { kernel: kernel(), triple: program.triple.clone() });
    }
    let host = HostCpu::get();
    let mut best: Option<(usize, &Level)> = None;
    let mut nearest: Option<Vec<String>> = None;
    for (index, level) in program.levels.iter().enumerate() {
        let missing = host.missing(&level.features);
        if missing.is_empty() {
            if best.is_none_or(|(_, held)| level.features.len() > held.features.len()) {
                best = Some((index, level));
            }
        } else if nearest.as_ref().is_none_or(|held| missing.len() < held.len()) {
            nearest = Some(missing);
        }
    }
    let cpus = || program.levels.iter().map(|level| level.cpu.as_str()).collect::<Vec<_>>().join(", ");
    match (best, nearest) {
        (Some(best), _) => Ok(best),
        (None, Some(features)) => Err(CodeError::MissingFeatures { kernel: kernel(), cpu: cpus(), features }),
        (None, None) => Err(CodeError::NoCode {
            kernel: kernel(),
            device: Target::Native.describe(),
            found: "it has code for the reference executor only (device 'ref')".to_owned(),
        }),
    }
}

fn foreign_origin(archive: &Archive, record: &Kernel) -> Result<Origin, CodeError> {
    if let Some(bytes @ 1..) = archive.program_scope_bytes {
        return Err(CodeError::ProgramScopeNotYet { bytes });
    }
    match foreign::missing_features(archive.device_id, HostCpu::get()) {
        Some((cpu, features)) if !features.is_empty() => {
            Err(CodeError::MissingFeatures { kernel: record.name.clone(), cpu: cpu.to_owned(), features })
        }
        _ => Ok(Origin::Foreign(PoclLayout::of(archive.version))),
    }
}

fn read_constants(image: &Image, file: &File, kernel: &str) -> Result<KernelConstants, CodeError> {
    let symbol = constants_symbol(kernel);
    let missing = || CodeError::MissingSymbol { path: file.path.clone(), symbol: symbol.clone() };
    let address = image.symbol(&symbol).ok_or_else(missing)?.cast::<KernelConstants>();
    // SAFETY: the version comes first in every version of the structure, and the object defines the symbol; its
    // address may be less aligned than ours in an object that another version made.
    let found = unsafe { address.cast::<u32>().read_unaligned() };
    if found != ABI_VERSION {
        return Err(CodeError::AbiVersion { path: file.path.clone(), found });
    }
    // SAFETY: the version says that the structure is the one that we know.
    Ok(unsafe { address.read_unaligned() })
}
