//! Functions of the host program as commands, and commands that only take their place, for the C interface.

use std::sync::Arc;

use oxcl_driver::{Failure, Lane};
use oxcl_scheduler::{Access, Command, Event, Facts, Fence};

use crate::buffer::Buffer;
use crate::guarded::Guarded;
use crate::launch::Launch;
use crate::queue::{Queue, QueueError};
use crate::residence::{At, Order, Part};

/// Work of the host program: called once, by whatever thread executes the command.
struct HostCall<F> {
    call: F,
    label: &'static str,
}

impl<F: Fn() -> Result<(), Failure> + Send + Sync> oxcl_driver::Launch for HostCall<F> {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        (self.call)()
    }

    fn label(&self) -> &str {
        self.label
    }
}

impl Queue {
    /// Enqueues a function of the host program (a native kernel, or work on memory that no buffer names). In an
    /// in-order queue it waits for all before it, and all after it wait for it. `buffers` are kept until it has ended.
    ///
    /// # Errors
    /// There is no memory.
    pub fn call(
        &self,
        label: &'static str,
        call: impl Fn() -> Result<(), Failure> + Send + Sync + 'static,
        buffers: Vec<Buffer>,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let work = Arc::new(HostCall { call, label });
        let work = Arc::new(Guarded::new(work, buffers));
        let facts = Facts { opaque: true, ..Facts::default() };
        let held = Arc::clone(&work);
        let parts: Vec<_> =
            held.buffers().iter().map(|buffer| Part::whole(buffer, Access::ReadWrite, At::Host)).collect();
        let order = Order { facts, waits, ..self.order(&[]) };
        self.placed(&order, &parts, |_| Some(work))
    }

    /// Enqueues a command that moves nothing, and takes its place among those that touch these bytes: where host and
    /// device share the memory that is all there is to mapping, unmapping and migrating. `writes` says whether the
    /// host may change the bytes meanwhile.
    ///
    /// # Errors
    /// The buffer has no such bytes, or there is no memory.
    pub fn hold(
        &self,
        parts: &[(&Buffer, u64, u64)],
        writes: bool,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let access = if writes { Access::ReadWrite } else { Access::Read };
        let mut touches = Vec::with_capacity(parts.len());
        let mut held = Vec::with_capacity(parts.len());
        for (buffer, offset, bytes) in parts {
            buffer.check(*offset, *bytes)?;
            touches.push(buffer.touch(*offset, *bytes, access));
            held.push(Part { buffer, bytes: *offset..offset + bytes, access, at: At::Host });
        }
        self.placed(&Order { waits, ..self.order(&touches) }, &held, |_| None)
    }

    /// Enqueues a launch whose event nobody asks for.
    ///
    /// # Errors
    /// It was prepared for another device, or there is no memory.
    pub fn launch_silently(&self, launch: &Launch, waits: &[Event]) -> Result<(), QueueError> {
        if !launch.device().is_same(self.device()) {
            return Err(QueueError::OtherContext);
        }
        if self.device().context().keeps_track() {
            return launch.enqueue(&self.queue, self.work_of(launch), waits).map(drop);
        }
        let work = self.work_of(launch);
        let (touches, facts) = launch.facts();
        let command = Command { work: Some(work), touches, facts, waits, fence: Fence::None };
        Ok(self.queue.enqueue_silently(command)?)
    }
}
