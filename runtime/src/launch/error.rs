//! Why a launch is refused or fails, in words for the user and as codes.

use std::fmt;
use std::sync::Arc;

use oxcl_driver::fault::KernelFailure;
use oxcl_driver::{CodeError, DriverError};
use oxcl_scheduler::EnqueueError;

use crate::buffer::BufferError;
use crate::error::{Coded, ErrorCode};
use crate::queue::QueueError;

/// A launch was refused, or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// Too few or too many arguments.
    #[error("kernel '{kernel}' takes {want} arguments ({}), {given} were given", parameters.join(", "))]
    ArgumentCount {
        /// The kernel's name.
        kernel: String,
        /// Parameters that it has.
        want: usize,
        /// Arguments given.
        given: usize,
        /// The parameters' names.
        parameters: Vec<String>,
    },
    /// An argument of the wrong kind.
    #[error("argument '{argument}' of kernel '{kernel}' has type {type_name}: it takes {want}, not {given}")]
    ArgumentKind {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The parameter's type.
        type_name: String,
        /// What it takes.
        want: &'static str,
        /// What was given.
        given: &'static str,
    },
    /// A value of the wrong size.
    #[error(
        "argument '{argument}' of kernel '{kernel}' has type {type_name} of {want} bytes, {given} were given"
    )]
    ArgumentSize {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The parameter's type.
        type_name: String,
        /// Its size in bytes.
        want: u32,
        /// The size given.
        given: usize,
    },
    /// A parameter of a kind that no device takes yet.
    #[error("argument '{argument}' of kernel '{kernel}' has type {type_name}: {what} are not supported yet")]
    ArgumentNotYet {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The parameter's type.
        type_name: String,
        /// What is not supported.
        what: &'static str,
    },
    /// No local memory for a `local` pointer.
    #[error("argument '{argument}' of kernel '{kernel}' points to local memory: give it at least one byte")]
    EmptyLocal {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
    },
    /// The local size must divide the global size, and does not.
    #[error(
        "local size {local} does not divide global size {global} in dimension {dimension}, as {reason} demands"
    )]
    DoesNotDivide {
        /// The dimension, from 0.
        dimension: usize,
        /// Global size in it.
        global: u64,
        /// Local size in it.
        local: u64,
        /// What demands it.
        reason: String,
    },
    /// Too many work-items in a work-group.
    #[error("a work-group of {items} work-items is too large: {whose} takes at most {limit}")]
    GroupTooLarge {
        /// Work-items asked for.
        items: u64,
        /// Most that are possible.
        limit: u64,
        /// Whose limit it is.
        whose: String,
    },
    /// The kernel requires another local size.
    #[error("kernel '{kernel}' requires local size {}, {} was given", Size(*required), Size(*given))]
    RequiredSize {
        /// The kernel's name.
        kernel: String,
        /// What its `reqd_work_group_size` says.
        required: [u64; 3],
        /// The local size given.
        given: [u64; 3],
    },
    /// Too much local memory.
    #[error("kernel '{kernel}' needs {needed} bytes of local memory, the device has {limit}")]
    LocalMemory {
        /// The kernel's name.
        kernel: String,
        /// Bytes of all `local` arguments and variables.
        needed: u64,
        /// What the device has.
        limit: u64,
    },
    /// A global id that our machine code does not bear.
    #[error(
        "global ids of kernel '{kernel}' reach {last} in dimension {dimension}: its code is for less than 2^{bits}"
    )]
    IdTooLarge {
        /// The kernel's name.
        kernel: String,
        /// The dimension, from 0.
        dimension: usize,
        /// The largest global id there.
        last: u64,
        /// Ids of so many bits are served.
        bits: u32,
    },
    /// The launch would certainly leave a buffer.
    #[error("{0}")]
    OutOfBounds(Box<OutOfBounds>),
    /// A buffer's memory cannot be had.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The device knows no addresses of the host.
    #[error(
        "argument '{argument}' of kernel '{kernel}' is an address, and device '{device}' shares no memory"
    )]
    NotShared {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The device's name.
        device: String,
    },
    /// The device has no images.
    #[error("argument '{argument}' of kernel '{kernel}': device '{device}' has no images")]
    NoImages {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The device's name.
        device: String,
    },
    /// Its buffers do not fit the device's memory, or it could not be enqueued for another reason.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The machine code cannot be used.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The launch began and did not end well, or found no memory.
    #[error(transparent)]
    Failed(#[from] KernelFailure),
    /// The launch could not be enqueued.
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
    /// The command failed otherwise: because of another, or by a fault of the program's own.
    #[error("{0}")]
    Command(Arc<oxcl_driver::Failure>),
}

impl From<DriverError> for LaunchError {
    fn from(error: DriverError) -> Self {
        match error {
            DriverError::Code(error) => Self::Code(error),
            DriverError::Resources(error) => Self::Failed(error.into()),
            other => Self::Enqueue(EnqueueError::Driver(other)),
        }
    }
}

/// An access that every work-item makes lies outside its buffer for some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The kernel's name.
    pub kernel: String,
    /// The parameter's name.
    pub argument: String,
    /// Bytes that the buffer would need; `None` where the access begins before the buffer.
    pub needed: Option<u128>,
    /// Where the lowest access begins, in bytes from the buffer's start.
    pub lowest: i128,
    /// Bytes that the buffer has; `None` for the null pointer.
    pub available: Option<u64>,
    /// Line of the access in the source; 0 if unknown.
    pub line: u32,
}

impl fmt::Display for OutOfBounds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, argument, lowest, available, line, .. } = self;
        write!(out, "argument '{argument}' of kernel '{kernel}': ")?;
        match (self.needed, available) {
            (Some(needed), Some(available)) => {
                write!(out, "this launch accesses {needed} bytes, the buffer has {available}")?;
            }
            (Some(needed), None) => write!(out, "this launch accesses {needed} bytes, the pointer is null")?,
            (None, _) => write!(out, "this launch accesses byte {lowest}, before the buffer's start")?,
        }
        if *line > 0 { write!(out, " (line {line})") } else { Ok(()) }
    }
}

/// Three sizes as users write them.
struct Size([u64; 3]);

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(out, "{x},{y},{z}")
    }
}

impl Coded for LaunchError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::ArgumentCount { .. } => ErrorCode("OX0540"),
            Self::ArgumentKind { .. } => ErrorCode("OX0541"),
            Self::ArgumentSize { .. } => ErrorCode("OX0542"),
            Self::ArgumentNotYet { .. } => ErrorCode("OX0543"),
            Self::EmptyLocal { .. } => ErrorCode("OX0544"),
            Self::DoesNotDivide { .. } => ErrorCode("OX0550"),
            Self::GroupTooLarge { .. } => ErrorCode("OX0552"),
            Self::RequiredSize { .. } => ErrorCode("OX0553"),
            Self::LocalMemory { .. } => ErrorCode("OX0554"),
            Self::IdTooLarge { .. } => ErrorCode("OX0555"),
            Self::OutOfBounds(_) => ErrorCode("OX0560"),
            Self::Buffer(error) => error.code(),
            Self::NotShared { .. } => ErrorCode("OX0546"),
            Self::NoImages { .. } => ErrorCode("OX0547"),
            Self::Queue(error) => error.code(),
            Self::Code(error) => error.code(),
            Self::Failed(error) => error.code(),
            Self::Enqueue(error) => error.code(),
            Self::Command(error) => error.code(),
        }
    }
}
