//! Command queues: every check that the specification asks for, then the scheduler.
//!
//! In an in-order queue commands overlap where the compiler's facts about the kernels and the commands' bytes allow
//! it, and are complete in order. In an out-of-order queue they wait for their wait lists only; what runs at the same
//! time must not conflict. A command keeps its buffers until it has ended.

use std::ptr::NonNull;
use std::sync::Arc;

use oxcl_driver::{DriverError, Failure, HostSpan};
use oxcl_scheduler::transfer::{Movement, Transfer};
use oxcl_scheduler::{Access, Command, EnqueueError, Event, Fence, Touch};

use crate::argument::ArgValue;
use crate::buffer::{Buffer, BufferError};
use crate::device::Device;
use crate::error::{Coded, ErrorCode};
use crate::guarded::Guarded;
use crate::launch::{Launch, LaunchError};
use crate::ndrange::NdRange;
use crate::program::Kernel;
use crate::rect::RectRegion;

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
}

/// Bytes that a queue reads from a buffer.
#[derive(Debug)]
pub struct ReadBack {
    event: Event,
    target: Buffer,
}

impl ReadBack {
    /// The command's event.
    #[must_use]
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Waits, and gives the bytes.
    ///
    /// # Errors
    /// Why the command failed.
    pub fn wait(self) -> Result<Vec<u8>, Arc<Failure>> {
        self.event.wait()?;
        Ok(self.target.to_vec())
    }
}

/// A part of a buffer that the host may access until it is unmapped.
#[derive(Debug)]
pub struct Mapping {
    event: Event,
    buffer: Buffer,
    offset: u64,
    bytes: u64,
}

impl Mapping {
    /// The event of the map command: before it is complete, the bytes are not there.
    #[must_use]
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Copies the mapped bytes from `at` on into `data`.
    ///
    /// # Errors
    /// They are not in the mapping.
    pub fn read(&self, at: u64, data: &mut [u8]) -> Result<(), BufferError> {
        self.check(at, data.len() as u64)?;
        self.buffer.read(self.offset + at, data)
    }

    /// Copies `data` to the mapped bytes from `at` on.
    ///
    /// # Errors
    /// They are not in the mapping.
    pub fn write(&self, at: u64, data: &[u8]) -> Result<(), BufferError> {
        self.check(at, data.len() as u64)?;
        self.buffer.write(self.offset + at, data)
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<(), BufferError> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(()),
            _ => Err(BufferError::OutOfRange { offset, bytes, size: self.bytes }),
        }
    }
}

/// Bytes that a host program gave to be written, kept until they are.
struct Given {
    transfer: Transfer,
    _data: Arc<[u8]>,
}

impl oxcl_driver::Launch for Given {
    fn groups(&self) -> u64 {
        self.transfer.groups()
    }

    fn run(&self, first: u64, count: u64, lane: oxcl_driver::Lane) -> Result<(), Failure> {
        self.transfer.run(first, count, lane)
    }

    fn label(&self) -> &str {
        self.transfer.label()
    }
}

impl Queue {
    pub(crate) fn new(queue: oxcl_scheduler::Queue, device: Device) -> Self {
        Self { queue, device }
    }

    /// The device that executes.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Enqueues a launch that [`Device::prepare`] has checked. The same launch may be enqueued again.
    ///
    /// # Errors
    /// It was prepared for another device, or there is no memory.
    pub fn launch(&self, launch: &Launch, waits: &[Event]) -> Result<Event, QueueError> {
        if !launch.device().is_same(&self.device) {
            return Err(QueueError::OtherContext);
        }
        let work = Arc::clone(launch.work()) as Arc<dyn oxcl_driver::Launch>;
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
        let work = Arc::clone(launch.work()) as Arc<dyn oxcl_driver::Launch>;
        let (touches, facts) = launch.facts();
        Ok(self.queue.enqueue(Command { work: Some(work), touches, facts, waits, fence: Fence::None })?)
    }

    /// Enqueues a movement between `buffers`.
    pub(crate) fn transfer(
        &self,
        movement: Movement,
        buffers: Vec<Buffer>,
        touches: &[Touch],
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let transfer = Arc::new(Transfer::new(self.device.driver(), movement));
        let work: Arc<dyn oxcl_driver::Launch> = Arc::new(Guarded::new(transfer, buffers));
        Ok(self.queue.enqueue(Command { work: Some(work), touches, waits, ..Command::default() })?)
    }

    /// Enqueues the reading of `bytes` bytes from `offset` on.
    ///
    /// # Errors
    /// The buffer has no such bytes, or there is no memory.
    pub fn read(
        &self,
        buffer: &Buffer,
        offset: u64,
        bytes: u64,
        waits: &[Event],
    ) -> Result<ReadBack, QueueError> {
        buffer.check(offset, bytes)?;
        let target = Buffer::zeroed(bytes)?;
        let movement = Movement::Read { from: buffer.allocation(), offset, to: target.span() };
        let touches = [buffer.touch(offset, bytes, Access::Read)];
        let event = self.transfer(movement, vec![buffer.clone(), target.clone()], &touches, waits)?;
        Ok(ReadBack { event, target })
    }

