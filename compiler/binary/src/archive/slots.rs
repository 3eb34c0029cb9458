//! Where the code and the facts of a kernel are in an archive, for those who store them and those who look them up.
//!
//! | path | what |
//! | --- | --- |
//! | `/<kernel>/<x>-<y>-<z>[-goffs0][-smallgrid]/<kernel>.so` | PoCL's slots: code of the first CPU level; `0-0-0` takes any local size |
//! | the same, `.so.o` | the same code before linking: PoCL later than 7.2 loads nothing else unless it is told to |
//! | `/<kernel>/oxcl/<level>/<x>-<y>-<z>.so` | code of a further CPU level |
//! | `/<kernel>/oxcl/<level>/<x>-<y>-<z>+<arguments>.so` | code for arguments of these values as well; the first level is `first` |
//! | `/<kernel>/oxcl/ref.so` | the reference executor's code |
//! | `/<kernel>/oxcl.meta` | the kernel's facts |
//!
//! `<kernel>` is the kernel's name, clipped as PoCL 7 clips it ([`clipped_name`]). PoCL 3.1 does not clip: in archives of
//! version 9, [`Archive::seal`] gives long names their full length, and the look-ups here take both.

use super::{Archive, ArgKind, File, Kernel, Version};
use crate::hash::clipped_name;
use crate::known::KnownArguments;
use crate::meta::{KernelMeta, MetaError};

/// The local size that stands for any.
pub const ANY_SIZE: [u64; 3] = [0; 3];

/// The name of one of PoCL's slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoclSlot {
    /// The local size that the code is for, or [`ANY_SIZE`].
    pub local_size: [u64; 3],
    /// The code may assume that the global offset is zero.
    pub zero_offset: bool,
    /// The code may assume that no dimension has 65535 work-items or more.
    pub small_grid: bool,
}

impl PoclSlot {
    /// The slot of the code that runs everything.
    pub const GENERIC: PoclSlot = PoclSlot { local_size: ANY_SIZE, zero_offset: false, small_grid: false };

    /// The four slots that PoCL may look into for this local size, depending on the launch.
    #[must_use]
    pub fn all_of(local_size: [u64; 3]) -> [PoclSlot; 4] {
        [(false, false), (false, true), (true, false), (true, true)]
            .map(|(zero_offset, small_grid)| PoclSlot { local_size, zero_offset, small_grid })
    }

    /// The path of the shared object in this slot.
    #[must_use]
    pub fn path(self, kernel: &str) -> String {
        self.path_in(&clipped_name(kernel))
    }

    /// The path of the relocatable object in this slot.
    #[must_use]
    pub fn relocatable_path(self, kernel: &str) -> String {
        self.path(kernel) + ".o"
    }

    fn path_in(self, name: &str) -> String {
        let [x, y, z] = self.local_size;
        let zero_offset = if self.zero_offset { "-goffs0" } else { "" };
        let small_grid = if self.small_grid { "-smallgrid" } else { "" };
        format!("/{name}/{x}-{y}-{z}{zero_offset}{small_grid}/{name}.so")
    }
}

/// The path of the code of a further CPU level.
#[must_use]
pub fn level_path(kernel: &str, level: &str, local_size: [u64; 3]) -> String {
    level_path_in(&clipped_name(kernel), level, local_size)
}

fn level_path_in(name: &str, level: &str, local_size: [u64; 3]) -> String {
    let [x, y, z] = local_size;
    format!("/{name}/oxcl/{level}/{x}-{y}-{z}.so")
}

/// The folder of the first CPU level, where code for known arguments is: PoCL looks for local sizes alone.
const FIRST: &str = "first";

/// Where this runtime looks for code for a local size.
fn own_path_in(name: &str, code: Code<'_>, local_size: [u64; 3]) -> String {
    match code {
        Code::First => PoclSlot { local_size, ..PoclSlot::GENERIC }.path_in(name),
        Code::Level(level) => level_path_in(name, level, local_size),
        Code::Ref => ref_path_in(name),
    }
}

