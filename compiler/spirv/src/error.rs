//! Why a module was not taken. Each error names the word of the module where it shows, counted from 0.

/// Why a module was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("word {word}: {reason}")]
pub struct SpirvError {
    /// Where, in words from the module's first.
    pub word: usize,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The words are no SPIR-V: header, lengths, operands.
    #[error("{0}")]
    Malformed(String),
    /// What the words say breaks a rule of SPIR-V.
    #[error("{0}")]
    Invalid(String),
    /// Something that no OpenCL device of ours takes.
    #[error("{0} is not supported")]
    NotSupported(String),
    /// Addresses have another size than the device's.
    #[error("the module has addresses of {module} bits, the device those of {device}")]
    Addresses {
        /// The module's.
        module: u32,
        /// The device's.
        device: u32,
    },
    /// LLVM refuses what the instruction says: types that do not fit, values that are not there.
    #[error("the instruction does not fit its operands: {0}")]
    Refused(String),
    /// LLVM failed over the module, or took more time or memory than any module of its size needs.
    #[error("LLVM failed over the module: {0}")]
    Crashed(String),
}

/// What reading gives.
pub(crate) type Result<T> = std::result::Result<T, SpirvError>;

pub(crate) fn malformed(word: usize, what: impl Into<String>) -> SpirvError {
    SpirvError { word, reason: Reason::Malformed(what.into()) }
}

pub(crate) fn invalid(word: usize, what: impl Into<String>) -> SpirvError {
    SpirvError { word, reason: Reason::Invalid(what.into()) }
}

pub(crate) fn not_supported(word: usize, what: impl Into<String>) -> SpirvError {
    SpirvError { word, reason: Reason::NotSupported(what.into()) }
}

impl SpirvError {
    /// The stable code, as in `docs/errors.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.reason {
            Reason::Malformed(_) => "OX0231",
            Reason::Invalid(_) | Reason::Refused(_) => "OX0232",
            Reason::NotSupported(_) => "OX0233",
            Reason::Addresses { .. } => "OX0234",
            Reason::Crashed(_) => "OX0405",
        }
    }
}
