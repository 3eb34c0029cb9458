//! Codes of errors: one for each kind, stable over versions, so that documents and scripts can name them.

use std::fmt;

/// The stable code of a kind of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorCode(pub(crate) u16);

impl fmt::Display for ErrorCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "OX{:04}", self.0)
    }
}

/// An error whose kind has a stable code.
pub trait Coded: std::error::Error {
    /// The code of this error's kind.
    fn code(&self) -> ErrorCode;
}

impl Coded for oxcl_driver_cpu::LoadError {
    fn code(&self) -> ErrorCode {
        ErrorCode(match self {
            Self::NoCode { .. } => 410,
            Self::MissingFeatures { .. } => 411,
            Self::WrongTriple { .. } => 412,
            Self::BadFacts { .. } => 413,
            Self::NotLoadable { .. } => 414,
            Self::MissingSymbol { .. } => 415,
            Self::UndefinedSymbols { .. } => 416,
            Self::ForbiddenLibraries { .. } => 417,
            Self::PrintfNotYet { .. } => 418,
            Self::ProgramScopeNotYet { .. } => 419,
            Self::AbiVersion { .. } => 420,
            Self::Refused { .. } => 421,
        })
    }
}

impl Coded for oxcl_driver_cpu::OutOfResources {
    fn code(&self) -> ErrorCode {
        ErrorCode(510)
    }
}

impl Coded for oxcl_driver_cpu::Failure {
    fn code(&self) -> ErrorCode {
        match self {
            Self::OutOfResources(error) => error.code(),
            Self::Fault(_) => ErrorCode(511),
            Self::ExecutionFailed { .. } => ErrorCode(512),
            Self::BarrierNotMet { .. } => ErrorCode(513),
            Self::UnexpectedBarrier { .. } => ErrorCode(514),
        }
    }
}
