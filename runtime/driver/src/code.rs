//! Why machine code of an archive cannot be used on a device, as data that a user can be told. Which errors these are is for
//! drivers to say; their codes are the runtime's business.

/// An archive's code cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// The archive has no code for the kernel on this device.
    #[error("the archive has no code for kernel '{kernel}' that {device} can run: {found}")]
    NoCode {
        /// The kernel's name.
        kernel: String,
        /// What the code was wanted for.
        device: &'static str,
        /// What the archive holds instead.
        found: String,
    },
    /// The archive's code needs CPU features that this machine lacks.
    #[error("kernel '{kernel}' is compiled for {cpu}; this CPU lacks {}", features.join(", "))]
    MissingFeatures {
        /// The kernel's name.
        kernel: String,
        /// The CPU, or CPUs, that the code is for.
        cpu: String,
        /// The features that are missing for the least demanding of them, in LLVM's names.
        features: Vec<String>,
    },
    /// The code is for another processor or operating system.
    #[error("kernel '{kernel}' is compiled for {triple}; this machine runs x86-64 Linux code only")]
    WrongTriple {
        /// The kernel's name.
        kernel: String,
        /// The target triple of the archive.
        triple: String,
    },
    /// The archive contradicts itself.
    #[error("the archive's facts about kernel '{kernel}' are wrong: {reason}")]
    BadFacts {
        /// The kernel's name.
        kernel: String,
        /// What is wrong.
        reason: String,
    },
    /// A file is not a shared object that this machine can load.
    #[error("'{path}' is not a shared object for this machine: {reason}")]
    NotLoadable {
        /// The file inside the archive.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A symbol that the loader looks for is not there.
    #[error("'{path}' does not define '{symbol}'")]
    MissingSymbol {
        /// The file inside the archive.
        path: String,
        /// The symbol.
        symbol: String,
    },
    /// The object needs symbols that neither the C library nor the maths library has.
    #[error("'{path}' needs symbols that nothing provides: {}", symbols.join(", "))]
    UndefinedSymbols {
        /// The file inside the archive.
        path: String,
        /// The symbols, sorted.
        symbols: Vec<String>,
    },
    /// The object needs libraries other than the C and maths libraries.
    #[error("'{path}' needs libraries that a kernel may not load: {}", libraries.join(", "))]
    ForbiddenLibraries {
        /// The file inside the archive.
        path: String,
        /// The libraries, as the file names them.
        libraries: Vec<String>,
    },
    /// The kernel prints through a protocol that is not supported yet.
    #[error("'{path}' prints through '{symbol}', which is not supported yet: build it without printf")]
    PrintfNotYet {
        /// The file inside the archive.
        path: String,
        /// The hook that it calls.
        symbol: String,
    },
    /// The program has variables at program scope, which are not supported yet for archives of other compilers.
    #[error("the program keeps {bytes} bytes of variables at program scope, which is not supported yet")]
    ProgramScopeNotYet {
        /// Size of the variables.
        bytes: u64,
    },
    /// The object was made for another launch interface.
    #[error("'{path}' was made for launch interface {found}; this is {}", oxcl_binary::abi::ABI_VERSION)]
    AbiVersion {
        /// The file inside the archive.
        path: String,
        /// The version found.
        found: u32,
    },
    /// The system's loader refused the object everywhere.
    #[error("'{path}' cannot be loaded: {}", attempts.join("; "))]
    Refused {
        /// The file inside the archive.
        path: String,
        /// What was tried and what the system said.
        attempts: Vec<String>,
    },
    /// The program's code stays as it was built.
    #[error("the device's programs take no other code")]
    Fixed,
}
