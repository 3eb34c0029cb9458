//! The facts that the compiler records for the runtime, in files that PoCL ignores: `/oxcl.meta` for the program and
//! `/<kernel>/oxcl.meta` for each kernel. JSON, so that any tool can read them.

use serde::{Deserialize, Serialize};

/// Value of [`ProgramMeta::schema`] that this source describes.
pub const SCHEMA: u32 = 1;

/// Path of the program's facts inside an archive.
pub const PROGRAM_META_PATH: &str = "/oxcl.meta";

/// `/oxcl.meta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramMeta {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of the compiler that made the archive.
    pub compiler: String,
    /// Target triple of the code.
    pub triple: String,
    /// CPU levels that the archive has code for, the first being the one in PoCL's slots. Empty for `ref` only.
    pub levels: Vec<Level>,
    /// The archive has `ref.so` for each kernel.
    pub has_ref: bool,
    /// `-cl-std` of the sources, `CL1.2` for example; decides what a launch may ask for.
    pub cl_std: String,
    /// `-cl-uniform-work-group-size` was given.
    pub uniform_work_group_size: bool,
    /// The build options, for `clGetProgramBuildInfo` and `inspect`.
    pub options: String,
}

/// A CPU level: the code needs these features and runs on any CPU that has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// LLVM's name for the CPU: `x86-64-v3`, `znver4`.
    pub cpu: String,
    /// The CPU features, in LLVM's names, that the code may use; sorted.
    pub features: Vec<String>,
}

/// `/<kernel>/oxcl.meta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelMeta {
    /// [`SCHEMA`].
    pub schema: u32,
    /// One for each parameter.
    pub args: Vec<ArgFacts>,
    /// May touch memory that no argument names: pointers loaded from memory, SVM, USM, device addresses.
    pub opaque: bool,
    /// Touches variables at program scope.
    pub globals: bool,
    /// Calls printf.
    pub printf: bool,
    /// Has a work-group barrier.
    pub barrier: bool,
    /// W, scratch and code for each CPU level, in the order of [`ProgramMeta::levels`].
    pub code: Vec<KernelCode>,
}

/// A kernel's figures at one CPU level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelCode {
    /// LLVM's name for the CPU.
    pub cpu: String,
    /// W.
    pub width: u32,
    /// Scratch bytes whatever the local size.
    pub scratch_fixed: u64,
    /// Scratch bytes for each work-item; `CL_KERNEL_PRIVATE_MEM_SIZE`.
    pub scratch_per_item: u64,
    /// Local sizes with a specialised function.
    pub specialised: Vec<[u64; 3]>,
}

/// What a kernel does with one parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgFacts {
    /// Whether what it points to is read or written. `None` for values.
    pub access: Access,
    /// Accesses that every work-item makes, whatever the data: the runtime compares them with the buffer's size.
    pub bounds: Vec<AccessBound>,
}

/// What happens to the memory behind a pointer parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Neither read nor written.
    None,
    /// Only read.
    Read,
    /// Only written.
    Write,
    /// Read and written.
    ReadWrite,
}

/// An access at byte offset `constant + Σ global[d]·global_id(d) + Σ local[d]·local_id(d) + Σ group[d]·group_id(d)`
/// of `bytes` bytes, made by every work-item of a launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessBound {
    /// Constant part in bytes.
    pub constant: i64,
    /// Factors of the global id (without offset added: the id as the kernel sees it), in bytes.
    pub global: [i64; 3],
    /// Factors of the local id, in bytes.
    pub local: [i64; 3],
    /// Factors of the group id, in bytes.
    pub group: [i64; 3],
    /// Size of the access in bytes.
    pub bytes: u64,
    /// Line of the access in the source, 1-based; 0 if unknown.
    pub line: u32,
}