fn known_path_in(name: &str, level: &str, local_size: [u64; 3], known: &KnownArguments) -> String {
    let [x, y, z] = local_size;
    format!("/{name}/oxcl/{level}/{x}-{y}-{z}+{known}.so")
}

/// The path of the reference executor's code.
#[must_use]
pub fn ref_path(kernel: &str) -> String {
    ref_path_in(&clipped_name(kernel))
}

fn ref_path_in(name: &str) -> String {
    format!("/{name}/oxcl/ref.so")
}

/// The path of the kernel's facts.
#[must_use]
pub fn meta_path(kernel: &str) -> String {
    meta_path_in(&clipped_name(kernel))
}

fn meta_path_in(name: &str) -> String {
    format!("/{name}/oxcl.meta")
}

/// Which of a kernel's shared objects is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code<'a> {
    /// The first CPU level: PoCL's slots.
    First,
    /// A further CPU level, by LLVM's name for the CPU.
    Level(&'a str),
    /// The reference executor.
    Ref,
}

/// Who looks for an object that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// PoCL too.
    All,
    /// This runtime alone, which looks into one slot for each local size.
    Own,
}

/// The folder that code for known arguments is in; none for the reference executor, which has none.
fn level_of(code: Code<'_>) -> Option<&str> {
    match code {
        Code::First => Some(FIRST),
        Code::Level(level) => Some(level),
        Code::Ref => None,
    }
}

impl Archive {
    /// Moves files of kernels with long names to where the PoCL of the archive's version looks: version 9 has the whole
    /// name as directory and file name.
    pub(super) fn settle_names(&mut self) {
        if self.version != Version::V9 {
            return;
        }
        for kernel in &mut self.kernels {
            let clipped = clipped_name(&kernel.name).into_owned();
            if clipped == kernel.name {
                continue;
            }
            let directory = format!("/{clipped}/");
            for file in &mut kernel.files {
                if file.path.starts_with(&directory) {
                    file.path = file.path.replace(&clipped, &kernel.name);
                }
            }
        }
    }

    /// Leaves out, in version 9, the sizes of arguments that its PoCL would refuse to take.
    ///
    /// PoCL 3.1 takes every argument whose size divides by three for a vector of three and compares four thirds of it
    /// with the record; no structure of such a size could be set. A size of 0, which PoCL itself records for structures,
    /// means that nobody checks. (Vectors of three have a record of four elements, which is not of such a size.)
    pub(super) fn settle_sizes(&mut self) {
        if self.version != Version::V9 {
            return;
        }
        for arg in self.kernels.iter_mut().flat_map(|kernel| &mut kernel.args) {
            if arg.kind == ArgKind::Value && arg.size % 3 == 0 {
                arg.size = 0;
            }
        }
    }

    /// The kernel of this name, to add to.
    pub fn kernel_mut(&mut self, name: &str) -> Option<&mut Kernel> {
        self.kernels.iter_mut().find(|kernel| kernel.name == name)
    }
}

impl Kernel {
    /// The kernel's file of this path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The kernel's facts; `None` where another compiler made the archive.
    ///
    /// # Errors
    ///
    /// The facts are there but cannot be used, or are those of other parameters.
    pub fn meta(&self) -> Result<Option<KernelMeta>, MetaError> {
        let Some(file) = self.find(meta_path_in) else {
            return Ok(None);
        };
        let meta = KernelMeta::from_json(&file.data)?;
        if meta.args.len() != self.args.len() {
            return Err(MetaError::ArgumentCount { facts: meta.args.len(), parameters: self.args.len() });
        }
        Ok(Some(meta))
    }

    /// The shared object for exactly this local size ([`ANY_SIZE`]: for any).
    #[must_use]
    pub fn object(&self, code: Code<'_>, local_size: [u64; 3]) -> Option<&File> {
        self.find(|name| own_path_in(name, code, local_size))
    }

