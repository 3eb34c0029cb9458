//! Where the code and the facts of a kernel are in an archive, for those who store them and those who look them up.
//!
//! | path | what |
//! | --- | --- |
//! | `/<kernel>/<x>-<y>-<z>[-goffs0][-smallgrid]/<kernel>.so` | PoCL's slots: code of the first CPU level; `0-0-0` takes any local size |
//! | `/<kernel>/oxcl/<level>/<x>-<y>-<z>.so` | code of a further CPU level |
//! | `/<kernel>/oxcl/ref.so` | the reference executor's code |
//! | `/<kernel>/oxcl.meta` | the kernel's facts |
//!
//! `<kernel>` is the kernel's name, clipped as PoCL clips it ([`clipped_name`]).

use super::{Archive, File, Kernel};
use crate::hash::clipped_name;
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
        let name = clipped_name(kernel);
        let [x, y, z] = self.local_size;
        let zero_offset = if self.zero_offset { "-goffs0" } else { "" };
        let small_grid = if self.small_grid { "-smallgrid" } else { "" };
        format!("/{name}/{x}-{y}-{z}{zero_offset}{small_grid}/{name}.so")
    }
}

/// The path of the code of a further CPU level.
#[must_use]
pub fn level_path(kernel: &str, level: &str, local_size: [u64; 3]) -> String {
    let [x, y, z] = local_size;
    format!("/{}/oxcl/{level}/{x}-{y}-{z}.so", clipped_name(kernel))
}

/// The path of the reference executor's code.
#[must_use]
pub fn ref_path(kernel: &str) -> String {
    format!("/{}/oxcl/ref.so", clipped_name(kernel))
}

/// The path of the kernel's facts.
#[must_use]
pub fn meta_path(kernel: &str) -> String {
    format!("/{}/oxcl.meta", clipped_name(kernel))
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

impl Archive {
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
        let Some(file) = self.file(&meta_path(&self.name)) else {
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
        match code {
            Code::First => self.file(&PoclSlot { local_size, ..PoclSlot::GENERIC }.path(&self.name)),
            Code::Level(level) => self.file(&level_path(&self.name, level, local_size)),
            Code::Ref => self.file(&ref_path(&self.name)),
        }
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
        self.file(&launch.path(&self.name)).or_else(|| self.file(&PoclSlot::GENERIC.path(&self.name)))
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
