//! Codes of errors: one for each kind, stable over versions, so that documents and scripts can name them.

use std::fmt;

use oxcl_driver::CodeError;
use oxcl_driver::fault::{KernelFailure, OutOfResources};

/// The stable code of a kind of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorCode(pub(crate) &'static str);

impl fmt::Display for ErrorCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

/// An error whose kind has a stable code.
pub trait Coded: std::error::Error {
    /// The code of this error's kind.
    fn code(&self) -> ErrorCode;
}

impl Coded for CodeError {
    fn code(&self) -> ErrorCode {
        ErrorCode(match self {
            Self::NoCode { .. } => "OX0610",
            Self::MissingFeatures { .. } => "OX0611",
            Self::WrongTriple { .. } => "OX0612",
            Self::BadFacts { .. } => "OX0613",
            Self::NotLoadable { .. } => "OX0614",
            Self::MissingSymbol { .. } => "OX0615",
            Self::UndefinedSymbols { .. } => "OX0616",
            Self::ForbiddenLibraries { .. } => "OX0617",
            Self::PrintfNotYet { .. } => "OX0618",
            Self::ProgramScopeNotYet { .. } => "OX0619",
            Self::AbiVersion { .. } => "OX0620",
            Self::Refused { .. } => "OX0621",
            Self::Fixed => "OX0622",
        })
    }
}

impl Coded for OutOfResources {
    fn code(&self) -> ErrorCode {
        ErrorCode("OX0510")
    }
}

impl Coded for KernelFailure {
    fn code(&self) -> ErrorCode {
        match self {
            Self::OutOfResources(error) => error.code(),
            Self::Fault(_) => ErrorCode("OX0511"),
            Self::ExecutionFailed { .. } => ErrorCode("OX0512"),
            Self::BarrierNotMet { .. } => ErrorCode("OX0513"),
            Self::UnexpectedBarrier { .. } => ErrorCode("OX0514"),
        }
    }
}

impl Coded for crate::compiler::BuildError {
    fn code(&self) -> ErrorCode {
        use crate::compiler::BuildFault;
        ErrorCode(match self.fault {
            BuildFault::Source => "OX0710",
            BuildFault::Options => "OX0711",
            BuildFault::Request => "OX0712",
            BuildFault::Unavailable => "OX0713",
            BuildFault::Crashed => "OX0714",
            BuildFault::TimedOut => "OX0715",
        })
    }
}