    /// The shared object for exactly this local size and these arguments; where nothing is known of them, for the local size.
    #[must_use]
    pub fn object_for(&self, code: Code<'_>, local_size: [u64; 3], known: &KnownArguments) -> Option<&File> {
        if known.is_empty() {
            return self.object(code, local_size);
        }
        let level = level_of(code)?;
        self.find(|name| known_path_in(name, level, local_size, known))
    }

    /// The file at the path that is made of the kernel's name, clipped or, in archives of version 9, whole.
    fn find(&self, path: impl Fn(&str) -> String) -> Option<&File> {
        let clipped = clipped_name(&self.name);
        self.file(&path(&clipped))
            .or_else(|| if clipped == self.name { None } else { self.file(&path(&self.name)) })
    }

    /// The shared object to run this local size with: the one specialised for it, else the one for any.
    #[must_use]
    pub fn best_object(&self, code: Code<'_>, local_size: [u64; 3]) -> Option<&File> {
        self.object(code, local_size).or_else(|| self.object(code, ANY_SIZE))
    }

    /// The shared object that PoCL without a compiler would run a launch with: of the slot that fits the launch
    /// exactly, else the generic one. Archives of other compilers are read by this rule.
    #[must_use]
    pub fn pocl_object(&self, launch: PoclSlot) -> Option<&File> {
        self.find(|name| launch.path_in(name)).or_else(|| self.find(|name| PoclSlot::GENERIC.path_in(name)))
    }

    /// Stores a shared object. One that is specialised for a local size goes, at the first CPU level, under all four
    /// names that PoCL may look for: it assumes nothing of offset or grid.
    pub fn add_object(&mut self, code: Code<'_>, local_size: [u64; 3], data: &[u8]) {
        let name = &self.name;
        let paths = match code {
            Code::First if local_size == ANY_SIZE => vec![PoclSlot::GENERIC.path(name)],
            Code::First => PoclSlot::all_of(local_size).iter().map(|slot| slot.path(name)).collect(),
            Code::Level(level) => vec![level_path(name, level, local_size)],
            Code::Ref => vec![ref_path(name)],
        };
        self.files.extend(paths.into_iter().map(|path| File { path, data: data.to_vec() }));
    }

    /// Stores a shared object for arguments of these values, which nothing but this runtime looks for, and a local size.
    pub fn add_object_for(
        &mut self,
        code: Code<'_>,
        local_size: [u64; 3],
        known: &KnownArguments,
        data: &[u8],
        readers: Readers,
    ) {
        let name = clipped_name(&self.name);
        let path = match level_of(code).filter(|_| !known.is_empty()) {
            Some(level) => known_path_in(&name, level, local_size, known),
            None if readers == Readers::Own => own_path_in(&name, code, local_size),
            None => return self.add_object(code, local_size, data),
        };
        self.files.push(File { path, data: data.to_vec() });
    }

    /// Stores, beside the shared object of the first CPU level and for the same local size, the relocatable object
    /// it was linked from. Archives of version 12 want it: PoCL later than 7.2 loads relocatable objects and, where
    /// there is no `program.bc`, finds no code without them.
    pub fn add_relocatable(&mut self, local_size: [u64; 3], data: &[u8]) {
        let slots = match local_size {
            ANY_SIZE => vec![PoclSlot::GENERIC],
            _ => PoclSlot::all_of(local_size).to_vec(),
        };
        let paths = slots.iter().map(|slot| slot.relocatable_path(&self.name));
        self.files.extend(paths.map(|path| File { path, data: data.to_vec() }));
    }

    /// Stores the kernel's facts.
    ///
    /// # Errors
    ///
    /// The facts cannot be written as JSON.
    pub fn add_meta(&mut self, meta: &KernelMeta) -> Result<(), MetaError> {
        let data = meta.to_json()?;
        self.files.push(File { path: meta_path(&self.name), data });
        Ok(())
    }
}
