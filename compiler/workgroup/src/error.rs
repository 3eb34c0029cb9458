//! What can be wrong with a kernel on its way to a work-group function.

use crate::plan::read::PlanError;
use oxcl_ir::IrError;

/// Why a kernel cannot be formed. Each has a stable code and, where the kernel's author can do something, advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// The module defines no kernel of that name.
    #[error("there is no kernel '{kernel}'")]
    NoSuchKernel {
        /// The name asked for.
        kernel: String,
    },
    /// A function reaches itself, which OpenCL C forbids.
    #[error("function '{function}' calls itself, directly or through others")]
    Recursion {
        /// The function.
        function: String,
        /// Line of the call, 0 if unknown.
        line: u32,
    },
    /// A call through a pointer, which OpenCL C forbids.
    #[error("kernel '{kernel}' calls a function through a pointer")]
    IndirectCall {
        /// The kernel.
        kernel: String,
        /// Line of the call, 0 if unknown.
        line: u32,
    },
    /// Control flow that no OpenCL C program has (computed goto, exceptions).
    #[error("kernel '{kernel}' has control flow that is not supported yet: {what}")]
    ControlFlow {
        /// The kernel.
        kernel: String,
        /// The instruction.
        what: String,
        /// Line of the instruction, 0 if unknown.
        line: u32,
    },
    /// The lane count is not one that the target can have.
    #[error("cannot run {width} work-items at a time: the lane count must be a power of two up to 64")]
    Width {
        /// The lane count asked for.
        width: u32,
    },
    /// The kernel cannot run W work-items at a time yet; at W = 1 it can.
    #[error("cannot vectorise kernel '{kernel}': {reason}")]
    CannotVectorise {
        /// The kernel.
        kernel: String,
        /// Why not.
        reason: String,
        /// Line of the cause, 0 if unknown.
        line: u32,
    },
    /// A plan that somebody wrote is not one for this kernel.
    #[error("the plan of kernel '{kernel}' cannot be followed: {error}")]
    Plan {
        /// The kernel.
        kernel: String,
        /// The plan's line, and what is wrong there.
        error: PlanError,
    },
    /// Our own mistake: a region uses a value that neither it nor a home gives it on every way.
    #[error(
        "internal error while forming kernel '{kernel}': region {region}, which begins at '{entry}', has no value for '{value}'"
    )]
    Unplaced {
        /// The kernel.
        kernel: String,
        /// The instruction whose result is missing.
        value: String,
        /// The region's number.
        region: usize,
        /// The name of the region's first block.
        entry: String,
    },
    /// Our own mistake.
    #[error("internal error while forming a kernel: {0}")]
    Internal(#[from] IrError),
}

impl FormError {
    /// The stable code, as in `docs/errors.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            FormError::NoSuchKernel { .. } => "OX0301",
            FormError::Recursion { .. } => "OX0302",
            FormError::IndirectCall { .. } => "OX0303",
            FormError::ControlFlow { .. } => "OX0304",
            FormError::Width { .. } => "OX0305",
            FormError::CannotVectorise { .. } => "OX0306",
            FormError::Plan { .. } => "OX0307",
            FormError::Unplaced { .. } | FormError::Internal(_) => "OX0399",
        }
    }

    /// The line in the source, 1-based, where one is known.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        let line = match self {
            FormError::Recursion { line, .. }
            | FormError::IndirectCall { line, .. }
            | FormError::ControlFlow { line, .. }
            | FormError::CannotVectorise { line, .. } => *line,
            FormError::NoSuchKernel { .. }
            | FormError::Width { .. }
            | FormError::Plan { .. }
            | FormError::Unplaced { .. }
            | FormError::Internal(_) => 0,
        };
        (line != 0).then_some(line)
    }

    /// What the kernel's author can do.
    #[must_use]
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            FormError::Recursion { .. } => Some("write the recursion as a loop with its own stack"),
            FormError::IndirectCall { .. } => Some("choose between the functions with an if or a switch"),
            FormError::ControlFlow { .. } => Some("write it with if, switch and loops"),
            FormError::CannotVectorise { .. } => Some("compile with width 1"),
            FormError::Plan { .. } => Some("look at what can be: oxcl compile --emit plan"),
            FormError::NoSuchKernel { .. }
            | FormError::Width { .. }
            | FormError::Unplaced { .. }
            | FormError::Internal(_) => None,
        }
    }
}