    /// Enqueues the writing of `data` to bytes from `offset` on.
    ///
    /// # Errors
    /// The buffer has no such bytes, or there is no memory.
    pub fn write(
        &self,
        buffer: &Buffer,
        offset: u64,
        data: impl Into<Arc<[u8]>>,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let data: Arc<[u8]> = data.into();
        let bytes = data.len() as u64;
        buffer.check(offset, bytes)?;
        let start = NonNull::from(&*data).cast();
        // SAFETY: the bytes live as long as the command, which keeps them, and are only read.
        let from = unsafe { HostSpan::new(start, bytes) };
        let movement = Movement::Write { to: buffer.allocation(), offset, from };
        let transfer = Transfer::new(self.device.driver(), movement);
        let given = Arc::new(Given { transfer, _data: data });
        let work: Arc<dyn oxcl_driver::Launch> = Arc::new(Guarded::new(given, vec![buffer.clone()]));
        let touches = [buffer.touch(offset, bytes, Access::Write)];
        Ok(self.queue.enqueue(Command {
            work: Some(work),
            touches: &touches,
            waits,
            ..Command::default()
        })?)
    }

    /// Enqueues a copy of `bytes` bytes from `from_offset` on to bytes of `to` from `to_offset` on.
    ///
    /// # Errors
    /// A range is not in its buffer, the two overlap in the same one, or there is no memory.
    pub fn copy(
        &self,
        from: &Buffer,
        from_offset: u64,
        to: &Buffer,
        to_offset: u64,
        length: u64,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        from.check_copy(from_offset, to, to_offset, length)?;
        let (source, target) = (from.allocation(), to.allocation());
        let movement = Movement::Copy { from: source, from_offset, to: target, to_offset, length };
        let touches =
            [from.touch(from_offset, length, Access::Read), to.touch(to_offset, length, Access::Write)];
        self.transfer(movement, vec![from.clone(), to.clone()], &touches, waits)
    }

    /// Enqueues repeating `pattern` over `bytes` bytes from `offset` on.
    ///
    /// # Errors
    /// The pattern's size is none of those allowed, the range no multiple of it or not in the buffer, or there is no
    /// memory.
    pub fn fill(
        &self,
        buffer: &Buffer,
        pattern: &[u8],
        offset: u64,
        bytes: u64,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        buffer.check_fill(pattern, offset, bytes)?;
        let movement =
            Movement::Fill { to: buffer.allocation(), offset, length: bytes, pattern: pattern.into() };
        let touches = [buffer.touch(offset, bytes, Access::Write)];
        self.transfer(movement, vec![buffer.clone()], &touches, waits)
    }

    /// Enqueues a copy of a region of bytes, rows and slices. Reading one to the host and writing one from it are
    /// copies from and to a buffer of the host's.
    ///
    /// # Errors
    /// The region is empty, its pitches are too small, a side is not in its buffer, the two overlap in the same one, or
    /// there is no memory.
    pub fn copy_rect(
        &self,
        from: &Buffer,
        to: &Buffer,
        region: &RectRegion,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let placed = region.place()?;
        let rect = placed.rect;
        let reach = [placed.ends[0] - rect.from.offset, placed.ends[1] - rect.to.offset];
        from.check(rect.from.offset, reach[0])?;
        to.check(rect.to.offset, reach[1])?;
        // CL_MEM_COPY_OVERLAP if both are the same buffer and the regions overlap.
        if from.is_same(to) && placed.overlaps_itself() {
            let (from, to, bytes) = (rect.from.offset, rect.to.offset, reach[0]);
            return Err(BufferError::Overlap { from, to, bytes }.into());
        }
        let movement = Movement::CopyRect { from: from.allocation(), to: to.allocation(), rect };
        let touches = [
            from.touch(rect.from.offset, reach[0], Access::Read),
            // Between its rows the destination stays as it is, so it is not simply overwritten.
            to.touch(rect.to.offset, reach[1], Access::ReadWrite),
        ];
        self.transfer(movement, vec![from.clone(), to.clone()], &touches, waits)
    }

    /// Enqueues the mapping of `bytes` bytes from `offset` on for the host.
    ///
    /// # Errors
    /// The buffer has no such bytes, or there is no memory.
    pub fn map(
        &self,
        buffer: &Buffer,
        offset: u64,
        bytes: u64,
        waits: &[Event],
    ) -> Result<Mapping, QueueError> {
        buffer.check(offset, bytes)?;
        let touches = [buffer.touch(offset, bytes, Access::ReadWrite)];
        // The host and its devices share the memory, so nothing has to move: the command only takes its place.
        let event = self.queue.enqueue(Command { touches: &touches, waits, ..Command::default() })?;
        Ok(Mapping { event, buffer: buffer.clone(), offset, bytes })
    }

    /// Enqueues the end of a mapping.
    ///
    /// # Errors
    /// There is no memory.
    pub fn unmap(&self, mapping: &Mapping, waits: &[Event]) -> Result<Event, QueueError> {
        let Mapping { buffer, offset, bytes, .. } = mapping;
        let touches = [buffer.touch(*offset, *bytes, Access::ReadWrite)];
        Ok(self.queue.enqueue(Command { touches: &touches, waits, ..Command::default() })?)
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
