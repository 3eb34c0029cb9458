//! The pocl-binary container in memory: plain data.
//!
//! [`read`](self::Archive::read) and [`write`](self::Archive::write) are exact inverses: whatever is read can be written
//! again with the same bytes, and what can be written is read back equal. Where the kernels' shared objects are stored
//! and found is in [`slots`].

mod error;
mod path;
mod read;
pub mod slots;
mod write;

pub use error::{Place, ReadError, ReadErrorKind, WriteError};
pub use path::PathFault;

use crate::meta::{MetaError, PROGRAM_META_PATH, ProgramMeta};

/// Container versions that we read and write, named by the PoCL that introduced them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// Version 9, PoCL 3.1.
    V9,
    /// Version 11, PoCL 4.0 to 7.1.
    V11,
    /// Version 12, PoCL 7.2.
    V12,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Version; 3] = [Version::V9, Version::V11, Version::V12];

    /// The number in the container's header.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Version::V9 => 9,
            Version::V11 => 11,
            Version::V12 => 12,
        }
    }

    /// The version of this number, if it is one that we know.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Version> {
        Version::ALL.into_iter().find(|version| version.number() == number)
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// What a program binary holds, with OpenCL's `cl_program_binary_type` values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryType {
    /// A compiled object, to be linked.
    CompiledObject = 1,
    /// A library.
    Library = 2,
    /// An executable program.
    Executable = 4,
}

/// A file inside an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path relative to the program's cache directory; begins with `/`, never holds `..`.
    pub path: String,
    /// Contents.
    pub data: Vec<u8>,
}

/// A whole archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// Container version.
    pub version: Version,
    /// Hash that names the device (PoCL compares it, we do not where `/oxcl.meta` is present).
    pub device_id: u64,
    /// Denormals are flushed to zero.
    pub flush_denorms: bool,
    /// Bytes of variables at program scope; present from version 11 on.
    pub program_scope_bytes: Option<u64>,
    /// What the archive holds.
    pub binary_type: BinaryType,
    /// Text of the build hash, which names the directory PoCL unpacks into: 40 characters of which the third is `/`
    /// (shorter where PoCL ran without its cache). [`Archive::seal`] computes it.
    pub build_hash: String,
    /// Root entries; each holds one or more files.
    pub root: Vec<Vec<File>>,
    /// The kernels, in file order.
    pub kernels: Vec<Kernel>,
}

/// One kernel's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The kernel's name.
    pub name: String,
    /// Its parameters, in order.
    pub args: Vec<Arg>,
    /// Sizes in bytes of its automatic `__local` variables, in declaration order.
    pub local_sizes: Vec<u64>,
    /// `reqd_work_group_size`, or zeros.
    pub reqd_wg_size: [u64; 3],
    /// The source's attributes as `CL_KERNEL_ATTRIBUTES` reports them; may be empty.
    pub attributes: String,
    /// Which fields of [`Arg`] are known; [`Kernel::ALL_ARG_METADATA`] when all are.
    pub has_arg_metadata: u32,
    /// Work-group facts (versions 11 and 12).
    pub work_group: Option<WorkGroupMeta>,
    /// `(max_subgroups, compile_subgroups)` (versions 11 and 12).
    pub sub_groups: Option<[u32; 2]>,
    /// `intel_reqd_sub_group_size` (version 12).
    pub reqd_sub_group_size: Option<u32>,
    /// The files of the kernel's directory.
    pub files: Vec<File>,
}

impl Archive {
    /// The kernel of this name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// Every file, root entries first, then the kernels' in their order.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.root.iter().flatten().chain(self.kernels.iter().flat_map(|kernel| &kernel.files))
    }

    /// The file of this path, wherever it is stored.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files().find(|file| file.path == path)
    }

    /// The program's facts; `None` where another compiler made the archive.
    ///
    /// # Errors
    ///
    /// The facts are there but cannot be used.
    pub fn program_meta(&self) -> Result<Option<ProgramMeta>, MetaError> {
        let file = self.root.iter().flatten().find(|file| file.path == PROGRAM_META_PATH);
        file.map(|file| ProgramMeta::from_json(&file.data)).transpose()
    }
}

impl Kernel {
    /// Address, access, type name, type qualifier and name are all known.
    pub const ALL_ARG_METADATA: u32 = 31;
}

/// Work-group facts of a kernel record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkGroupMeta {
    /// `CL_KERNEL_WORK_GROUP_SIZE`.
    pub max_size: u32,
    /// `CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE`.
    pub preferred_multiple: u32,
    /// `CL_KERNEL_LOCAL_MEM_SIZE`, in bytes.
    pub local_mem: u32,
    /// `CL_KERNEL_PRIVATE_MEM_SIZE`, in bytes.
    pub private_mem: u32,
    /// `CL_KERNEL_SPILL_MEM_SIZE_INTEL`, in bytes.
    pub spill_mem: u32,
}

/// How an argument is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgKind {
    /// A scalar, vector or structure by value.
    Value = 0,
    /// A pointer.
    Pointer = 1,
    /// An image.
    Image = 2,
    /// A sampler.
    Sampler = 3,
    /// A pipe.
    Pipe = 4,
}

/// Address spaces with OpenCL's `cl_kernel_arg_address_qualifier` values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressQualifier {
    /// `__global`
    Global = 0x119B,
    /// `__local`
    Local = 0x119C,
    /// `__constant`
    Constant = 0x119D,
    /// `__private` (by value)
    Private = 0x119E,
}

/// Access qualifiers with OpenCL's `cl_kernel_arg_access_qualifier` values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessQualifier {
    /// `read_only`
    ReadOnly = 0x11A0,
    /// `write_only`
    WriteOnly = 0x11A1,
    /// `read_write`
    ReadWrite = 0x11A2,
    /// Not an image or pipe.
    None = 0x11A3,
}

/// One parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// Parameter name.
    pub name: String,
    /// Type name as `CL_KERNEL_ARG_TYPE_NAME` reports it: `float*`, `int4`, `struct S`.
    pub type_name: String,
    /// Address space of what it points to.
    pub address: AddressQualifier,
    /// Access qualifier.
    pub access: AccessQualifier,
    /// `cl_kernel_arg_type_qualifier` bits: const 1, restrict 2, volatile 4, pipe 8.
    pub type_qualifier: u64,
    /// How it is passed.
    pub kind: ArgKind,
    /// Size in bytes of the value (8 for pointers on 64-bit devices).
    pub size: u32,
}
