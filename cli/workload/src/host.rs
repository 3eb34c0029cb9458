//! What a workload needs of the program that runs it, and what the runtime refuses, in a user's words.

use crate::device::Device;
use crate::plan::{self, Plan};
use crate::problem::WorkloadError;
use oxcl_binary::meta::Access;
use oxcl_runtime::{
    AddressQualifier, BufferError, Coded, DeviceError, ErrorCode, Event, Kernel, LaunchError, NdRange,
    NdRangeError, Program, QueueError,
};
use std::time::Duration;

/// The program around a workload: it makes programs of sources, and is told how the run gets on.
pub trait Host {
    /// What a run ends with that cannot go on.
    type Error: From<WorkloadError> + From<Refused>;

    /// Makes a program of the plan ready for these devices.
    ///
    /// # Errors
    /// It cannot be read or built.
    fn program(
        &mut self,
        program: &plan::Program,
        plan: &Plan,
        devices: &[Device],
    ) -> Result<Loaded, Self::Error>;

    /// Says what is being done now.
    fn step(&mut self, _text: &str) {}

    /// Says what is being done now, and how much of it is done.
    fn part(&mut self, _text: &str, _done: u64, _all: u64) {}

    /// A command is in its queue.
    fn enqueued(&mut self, _event: &Event, _command: &str, _device: Device) {}

    /// A run is over that used these devices.
    fn ended(&mut self, _devices: &[(Device, &oxcl_runtime::Device)]) {}
}

/// A program, and how long its stages took.
#[derive(Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// Stages and their times.
    pub stages: Vec<(String, Duration)>,
}

/// Whose fault it is that something was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// What was asked for makes no sense.
    Usage,
    /// The device's, or the launch's.
    Device,
    /// The code is not for this machine.
    Code,
}

/// What the runtime refuses, or failed in.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// What is wrong, with the error's code behind it.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Whose fault it is.
    pub fault: Fault,
    /// The code, where there is one.
    pub code: Option<ErrorCode>,
}

impl Refused {
    fn new(error: &impl Coded, fault: Fault, help: Option<String>) -> Self {
        let code = error.code();
        Self { message: format!("{error} [{code}]"), help, fault, code: Some(code) }
    }

    /// What a device, a buffer, a queue or a command failed with.
    #[must_use]
    pub fn device(error: &impl Coded) -> Self {
        Self::new(error, Fault::Device, None)
    }

    /// A launch that was refused or failed. Code that is not for this machine is the file's fault, not the device's.
    #[must_use]
    pub fn launch(error: &LaunchError) -> Self {
        let fault = if matches!(error, LaunchError::Code(_)) { Fault::Code } else { Fault::Device };
        Self::new(error, fault, launch_help(error))
    }

    /// The same with a place before it.
    #[must_use]
    pub fn at(self, place: &str) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }
}

impl From<DeviceError> for Refused {
    fn from(error: DeviceError) -> Self {
        Self::device(&error)
    }
}

impl From<BufferError> for Refused {
    fn from(error: BufferError) -> Self {
        Self::device(&error)
    }
}

impl From<QueueError> for Refused {
    fn from(error: QueueError) -> Self {
        Self::device(&error)
    }
}

impl From<LaunchError> for Refused {
    fn from(error: LaunchError) -> Self {
        Self::launch(&error)
    }
}

impl From<NdRangeError> for Refused {
    fn from(error: NdRangeError) -> Self {
        Self::new(&error, Fault::Usage, None)
    }
}

fn launch_help(error: &LaunchError) -> Option<String> {
    let help = match error {
        LaunchError::DoesNotDivide { .. } => {
            "choose a local size that divides the global size, or leave it out"
        }
        LaunchError::GroupTooLarge { .. } => "choose a smaller local size, or leave it out",
        LaunchError::RequiredSize { .. } => "give the size that the kernel requires, or leave it out",
        LaunchError::LocalMemory { .. } => "give smaller local arguments",
        LaunchError::OutOfBounds(_) => "give a larger buffer, or a smaller global size",
        LaunchError::Code(_) => "compile it for this machine: oxcl compile FILE.cl -o FILE.poclbin",
        LaunchError::Failed(_) => "try --device ref, which checks more",
        _ => return None,
    };
    Some(help.to_owned())
}

/// The index space of a launch.
///
/// # Errors
/// It is none that any device could run.
pub fn range(global: &[u64], local: Option<&[u64]>, offset: Option<&[u64]>) -> Result<NdRange, NdRangeError> {
    let mut range = NdRange::new(global)?;
    if let Some(local) = local {
        range = range.with_local(local)?;
    }
    if let Some(offset) = offset {
        range = range.with_offset(offset)?;
    }
    Ok(range)
}

/// What a kernel does with the memory behind a parameter. Where nobody has looked, what its declaration allows: to read what it
/// says is constant, and else anything.
#[must_use]
pub fn access(kernel: &Kernel, position: usize) -> Access {
    if let Some(meta) = kernel.meta()
        && let Some(facts) = meta.args.get(position)
        && (facts.access != Access::ReadWrite || !meta.opaque)
    {
        return facts.access;
    }
    let reads_only = kernel.record().args.get(position).is_some_and(|arg| {
        arg.type_qualifier & POINTS_TO_CONST != 0 || arg.address == AddressQualifier::Constant
    });
    if reads_only { Access::Read } else { Access::ReadWrite }
}

/// `CL_KERNEL_ARG_TYPE_CONST`.
const POINTS_TO_CONST: u64 = 1;

/// Whether memory is read, and whether it is written.
#[must_use]
pub fn reads_writes(access: Access) -> (bool, bool) {
    match access {
        Access::None => (false, false),
        Access::Read => (true, false),
        Access::Write => (false, true),
        Access::ReadWrite => (true, true),
    }
}
