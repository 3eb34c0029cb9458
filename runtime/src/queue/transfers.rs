//! Commands that move bytes: between buffers and the host, from buffer to buffer, and patterns into buffers.

use std::ptr::NonNull;
use std::sync::Arc;

use oxcl_driver::rect::Rect;
use oxcl_driver::{Failure, HostSpan};
use oxcl_scheduler::transfer::{Movement, Transfer};
use oxcl_scheduler::{Access, Event, Touch};

use super::{Queue, QueueError};
use crate::buffer::{Buffer, BufferError};
use crate::guarded::Guarded;
use crate::rect::{Placed, RectRegion};
use crate::residence::{At, Order, Part, Placement};
use crate::storage::{HostTouches, host_touches};

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

/// Bytes that a host program gave to be written, kept until they are.
struct Given {
    transfer: Transfer,
    _data: Arc<[u8]>,
}

/// No memory of the program's is touched.
pub(super) const NO_HOST: HostTouches = [None, None];

/// What a transfer keeps beside its buffers.
pub(super) enum Keep {
    Nothing,
    Data(Arc<[u8]>),
    /// A buffer that nobody else has yet.
    Target(Buffer),
}

impl oxcl_driver::Launch for Given {
    fn groups(&self) -> u64 {
        self.transfer.groups()
    }

    fn run(&self, first: u64, count: u64, lane: oxcl_driver::Lane) -> Result<(), Failure> {
        self.transfer.run(first, count, lane)
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        self.transfer.as_any()
    }

    fn label(&self) -> &str {
        self.transfer.label()
    }
}

impl Queue {
    /// Enqueues a movement between the sides, and memory of the host that `host` names. `make` gets where the sides lie,
    /// in their order.
    pub(super) fn transfer(
        &self,
        sides: &[Part<'_>],
        host: HostTouches,
        keep: Keep,
        waits: &[Event],
        make: impl FnOnce(&[Placement]) -> Movement,
    ) -> Result<Event, QueueError> {
        let touch = |side: &Part<'_>| {
            side.buffer.touch(side.bytes.start, side.bytes.end - side.bytes.start, side.access)
        };
        let touches = sides.iter().map(touch).collect();
        self.transfer_of(sides, touches, host, keep, waits, make)
    }

    /// The same where it is known better what is touched of the sides.
    pub(super) fn transfer_of(
        &self,
        sides: &[Part<'_>],
        mut touches: Vec<Touch>,
        host: HostTouches,
        keep: Keep,
        waits: &[Event],
        make: impl FnOnce(&[Placement]) -> Movement,
    ) -> Result<Event, QueueError> {
        touches.extend(host.into_iter().flatten());
        let mut buffers: Vec<Buffer> = sides.iter().map(|side| side.buffer.clone()).collect();
        self.placed(&Order { waits, ..self.order(&touches) }, sides, |placements| {
            let transfer = Transfer::new(Arc::clone(self.device.driver()), make(placements));
            Some(match keep {
                Keep::Data(data) => {
                    Arc::new(Guarded::new(Arc::new(Given { transfer, _data: data }), buffers))
                }
                Keep::Target(target) => {
                    buffers.push(target);
                    Arc::new(Guarded::new(Arc::new(transfer), buffers))
                }
                Keep::Nothing => Arc::new(Guarded::new(Arc::new(transfer), buffers)),
            })
        })
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
        let to = target.span()?;
        // The target's memory is nobody else's, but it has to live as long as the command.
        let event = self.read_span(buffer, offset, to, NO_HOST, Keep::Target(target.clone()), waits)?;
        Ok(ReadBack { event, target })
    }

    /// Enqueues the reading of bytes from `offset` on into memory of the host program, as many as it has.
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
        let host = host_touches(to, 0, to.length(), Access::Write);
        self.read_span(buffer, offset, to, host, Keep::Nothing, waits)
    }

    /// Enqueues the reading of bytes that the buffer has.
    fn read_span(
        &self,
        buffer: &Buffer,
        offset: u64,
        to: HostSpan,
        host: HostTouches,
        keep: Keep,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        self.transfer(&[source(buffer, offset, to.length())], host, keep, waits, |at| {
            let (from, origin) = at[0].clone();
            Movement::Read { from, offset: origin + offset, to }
        })
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
        self.write_span(buffer, offset, from, NO_HOST, Keep::Data(data), waits)
    }

