//! Commands on memory and functions of the host program, for the C interface: the host's side of a transfer is an
//! address that the caller answers for, not a slice that the queue keeps.
//!
//! In: buffers, spans of the host's memory, functions. Out: an event each. Checked is what can be checked; that the
//! spans stay valid until the command has ended is the caller's promise.

use std::sync::Arc;

use oxcl_driver::rect::Rect;
use oxcl_driver::{Failure, HostSpan, Lane};
use oxcl_scheduler::transfer::Movement;
use oxcl_scheduler::{Access, Command, Event, Facts, Fence, ResourceId, Touch};

use crate::buffer::{Buffer, BufferError};
use crate::guarded::Guarded;
use crate::launch::Launch;
use crate::queue::{Queue, QueueError};
use crate::rect::RectRegion;

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

/// What the span's bytes are to the scheduler.
fn host_touch(span: HostSpan, access: Access) -> Touch {
    let start = span.pointer() as u64;
    Touch { resource: ResourceId::HOST_MEMORY, start, end: start.saturating_add(span.length()), access }
}

impl Queue {
    /// Enqueues the reading of `to.length()` bytes from `offset` on into the host's memory.
    ///
    /// # Errors
    /// The buffer has no such bytes, or there is no memory.
    ///
    /// # Safety
    /// The span is valid for writing until the command has ended.
    pub unsafe fn read_to(
        &self,
        buffer: &Buffer,
        offset: u64,
        to: HostSpan,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        buffer.check(offset, to.length())?;
        let movement = Movement::Read { from: buffer.allocation(), offset, to };
        let touches = [buffer.touch(offset, to.length(), Access::Read), host_touch(to, Access::Write)];
        self.transfer(movement, vec![buffer.clone()], &touches, waits)
    }

    /// Enqueues the writing of `from.length()` bytes of the host's memory to bytes from `offset` on.
    ///
    /// # Errors
    /// The buffer has no such bytes, or there is no memory.
    ///
    /// # Safety
    /// The span is valid for reading, and nobody changes it, until the command has ended.
    pub unsafe fn write_from(
        &self,
        buffer: &Buffer,
        offset: u64,
        from: HostSpan,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        buffer.check(offset, from.length())?;
        let movement = Movement::Write { to: buffer.allocation(), offset, from };
        let touches = [buffer.touch(offset, from.length(), Access::Write), host_touch(from, Access::Read)];
        self.transfer(movement, vec![buffer.clone()], &touches, waits)
    }

    /// Enqueues the reading of a region; its `to` side is in the host's memory, which begins at `host`.
    ///
    /// # Errors
    /// The region is empty, its pitches are too small, it is not in the buffer, or there is no memory.
    ///
    /// # Safety
    /// The host's side of the region is valid for writing until the command has ended.
    pub unsafe fn read_rect_to(
        &self,
        buffer: &Buffer,
        host: *mut u8,
        region: &RectRegion,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let placed = region.place()?;
        let Rect { from, to, .. } = placed.rect;
        buffer.check(from.offset, placed.ends[0] - from.offset)?;
        let span = host_span(host, placed.ends[1])?;
        let touches = [
            buffer.touch(from.offset, placed.ends[0] - from.offset, Access::Read),
            host_touch(span.part(to.offset, placed.ends[1] - to.offset).unwrap_or(span), Access::ReadWrite),
        ];
        let movement = Movement::ReadRect { from: buffer.allocation(), to: span, rect: placed.rect };
        self.transfer(movement, vec![buffer.clone()], &touches, waits)
    }

    /// Enqueues the writing of a region; its `from` side is in the host's memory, which begins at `host`.
    ///
    /// # Errors
    /// As for [`Self::read_rect_to`].
    ///
    /// # Safety
    /// The host's side of the region is valid for reading, and nobody changes it, until the command has ended.
    pub unsafe fn write_rect_from(
        &self,
        buffer: &Buffer,
        host: *mut u8,
        region: &RectRegion,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let placed = region.place()?;
        let Rect { from, to, .. } = placed.rect;
        buffer.check(to.offset, placed.ends[1] - to.offset)?;
        let span = host_span(host, placed.ends[0])?;
        let touches = [
            // Between its rows the buffer stays as it is, so it is not simply overwritten.
            buffer.touch(to.offset, placed.ends[1] - to.offset, Access::ReadWrite),
            host_touch(span.part(from.offset, placed.ends[0] - from.offset).unwrap_or(span), Access::Read),
        ];
        let movement = Movement::WriteRect { to: buffer.allocation(), from: span, rect: placed.rect };
        self.transfer(movement, vec![buffer.clone()], &touches, waits)
    }

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
        let work: Arc<dyn oxcl_driver::Launch> = Arc::new(Guarded::new(work, buffers));
        let facts = Facts { opaque: true, ..Facts::default() };
        Ok(self.queue.enqueue(Command { work: Some(work), facts, waits, ..Command::default() })?)
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
        for (buffer, offset, bytes) in parts {
            buffer.check(*offset, *bytes)?;
            touches.push(buffer.touch(*offset, *bytes, access));
        }
        Ok(self.queue.enqueue(Command { touches: &touches, waits, ..Command::default() })?)
    }

    /// Enqueues a launch whose event nobody asks for.
    ///
    /// # Errors
    /// It was prepared for another device, or there is no memory.
    pub fn launch_silently(&self, launch: &Launch, waits: &[Event]) -> Result<(), QueueError> {
        if !launch.device().is_same(self.device()) {
            return Err(QueueError::OtherContext);
        }
        let work = Arc::clone(launch.work()) as Arc<dyn oxcl_driver::Launch>;
        let (touches, facts) = launch.facts();
        let command = Command { work: Some(work), touches, facts, waits, fence: Fence::None };
        Ok(self.queue.enqueue_silently(command)?)
    }
}

/// The host's memory from `host` on, `bytes` of it.
fn host_span(host: *mut u8, bytes: u64) -> Result<HostSpan, BufferError> {
    let start = std::ptr::NonNull::new(host).ok_or(BufferError::ZeroSize)?;
    // SAFETY: by the promise of the callers of the functions above.
    Ok(unsafe { HostSpan::new(start, bytes) })
}
