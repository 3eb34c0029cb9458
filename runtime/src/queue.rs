//! Command queues: every check that the specification asks for, then the scheduler.
//!
//! In an in-order queue commands overlap where the compiler's facts about the kernels and the commands' bytes allow
//! it, and are complete in order. In an out-of-order queue they wait for their wait lists only; what runs at the same
//! time must not conflict. A command keeps its buffers until it has ended.

use std::sync::Arc;

use oxcl_driver::{DriverError, Failure};
use oxcl_scheduler::{Command, EnqueueError, Event, Facts, Fence, Touch};

use crate::argument::ArgValue;
use crate::buffer::BufferError;
use crate::device::Device;
use crate::error::{Coded, ErrorCode};
use crate::image::ImageError;
use crate::launch::{Launch, LaunchError};
use crate::limited::Limited;
use crate::ndrange::NdRange;
use crate::program::Kernel;
use crate::residence::{self, Order, Part, Placement};

mod images;
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
    /// It names pixels that there are not, or in a way that is not allowed.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The scheduler could not take it.
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
    /// The device, the launch or a buffer is of another context, or the launch of another device.
    #[error(
        "a queue takes devices, launches and buffers of its own context, and launches of its own device only"
    )]
    OtherContext,
    /// What it uses at the same time does not fit the device's memory.
    #[error("needs {needed} bytes of the device's memory, {available} are available, {pinned} are pinned")]
    DeviceMemory {
        /// Bytes that all its buffers have.
        needed: u64,
        /// Bytes that could be had.
        available: u64,
        /// Bytes that others keep in place.
        pinned: u64,
    },
}

impl Coded for QueueError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Buffer(error) => error.code(),
            Self::Image(error) => error.code(),
            Self::Enqueue(error) => error.code(),
            Self::OtherContext => ErrorCode("OX0572"),
            Self::DeviceMemory { .. } => ErrorCode("OX0573"),
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
    /// CPUs that its launches run on; empty: any.
    cpus: Arc<[usize]>,
}

impl Queue {
    pub(crate) fn new(queue: oxcl_scheduler::Queue, device: Device) -> Self {
        Self { queue, device, threads: None, cpus: Arc::default() }
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

    /// The same queue, whose launches run on these CPUs only: the threads that execute them keep to these meanwhile.
    #[must_use]
    pub fn bound_to(self, cpus: &[usize]) -> Self {
        Self { cpus: cpus.into(), ..self }
    }

    /// Whether every command enqueued so far has ended.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }

    /// Calls `call` once every command enqueued so far has ended, from whatever thread ends the last, or at once if none is
    /// left.
    pub fn on_idle(&self, call: impl FnOnce() + Send + 'static) -> Result<(), EnqueueError> {
        self.queue.on_idle(call)
    }

    /// A launch as this queue executes it.
    pub(crate) fn work_of(&self, launch: &Launch) -> Arc<dyn oxcl_driver::Launch> {
        let work = launch.command();
        match self.threads {
            Some(threads) => Arc::new(Limited::new(work, threads, Arc::clone(&self.cpus))),
            None => work,
        }
    }

    /// A command that touches these bytes.
    pub(crate) fn order<'a>(&'a self, touches: &'a [Touch]) -> Order<'a> {
        let (queue, device) = (&self.queue, &self.device);
        Order { queue, device, waits: &[], touches, facts: Facts::default(), fence: Fence::None }
    }

    /// Enqueues a command whose work `make` makes, once it is known where its parts lie.
    pub(crate) fn placed(
        &self,
        order: &Order<'_>,
        parts: &[Part<'_>],
        make: impl FnOnce(&[Placement]) -> Option<Arc<dyn oxcl_driver::Launch>>,
    ) -> Result<Event, QueueError> {
        if self.device.context().keeps_track() {
            return residence::enqueue(order, parts, make);
        }
        // All devices share the host's memory.
        let place = |part: &Part<'_>| {
            part.buffer.storage().use_untracked();
            part.buffer.allocation()
        };
        let placements = parts.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let Order { queue, touches, facts, waits, fence, .. } = *order;
        Ok(queue.enqueue(Command { work: make(&placements), touches, facts, waits, fence })?)
    }

    /// Enqueues a launch that [`Device::prepare`] has checked. The same launch may be enqueued again.
    ///
    /// # Errors
    /// It was prepared for another device, or there is no memory.
    pub fn launch(&self, launch: &Launch, waits: &[Event]) -> Result<Event, QueueError> {
        if !launch.device().is_same(&self.device) {
            return Err(QueueError::OtherContext);
        }
        launch.enqueue(&self.queue, self.work_of(launch), waits)
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
        launch.enqueue(&self.queue, self.work_of(&launch), waits).map_err(|error| match error {
            QueueError::Buffer(error) => error.into(),
            QueueError::Enqueue(error) => error.into(),
            other => other.into(),
        })
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
        match self {
            Self::Code(error) => error.code(),
            Self::Resources(error) => error.code(),
            _ => ErrorCode("OX0515"),
        }
    }
}

impl Coded for Failure {
    fn code(&self) -> ErrorCode {
        ErrorCode("OX0571")
    }
}
