//! Command queues: every check that the specification asks for, then the scheduler.
//!
//! In an in-order queue commands overlap where the compiler's facts about the kernels and the commands' bytes allow
//! it, and are complete in order. In an out-of-order queue they wait for their wait lists only; what runs at the same
//! time must not conflict. A command keeps its buffers until it has ended.

use std::sync::Arc;

use oxcl_driver::{DriverError, Failure};
use oxcl_scheduler::{Command, EnqueueError, Event, Fence};

use crate::argument::ArgValue;
use crate::buffer::BufferError;
use crate::device::Device;
use crate::error::{Coded, ErrorCode};
use crate::launch::{Launch, LaunchError};
use crate::limited::Limited;
use crate::ndrange::NdRange;
use crate::program::Kernel;

mod mapping;
mod memory;
mod transfers;

pub use mapping::{MapAccess, Mapping, Migration};
pub use transfers::ReadBack;

/// A command was not enqueued.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// It names bytes that there are not, or in a way that is not allowed.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The scheduler could not take it.
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
    /// The device or the launch is of another context, or of another device.
    #[error("a queue takes devices and launches of its own context and device only")]
    OtherContext,
}

impl Coded for QueueError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Buffer(error) => error.code(),
            Self::Enqueue(error) => error.code(),
            Self::OtherContext => ErrorCode("OX0572"),
        }
    }
}

/// A command queue. Clones are the same queue. When the last one is dropped, what is in it still runs to its end.
#[derive(Debug, Clone)]
pub struct Queue {
    pub(crate) queue: oxcl_scheduler::Queue,
    device: Device,
    /// Threads that a launch may use at the same time, where they are fewer than there are.
    threads: Option<u64>,
}

impl Queue {
    pub(crate) fn new(queue: oxcl_scheduler::Queue, device: Device) -> Self {
        Self { queue, device, threads: None }
    }

    /// The device that executes.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The same queue, whose launches use at most `threads` threads at the same time, each for itself.
    #[must_use]
    pub fn limited_to(self, threads: u64) -> Self {
        Self { threads: Some(threads.max(1)), ..self }
    }

    /// A launch as this queue executes it.
    pub(crate) fn work_of(&self, launch: &Launch) -> Arc<dyn oxcl_driver::Launch> {
        let work = Arc::clone(launch.work()) as Arc<dyn oxcl_driver::Launch>;
        match self.threads {
            Some(threads) => Arc::new(Limited::new(work, threads)),
            None => work,
        }
    }

    /// Enqueues a launch that [`Device::prepare`] has checked. The same launch may be enqueued again.
    ///
    /// # Errors
    /// It was prepared for another device, or there is no memory.
    pub fn launch(&self, launch: &Launch, waits: &[Event]) -> Result<Event, QueueError> {
        if !launch.device().is_same(&self.device) {
            return Err(QueueError::OtherContext);
        }
        let work = self.work_of(launch);
        let (touches, facts) = launch.facts();
        Ok(self.queue.enqueue(Command { work: Some(work), touches, facts, waits, fence: Fence::None })?)
    }

    /// Checks a launch and enqueues it.
    ///
    /// # Errors
    /// The launch breaks a rule, or there is no memory.
    pub fn kernel(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[ArgValue<'_>],
        waits: &[Event],
    ) -> Result<Event, LaunchError> {
        let launch = self.device.prepare(kernel, range, arguments)?;
        let work = self.work_of(&launch);
        let (touches, facts) = launch.facts();
        Ok(self.queue.enqueue(Command { work: Some(work), touches, facts, waits, fence: Fence::None })?)
    }

    /// Enqueues a marker: complete once its wait list is, or all commands before it if that is empty.
    ///
    /// # Errors
    /// There is no memory.
    pub fn marker(&self, waits: &[Event]) -> Result<Event, QueueError> {
        Ok(self.queue.enqueue(Command { waits, fence: Fence::Marker, ..Command::default() })?)
    }

    /// Enqueues a barrier: a marker for which all commands after it wait.
    ///
    /// # Errors
    /// There is no memory.
    pub fn barrier(&self, waits: &[Event]) -> Result<Event, QueueError> {
        Ok(self.queue.enqueue(Command { waits, fence: Fence::Barrier, ..Command::default() })?)
    }

    /// Makes sure that everything enqueued so far gets executed without further calls.
    ///
    /// # Errors
    /// The driver's.
    pub fn flush(&self) -> Result<(), QueueError> {
        Ok(self.queue.flush()?)
    }

    /// Waits until everything enqueued so far has ended; the calling thread executes meanwhile. How the commands ended
    /// is their events' business.
    ///
    /// # Errors
    /// The driver's.
    pub fn finish(&self) -> Result<(), QueueError> {
        Ok(self.queue.finish()?)
    }
}

impl Coded for EnqueueError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::OutOfHostMemory => ErrorCode("OX0570"),
            Self::Driver(error) => error.code(),
        }
    }
}

impl Coded for DriverError {
    fn code(&self) -> ErrorCode {
        ErrorCode("OX0515")
    }
}

impl Coded for Failure {
    fn code(&self) -> ErrorCode {
        ErrorCode("OX0571")
    }
}