    /// Enqueues the writing of memory of the host program, all of it, to bytes from `offset` on.
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
        let host = host_touches(from, 0, from.length(), Access::Read);
        self.write_span(buffer, offset, from, host, Keep::Nothing, waits)
    }

    /// Enqueues the writing of bytes that the buffer has.
    fn write_span(
        &self,
        buffer: &Buffer,
        offset: u64,
        from: HostSpan,
        host: HostTouches,
        keep: Keep,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        self.transfer(&[target(buffer, offset, from.length())], host, keep, waits, |at| {
            let (to, origin) = at[0].clone();
            Movement::Write { to, offset: origin + offset, from }
        })
    }

    /// Enqueues a copy of `bytes` bytes from `from_offset` on to bytes of `to` from `to_offset` on.
    ///
    /// # Errors
    /// A range is not in its buffer, the two overlap in the same memory, or there is no memory.
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
        let sides = [source(from, from_offset, length), target(to, to_offset, length)];
        self.transfer(&sides, NO_HOST, Keep::Nothing, waits, |at| {
            let ((from, from_origin), (to, to_origin)) = (at[0].clone(), at[1].clone());
            let (from_offset, to_offset) = (from_origin + from_offset, to_origin + to_offset);
            Movement::Copy { from, from_offset, to, to_offset, length }
        })
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
        let side = target(buffer, offset, bytes);
        self.transfer(&[side], NO_HOST, Keep::Nothing, waits, |at| {
            let (to, origin) = at[0].clone();
            Movement::Fill { to, offset: origin + offset, length: bytes, pattern: pattern.into() }
        })
    }

    /// Enqueues a copy of a region of bytes, rows and slices.
    ///
    /// # Errors
    /// The region is empty, its pitches are too small, a side is not in its buffer, the two overlap in the same memory,
    /// or there is no memory.
    pub fn copy_rect(
        &self,
        from: &Buffer,
        to: &Buffer,
        region: &RectRegion,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let placed = region.place()?;
        let sides = [from_side(from, &placed)?, to_side(to, &placed)?];
        // CL_MEM_COPY_OVERLAP if both are the same buffer or sub-buffers of one, and the regions overlap.
        if from.is_same(to) && placed.shifted(from.origin(), to.origin()).overlaps_itself() {
            let rect = placed.rect;
            let (from, to, bytes) =
                (rect.from.offset, rect.to.offset, sides[0].bytes.end - sides[0].bytes.start);
            return Err(BufferError::Overlap { from, to, bytes }.into());
        }
        self.transfer(&sides, NO_HOST, Keep::Nothing, waits, |at| {
            let ((from, from_origin), (to, to_origin)) = (at[0].clone(), at[1].clone());
            Movement::CopyRect { from, to, rect: placed.shifted(from_origin, to_origin).rect }
        })
    }

    /// Enqueues the reading of a region of bytes, rows and slices into memory of the host program, whose first byte the
    /// region's destination counts from.
    ///
    /// # Errors
    /// As for [`Self::copy_rect`].
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
        let side = from_side(buffer, &placed)?;
        let to = host_span(host, placed.ends[1])?;
        let host = host_touches(to, placed.rect.to.offset, placed.ends[1], Access::ReadWrite);
        self.transfer(&[side], host, Keep::Nothing, waits, |at| {
            let (from, origin) = at[0].clone();
            Movement::ReadRect { from, to, rect: placed.shifted(origin, 0).rect }
        })
    }

    /// Enqueues the writing of a region of bytes, rows and slices from memory of the host program, whose first byte the
    /// region's source counts from.
    ///
    /// # Errors
    /// As for [`Self::copy_rect`].
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
        let side = to_side(buffer, &placed)?;
        let from = host_span(host, placed.ends[0])?;
        let host = host_touches(from, placed.rect.from.offset, placed.ends[0], Access::Read);
        self.transfer(&[side], host, Keep::Nothing, waits, |at| {
            let (to, origin) = at[0].clone();
            Movement::WriteRect { to, from, rect: placed.shifted(0, origin).rect }
        })
    }
}

/// Bytes that are read, wherever they are.
pub(super) fn source(buffer: &Buffer, offset: u64, bytes: u64) -> Part<'_> {
    Part { buffer, bytes: offset..offset + bytes, access: Access::Read, at: At::Nearest }
}

/// Bytes that are overwritten.
pub(super) fn target(buffer: &Buffer, offset: u64, bytes: u64) -> Part<'_> {
    Part { buffer, bytes: offset..offset + bytes, access: Access::Write, at: At::Device }
}

/// What a region reads of its source.
fn from_side<'a>(buffer: &'a Buffer, placed: &Placed) -> Result<Part<'a>, BufferError> {
    let offset = placed.rect.from.offset;
    let bytes = placed.ends[0] - offset;
    buffer.check(offset, bytes)?;
    Ok(source(buffer, offset, bytes))
}

/// What a region writes of its destination. Between the rows that stays as it is, so it is not simply overwritten.
fn to_side<'a>(buffer: &'a Buffer, placed: &Placed) -> Result<Part<'a>, BufferError> {
    let Rect { to, .. } = placed.rect;
    let bytes = placed.ends[1] - to.offset;
    buffer.check(to.offset, bytes)?;
    Ok(Part { access: Access::ReadWrite, ..target(buffer, to.offset, bytes) })
}

/// The host's memory from `host` on, `bytes` of it.
pub(super) fn host_span(host: *mut u8, bytes: u64) -> Result<HostSpan, BufferError> {
    let start = NonNull::new(host).ok_or(BufferError::ZeroSize)?;
    // SAFETY: by the promise of the callers of the functions above.
    Ok(unsafe { HostSpan::new(start, bytes) })
}
