//! What can go wrong in a driver ([`DriverError`]) and why a command ended with a negative status ([`Failure`]).
//! Facts are in the fields; mapping to OpenCL's numbers is the C interface's business.

use std::sync::Arc;

use crate::code::CodeError;
use crate::fault::OutOfResources;

/// A driver's refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// The operation is optional and this driver does not have it.
    #[error("driver '{driver}' does not support {operation}")]
    Unsupported {
        /// The driver's name.
        driver: String,
        /// The operation, as the trait names it.
        operation: &'static str,
    },
    /// There is not enough memory for the request.
    #[error("needs {needed} bytes, {available} are available")]
    OutOfMemory {
        /// Bytes asked for.
        needed: u64,
        /// Bytes that could have been had.
        available: u64,
    },
    /// What a command uses at the same time does not fit the device's memory.
    #[error("needs {needed} bytes of the device's memory, {available} are available, {pinned} are pinned")]
    DeviceMemory {
        /// Bytes that all its buffers have.
        needed: u64,
        /// Bytes that could be had.
        available: u64,
        /// Bytes that others keep in place.
        pinned: u64,
    },
    /// Memory of the host program that a command uses is not there any more.
    #[error(
        "the host's memory at {address:#x} ({bytes} bytes) is gone: its caller freed or unmapped it before the \
         command had ended"
    )]
    HostMemoryGone {
        /// First address.
        address: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// A range leaves the memory it is in.
    #[error("bytes {offset}..+{length} leave a memory of {size} bytes")]
    OutOfRange {
        /// First byte.
        offset: u64,
        /// Number of bytes.
        length: u64,
        /// Size of the memory.
        size: u64,
    },
    /// A program binary cannot be used.
    #[error("cannot use the program binary: {reason}")]
    BadBinary {
        /// Why.
        reason: String,
    },
    /// The machine code of a program binary cannot be used.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// Memory or threads that the operation needs cannot be had.
    #[error(transparent)]
    Resources(#[from] OutOfResources),
    /// The program has no such kernel.
    #[error("the program has no kernel '{kernel}'")]
    NoSuchKernel {
        /// The name asked for.
        kernel: String,
    },
    /// A launch asks for what the kernel or the device cannot do.
    #[error("cannot launch: {reason}")]
    BadLaunch {
        /// Why.
        reason: String,
    },
    /// The device does not answer, or answered with an error of its own.
    #[error("device error: {reason}")]
    Device {
        /// What it said.
        reason: String,
    },
}

impl DriverError {
    /// The refusal that the default bodies of optional operations give.
    #[must_use]
    pub fn unsupported(driver: &str, operation: &'static str) -> DriverError {
        DriverError::Unsupported { driver: driver.to_owned(), operation }
    }
}

/// Why a command ended with a negative status. Everything that depends on the command ends with the same cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The kernel said that it cannot go on, or trapped.
    #[error("kernel '{kernel}' failed: {reason}")]
    Kernel {
        /// The kernel's name.
        kernel: String,
        /// What happened.
        reason: String,
    },
    /// The code that executes the command panicked.
    #[error("executing the command panicked: {message}")]
    Panicked {
        /// The panic's message.
        message: String,
    },
    /// The driver refused or failed.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// A user event was set to this negative status.
    #[error("a user event was set to {status}")]
    UserEvent {
        /// The status.
        status: i32,
    },
    /// The last handle of a user event went away before its status was set.
    #[error("a user event was released before its status was set")]
    Abandoned,
    /// The scheduler ran out of host memory.
    #[error("out of host memory")]
    OutOfHostMemory,
    /// The device was shut down with the command pending.
    #[error("the device was shut down with the command pending")]
    ShutDown,
    /// It failed in another process.
    #[error("{place}: {cause}")]
    Elsewhere {
        /// Which one, in words.
        place: String,
        /// Why.
        cause: Box<Failure>,
    },
}

impl Failure {
    /// The failure itself, wherever it was.
    #[must_use]
    pub fn here(&self) -> &Failure {
        match self {
            Failure::Elsewhere { cause, .. } => cause.here(),
            other => other,
        }
    }

    /// The failure behind a caught panic.
    #[must_use]
    pub fn from_panic(payload: &(dyn std::any::Any + Send)) -> Failure {
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        Failure::Panicked { message }
    }
}

/// How a command ended.
pub type Outcome = Result<(), Arc<Failure>>;
