//! What the runtime asks of a compiler. The runtime has none itself: the program that uses it links one in, or talks
//! to one in another process ([`Service`](crate::Service)).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use oxcl_binary::archive::Version;
use oxcl_binary::known::KnownOf;

pub use oxcl_binary::pipe::{Action as BuildAction, Il, Quality};

/// Makes archives from sources and from other archives.
pub trait CompilerService: Send + Sync {
    /// Does what the request asks for. Takes as long as it takes; any number of threads may call it at once.
    ///
    /// # Errors
    /// The sources are wrong, or an option is, or the compiler failed; [`BuildError::fault`] says which.
    fn build(&self, request: &BuildRequest) -> Result<Built, BuildError>;

    /// Hints that something will be built soon. Returns at once.
    fn prewarm(&self) {}
}

/// A source text with the name that messages call it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Path or name; of a header, the name that `#include` says.
    pub name: String,
    /// OpenCL C.
    pub text: String,
}

/// What the code shall run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildTarget {
    /// `cpu` and `basic`.
    Cpu,
    /// `ref`.
    Reference,
    /// All three.
    Both,
    /// None of them, but the machines of the request.
    Machines,
}

/// A program to build, or a part of one to compile or to link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildRequest {
    /// What is to be made.
    pub action: BuildAction,
    /// Sources: of a program to build any number, which link into one; one to compile; none to link.
    pub sources: Vec<Source>,
    /// Modules of SPIR-V, which link with the sources; one to compile.
    pub il: Vec<Il>,
    /// Headers that exist in memory only.
    pub headers: Vec<Source>,
    /// The archives to link: compiled objects and libraries.
    pub inputs: Vec<Vec<u8>>,
    /// Options, in one text as OpenCL's functions take them.
    pub options: String,
    /// What the code shall run on.
    pub target: BuildTarget,
    /// LLVM's names of the CPUs to make code for; empty: this machine's.
    pub cpus: Vec<String>,
    /// Local sizes to make specialised functions for, beside the generic one.
    pub local_sizes: Vec<[u64; 3]>,
    /// Kernels whose functions for local sizes are for arguments of these values as well; a kernel may come several times.
    pub known: Vec<KnownOf>,
    /// Descriptions of transport-triggered processors to make code for, as texts; beside the target's.
    pub machines: Vec<Arc<str>>,
    /// Container version; none: the compiler's choice.
    pub version: Option<Version>,
    /// How much work goes into the code.
    pub quality: Quality,
}

impl BuildRequest {
    /// A request to build one source with default options, for this machine.
    #[must_use]
    pub fn new(name: &str, text: &str, target: BuildTarget) -> Self {
        let mut request = Self::empty(BuildAction::Build, target);
        request.sources.push(Source { name: name.to_owned(), text: text.to_owned() });
        request
    }

    /// A request to build one module of SPIR-V with default options, for this machine.
    #[must_use]
    pub fn of_il(il: Il, target: BuildTarget) -> Self {
        Self { il: vec![il], ..Self::empty(BuildAction::Build, target) }
    }

    /// A request to link archives, into a program or ([`BuildAction::Library`]) into a library.
    #[must_use]
    pub fn link(action: BuildAction, inputs: Vec<Vec<u8>>, target: BuildTarget) -> Self {
        Self { inputs, ..Self::empty(action, target) }
    }

    /// The same without what a program is made of, which may be long: its sources, modules, headers, archives and machines.
    pub(crate) fn without_material(&self) -> Self {
        Self {
            action: self.action,
            sources: Vec::new(),
            il: Vec::new(),
            headers: Vec::new(),
            inputs: Vec::new(),
            options: self.options.clone(),
            target: self.target,
            cpus: self.cpus.clone(),
            local_sizes: self.local_sizes.clone(),
            known: self.known.clone(),
            machines: Vec::new(),
            version: self.version,
            quality: self.quality,
        }
    }

    fn empty(action: BuildAction, target: BuildTarget) -> Self {
        Self {
            action,
            sources: Vec::new(),
            il: Vec::new(),
            headers: Vec::new(),
            inputs: Vec::new(),
            options: String::new(),
            target,
            cpus: Vec::new(),
            local_sizes: Vec::new(),
            known: Vec::new(),
            machines: Vec::new(),
            version: None,
            quality: Quality::Full,
        }
    }
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The archive: an executable program, a compiled object or a library, as was asked for.
    pub archive: Vec<u8>,
    /// Warnings, as a compiler shows them; what `clGetProgramBuildInfo` reports.
    pub log: String,
    /// It was in the cache.
    pub cached: bool,
    /// What the code is: [`Quality::Full`] also where [`Quality::First`] was asked for and the better one was there, or no
    /// more work. Kernels, facts and layouts are the same in both.
    pub quality: Quality,
    /// Processor time that making it took, whenever that was; zero where nobody knows.
    pub processor: Duration,
}

/// Whose fault it is that nothing was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildFault {
    /// The sources': clang, or what follows it, rejected them.
    Source,
    /// The options': `CL_INVALID_BUILD_OPTIONS` and its likes.
    Options,
    /// The request's: an input that is no linkable archive, an unknown CPU.
    Request,
    /// There is no compiler: `CL_COMPILER_NOT_AVAILABLE`.
    Unavailable,
    /// The compiler crashed, was killed, or has a fault.
    Crashed,
    /// The compiler took longer than allowed and was ended.
    TimedOut,
}

/// A program was not built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BuildError {
    /// Whose fault it is.
    pub fault: BuildFault,
    /// What is wrong, in a line.
    pub message: String,
    /// The diagnostics as a compiler shows them; what `clGetProgramBuildInfo` reports. Never empty.
    pub log: String,
    /// Where sources, options and the compiler's last words are kept, if the compiler failed.
    pub repro: Option<PathBuf>,
}
