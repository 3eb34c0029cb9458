//! What the runtime asks of a compiler. The runtime has none itself: the program that uses it links one in, or talks
//! to one in another process.

use oxcl_binary::archive::Version;

/// Makes archives from sources.
pub trait CompilerService: Send + Sync {
    /// Compiles and links the request's sources into one program. Gives the archive's bytes.
    ///
    /// # Errors
    /// The sources are wrong, or an option is.
    fn build(&self, request: &BuildRequest) -> Result<Vec<u8>, BuildError>;
}

/// A source text with the name that messages call it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Path or name.
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
}

/// A program to build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildRequest {
    /// Sources that link into one program.
    pub sources: Vec<Source>,
    /// Build options as for `clBuildProgram`, each word an element.
    pub options: Vec<String>,
    /// What the code shall run on.
    pub target: BuildTarget,
    /// LLVM's names of the CPUs to make code for; empty: this machine's.
    pub cpus: Vec<String>,
    /// Local sizes to make specialised functions for, beside the generic one.
    pub local_sizes: Vec<[u64; 3]>,
    /// Container version; none: the compiler's choice.
    pub version: Option<Version>,
}

impl BuildRequest {
    /// A request for one source with default options, for this machine.
    #[must_use]
    pub fn new(name: &str, text: &str, target: BuildTarget) -> Self {
        Self {
            sources: vec![Source { name: name.to_owned(), text: text.to_owned() }],
            options: Vec::new(),
            target,
            cpus: Vec::new(),
            local_sizes: Vec::new(),
            version: None,
        }
    }
}

/// A program was not built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BuildError {
    /// What is wrong, in a line.
    pub message: String,
    /// The diagnostics as a compiler shows them; what `clGetProgramBuildInfo` reports.
    pub log: String,
}
