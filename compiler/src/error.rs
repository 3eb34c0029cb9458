//! Why a request was not compiled. Each variant says whose fault it is; [`CompileError::code`] is its stable code.

use oxcl_binary::archive::WriteError;
use oxcl_binary::meta::{MetaError, SUB_GROUP_SIZES};
use oxcl_codegen::{CodegenError, LinkError as ObjectLinkError, UnknownCpu};
use oxcl_frontend::{CompileError as FrontendError, CompileErrorKind, Diagnostics, LinkError};
use oxcl_ir::IrError;
use oxcl_spirv::{Reason, SpirvError};
use oxcl_workgroup::FormError;

/// Why a request was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// Clang rejected a source, or crashed over it.
    #[error("{0}")]
    Source(FrontendError),
    /// A module of SPIR-V was not taken.
    #[error("{file}: {error}")]
    Spirv {
        /// The module's name.
        file: String,
        /// What is wrong with which word.
        error: SpirvError,
    },
    /// The sources do not fit together.
    #[error("{0}")]
    Sources(#[from] LinkError),
    /// An archive to link holds nothing that can be linked.
    #[error("input {index} cannot be linked: {reason}")]
    Input {
        /// Which, from 0.
        index: usize,
        /// Why not.
        reason: String,
    },
    /// No source defines a kernel.
    #[error("there is no kernel in {}", .sources.join(", "))]
    NoKernel {
        /// Names of the sources.
        sources: Vec<String>,
    },
    /// The container version has no place for variables at program scope.
    #[error("archives of version 9 cannot hold variables at program scope, and '{variable}' is one")]
    VariablesNotInVersion {
        /// The first one's name.
        variable: String,
    },
    /// There is no kernel of the name asked for.
    #[error("there is no kernel '{name}'; there is {}", .known.join(", "))]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// Those that exist.
        known: Vec<String>,
    },
    /// Several kernels where the output holds one.
    #[error("{what} holds one kernel; choose one of {}", .kernels.join(", "))]
    OneKernel {
        /// The output.
        what: &'static str,
        /// The kernels.
        kernels: Vec<String>,
    },
    /// Functions that are declared and called, but neither defined nor built in.
    #[error("undefined: {}", .symbols.join(", "))]
    Undefined {
        /// Their names as the source writes them, sorted.
        symbols: Vec<String>,
    },
    /// Built-in functions that are not there yet.
    #[error("not supported yet: {}", .symbols.join(", "))]
    NotYet {
        /// Their names as the source writes them, sorted.
        symbols: Vec<String>,
    },
    /// The format of a printf is not known.
    #[error("the format of printf must be a string literal")]
    PrintfFormat {
        /// Line of the call, 0 if unknown.
        line: u32,
    },
    /// An argument that no conversion of printf's takes.
    #[error("argument {position} of printf has a type that cannot be printed")]
    PrintfArgument {
        /// Its place behind the format, from 1.
        position: usize,
        /// Line of the call, 0 if unknown.
        line: u32,
    },
    /// A variable at program scope begins with something that is only known at run time.
    #[error("the initial value of variable '{variable}' is no constant")]
    InitialValue {
        /// The variable's name.
        variable: String,
    },
    /// A transport-triggered processor cannot run the program.
    #[error("{0}")]
    Tta(#[from] oxcl_tta::compile::CompileError),
    /// The instruction selector's output is not understood.
    #[error("{0}")]
    MachineIr(oxcl_tta::machine_ir::ReadError),
    /// A parameter of a kind that no device takes yet.
    #[error(
        "parameter '{parameter}' of kernel '{kernel}' has type {type_name}: {what} are not supported yet"
    )]
    ParameterNotYet {
        /// The kernel.
        kernel: String,
        /// The parameter's name.
        parameter: String,
        /// Its type.
        type_name: String,
        /// What is not supported.
        what: &'static str,
    },
    /// A kernel asks for sub-groups of a size that no device has.
    #[error("kernel '{kernel}' requires sub-groups of {size} work-items; there are those of {}", sizes())]
    SubGroupSize {
        /// The kernel.
        kernel: String,
        /// The size.
        size: u64,
    },
    /// A kernel has no work-group function.
    #[error("{error}")]
    Kernel {
        /// The kernel.
        kernel: String,
        /// Why.
        error: FormError,
    },
    /// No such CPU.
    #[error(transparent)]
    Cpu(#[from] UnknownCpu),
    /// Nothing was asked for, or something that cannot be had together.
    #[error("{0}")]
    Request(String),
    /// LLVM made no code.
    #[error("kernel '{kernel}': {error}")]
    Codegen {
        /// The kernel.
        kernel: String,
        /// Why.
        error: CodegenError,
    },
    /// LLVM makes no SPIR-V of the program.
    #[error("LLVM makes no SPIR-V of this program: {error}")]
    NoSpirv {
        /// Why.
        error: CodegenError,
    },
    /// The object was not linked.
    #[error("kernel '{kernel}': {error}")]
    Link {
        /// The kernel.
        kernel: String,
        /// Why.
        error: ObjectLinkError,
    },
    /// A mistake of ours in the IR.
    #[error("internal error: {0}")]
    Ir(#[from] IrError),
    /// The container cannot hold the result.
    #[error("the archive cannot be written: {0}")]
    Archive(#[from] WriteError),
    /// The facts cannot be written.
    #[error("the archive cannot be written: {0}")]
    Meta(#[from] MetaError),
}

/// The sizes of sub-groups that kernels may ask for.
fn sizes() -> String {
    SUB_GROUP_SIZES.map(|size| size.to_string()).join(", ")
}

/// Whose fault an error is; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The source's.
    Source,
    /// The request's.
    Request,
    /// Ours.
    Internal,
}

impl CompileError {
    /// The stable code, as in `docs/errors.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Source(error) if error.kind == CompileErrorKind::Rejected => "OX0201",
            Self::Source(_) => "OX0202",
            Self::Spirv { error, .. } => error.code(),
            Self::Sources(_) => "OX0203",
            Self::Input { .. } => "OX0211",
            Self::NoKernel { .. } => "OX0204",
            Self::UnknownKernel { .. } => "OX0205",
            Self::OneKernel { .. } => "OX0206",
            Self::Undefined { .. } => "OX0207",
            Self::NotYet { .. } => "OX0208",
            Self::PrintfFormat { .. } => "OX0221",
            Self::PrintfArgument { .. } => "OX0222",
            Self::InitialValue { .. } => "OX0223",
            Self::ParameterNotYet { .. } => "OX0224",
            Self::VariablesNotInVersion { .. } => "OX0225",
            Self::SubGroupSize { .. } => "OX0226",
            Self::Kernel { error, .. } => error.code(),
            Self::Cpu(_) => "OX0209",
            Self::Request(_) => "OX0210",
            Self::Codegen { .. } => "OX0401",
            Self::Link { .. } => "OX0402",
            Self::NoSpirv { .. } => "OX0404",
            Self::Tta(_) => "OX0410",
            Self::MachineIr(_) => "OX0411",
            Self::Ir(_) => "OX0499",
            Self::Archive(_) | Self::Meta(_) => "OX0403",
        }
    }

    /// Whose fault it is.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            Self::Source(error) if error.kind == CompileErrorKind::Crashed => Fault::Internal,
            Self::Spirv { error: SpirvError { reason: Reason::Crashed(_), .. }, .. } => Fault::Internal,
            Self::Source(_)
            | Self::Spirv { .. }
            | Self::Sources(_)
            | Self::NoKernel { .. }
            | Self::Undefined { .. }
            | Self::NotYet { .. }
            | Self::PrintfFormat { .. }
            | Self::PrintfArgument { .. }
            | Self::InitialValue { .. }
            | Self::Tta(_)
            | Self::SubGroupSize { .. }
            | Self::ParameterNotYet { .. } => Fault::Source,
            Self::Kernel { error: FormError::Internal(_), .. } => Fault::Internal,
            Self::Kernel { error: FormError::Plan { .. } | FormError::Width { .. }, .. } => Fault::Request,
            Self::Kernel { .. } => Fault::Source,
            Self::Input { .. }
            | Self::UnknownKernel { .. }
            | Self::OneKernel { .. }
            | Self::VariablesNotInVersion { .. }
            | Self::Cpu(_)
            | Self::Request(_) => Fault::Request,
            Self::Codegen { .. }
            | Self::NoSpirv { .. }
            | Self::Link { .. }
            | Self::Ir(_)
            | Self::Archive(_)
            | Self::Meta(_)
            | Self::MachineIr(_) => Fault::Internal,
        }
    }

    /// Clang's diagnostics, where it was clang that refused.
    #[must_use]
    pub fn diagnostics(&self) -> Option<&Diagnostics> {
        match self {
            Self::Source(error) => Some(&error.diagnostics),
            _ => None,
        }
    }

    /// Line of the source, 1-based, where one is known and clang's diagnostics do not say it.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::Kernel { error, .. } => error.line(),
            Self::PrintfFormat { line } | Self::PrintfArgument { line, .. } => {
                Some(*line).filter(|line| *line != 0)
            }
            _ => None,
        }
    }

    /// What the user can do.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Kernel { error, .. } => error.advice().map(str::to_owned),
            Self::NoKernel { .. } => Some("mark an entry point with `kernel void NAME(…)`".into()),
            Self::Undefined { .. } => {
                Some("define the function, or add the source that does to the command line".into())
            }
            Self::VariablesNotInVersion { .. } => {
                Some("pass a buffer instead, or compile for PoCL 4.0 or later".into())
            }
            _ => None,
        }
    }
}
