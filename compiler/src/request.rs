//! What is asked of the compiler: sources, options, and the code that the archive shall hold.

use oxcl_binary::archive::Version;
use oxcl_binary::known::KnownOf;
use oxcl_binary::pipe::{Kernels, Quality};
use oxcl_frontend::{BuildOptions, VirtualHeader};
use oxcl_tta::model::Machine;
use oxcl_workgroup::PlanText;

use crate::pieces::Told;

/// A source text with the name that messages call it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path or name.
    pub name: String,
    /// OpenCL C.
    pub text: String,
}

/// A module of SPIR-V with the name that messages call it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IlFile {
    /// Path or name.
    pub name: String,
    /// SPIR-V, in either order of bytes.
    pub bytes: Vec<u8>,
    /// The constants that are specialised: number, and bytes of the constant's size.
    pub constants: Vec<(u32, Vec<u8>)>,
}

/// Which device's id the archive carries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DeviceId {
    /// Computed from triple and CPU as PoCL's own build for this kind of machine would.
    #[default]
    OfTarget,
    /// Computed from a device string: what follows `HSTR: ` in a PoCL device's version.
    OfString(String),
    /// Given.
    Number(u64),
}

/// The code that an archive shall hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Devices {
    /// Work-group functions for `cpu` and `basic`.
    pub cpu: bool,
    /// The reference executor's functions.
    pub reference: bool,
}

/// A whole request.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// Sources that link into one program.
    pub sources: Vec<SourceFile>,
    /// Modules of SPIR-V that link into the program.
    pub il: Vec<IlFile>,
    /// Compiled objects and libraries, as archives, that link into the program.
    pub objects: Vec<Vec<u8>>,
    /// Headers that exist in memory only.
    pub headers: Vec<VirtualHeader<'a>>,
    /// Build options.
    pub options: BuildOptions,
    /// What the archive shall hold.
    pub devices: Devices,
    /// Transport-triggered processors to make code for.
    pub machines: Vec<Machine>,
    /// LLVM's names of the CPUs to make code for, the first for PoCL's slots; empty: this machine's.
    pub cpus: Vec<String>,
    /// Local sizes to make specialised functions for, beside the generic one.
    pub local_sizes: Vec<[u64; 3]>,
    /// Kernels whose functions for local sizes are for arguments of these values as well; a kernel may come several times.
    pub known: Vec<KnownOf>,
    /// Container version; none: by the device string.
    pub version: Option<Version>,
    /// Whose id the archive carries.
    pub device_id: DeviceId,
    /// W: work-items that the code runs at a time. None: what the compiler finds best for each kernel; 1 leaves vectors to LLVM.
    pub width: Option<u32>,
    /// W for the kernels that lanes can run, if none is asked for; the others run one work-item at a time.
    pub preferred_width: Option<u32>,
    /// What shall be done with some kernels, W included: `Emit::Plan`'s text, perhaps edited.
    pub plan: Option<PlanText>,
    /// A fault of the compiler is an error even where it could go round it by worse code: for tests.
    pub strict: bool,
    /// Which kernels the archive shall hold.
    pub kernels: Kernels,
    /// How much work goes into the code; what is asked for at `-O0` is always full.
    pub quality: Quality,
    /// Hears how far it is.
    pub told: Told<'a>,
}

impl Request<'_> {
    /// A request for this machine's CPU with default options.
    #[must_use]
    pub fn new(sources: Vec<SourceFile>) -> Self {
        Self {
            sources,
            il: Vec::new(),
            objects: Vec::new(),
            headers: Vec::new(),
            options: BuildOptions::default(),
            devices: Devices { cpu: true, reference: false },
            machines: Vec::new(),
            cpus: Vec::new(),
            local_sizes: Vec::new(),
            known: Vec::new(),
            version: None,
            device_id: DeviceId::default(),
            width: None,
            preferred_width: None,
            plan: None,
            strict: false,
            kernels: Kernels::All,
            quality: Quality::Full,
            told: Told::default(),
        }
    }
}
