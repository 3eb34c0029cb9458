//! Commands on memory that is known by its address: shared memory and memory of the host program.

use std::ptr::NonNull;
use std::sync::Arc;

use oxcl_driver::{Allocation, Failure, HostSpan, Lane, Launch};
use oxcl_scheduler::transfer::{Movement, Transfer};
use oxcl_scheduler::{Access, Command, Event, Touch};

use super::{MapAccess, Migration, Queue, QueueError};
use crate::buffer::{BufferError, check_pattern};
use crate::shared::SharedMemory;
use crate::storage::host_touches;

/// Bytes known by address, and what keeps them if it is known.
struct Place {
    span: HostSpan,
    _memory: Option<SharedMemory>,
}

/// Work on places, which it keeps.
struct Keeping<W> {
    work: W,
    _places: Vec<Place>,
}

impl Launch for Keeping<Transfer> {
    fn groups(&self) -> u64 {
        self.work.groups()
    }

    fn run(&self, first: u64, count: u64, lane: Lane) -> Result<(), Failure> {
        self.work.run(first, count, lane)
    }

    fn label(&self) -> &str {
        self.work.label()
    }
}

/// The release of shared memory, in its turn.
struct Release {
    memories: Vec<SharedMemory>,
}

impl Launch for Release {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        for memory in &self.memories {
            SharedMemory::release(memory.pointer());
        }
        Ok(())
    }

    fn label(&self) -> &str {
        "release memory"
    }
}

/// Finds what `bytes` bytes at an address belong to.
///
/// # Safety
/// Unless they are shared memory, the promise of [`HostSpan::new`] holds for them.
unsafe fn place(pointer: *mut u8, bytes: u64) -> Result<Place, BufferError> {
    let address = pointer as u64;
    let not_shared = BufferError::NotShared { address, bytes };
    let memory = match SharedMemory::find(pointer) {
        // CL_INVALID_VALUE if the bytes are not all of one piece of shared memory.
        Some((memory, offset)) if bytes > memory.size() - offset => return Err(not_shared),
        found => found.map(|(memory, _)| memory),
    };
    let start = NonNull::new(pointer).ok_or(not_shared)?;
    // SAFETY: the bytes are those of shared memory, which is kept beside the span, or the caller's promise.
    let span = unsafe { HostSpan::new(start, bytes) };
    Ok(Place { span, _memory: memory })
}

/// The bytes as drivers know them.
fn allocation(span: HostSpan) -> Arc<Allocation> {
    let address = span.pointer() as u64;
    Arc::new(Allocation { size: span.length(), address, host: Some(span), token: 0 })
}

impl Queue {
    /// Enqueues a copy of `bytes` bytes. Either side is shared memory or memory of the host program.
    ///
    /// # Errors
    /// The bytes overlap, or leave the shared memory that they begin in; or there is no memory.
    ///
    /// # Safety
    /// For a side that is no shared memory the promise of [`HostSpan::new`] holds.
    pub unsafe fn copy_memory(
        &self,
        to: *mut u8,
        from: *const u8,
        bytes: u64,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        // SAFETY: the caller's promise.
        let source = unsafe { place(from.cast_mut(), bytes) }?;
        // SAFETY: the caller's promise.
        let target = unsafe { place(to, bytes) }?;
        let (from, to) = (from as u64, to as u64);
        // CL_MEM_COPY_OVERLAP if the values specified for dst_ptr, src_ptr and size result in an overlapping copy.
        if from.abs_diff(to) < bytes {
            return Err(BufferError::OverlapAt { from, to, bytes }.into());
        }
        let touches: Vec<Touch> = [
            host_touches(source.span, 0, bytes, Access::Read),
            host_touches(target.span, 0, bytes, Access::Write),
        ]
        .into_iter()
        .flatten()
        .flatten()
        .collect();
        let (from, to) = (allocation(source.span), allocation(target.span));
        let movement = Movement::Copy { from, from_offset: 0, to, to_offset: 0, length: bytes };
        self.on_memory(movement, vec![source, target], &touches, waits)
    }

    /// Enqueues repeating `pattern` over `bytes` bytes of shared memory or memory of the host program.
    ///
    /// # Errors
    /// The pattern's size is none of those allowed, the address or the size no multiple of it, the bytes leave the shared
    /// memory that they begin in, or there is no memory.
    ///
    /// # Safety
    /// If it is no shared memory, the promise of [`HostSpan::new`] holds.
    pub unsafe fn fill_memory(
        &self,
        to: *mut u8,
        pattern: &[u8],
        bytes: u64,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        check_pattern(pattern, to as u64, bytes)?;
        // SAFETY: the caller's promise.
        let target = unsafe { place(to, bytes) }?;
        let touches: Vec<Touch> =
            host_touches(target.span, 0, bytes, Access::Write).into_iter().flatten().collect();
        let movement =
            Movement::Fill { to: allocation(target.span), offset: 0, length: bytes, pattern: pattern.into() };
        self.on_memory(movement, vec![target], &touches, waits)
    }

    /// Enqueues giving shared memory to the host until [`Self::unmap_memory`]. Fine-grained memory needs none of this.
    ///
    /// # Errors
    /// The bytes are no shared memory, or there is no memory for the command.
    pub fn map_memory(
        &self,
        pointer: *mut u8,
        bytes: u64,
        access: MapAccess,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        self.in_turn(pointer, bytes, access.access(), waits)
    }

    /// Enqueues giving shared memory back to its devices; the address is one that was mapped.
    ///
    /// # Errors
    /// It is in no shared memory, or there is no memory for the command.
    pub fn unmap_memory(&self, pointer: *mut u8, waits: &[Event]) -> Result<Event, QueueError> {
        let Some((memory, offset)) = SharedMemory::find(pointer) else {
            return Err(BufferError::NotShared { address: pointer as u64, bytes: 1 }.into());
        };
        self.in_turn(pointer, memory.size() - offset, Access::ReadWrite, waits)
    }

    /// Enqueues bringing shared memory to where it will be used next.
    ///
    /// # Errors
    /// The bytes are no shared memory, or there is no memory for the command.
    pub fn migrate_memory(
        &self,
        pointer: *mut u8,
        bytes: u64,
        to: Migration,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let access = if to == Migration::ToDeviceUndefined { Access::Write } else { Access::Read };
        self.in_turn(pointer, bytes, access, waits)
    }

    /// Enqueues [`SharedMemory::release`] of several pieces, after everything before it that uses them.
    ///
    /// # Errors
    /// There is no memory for the command.
    pub fn free_memory(&self, memories: Vec<SharedMemory>, waits: &[Event]) -> Result<Event, QueueError> {
        let touches: Vec<_> = memories
            .iter()
            .map(|memory| memory.buffer().touch(0, memory.size(), Access::ReadWrite))
            .collect();
        let work: Option<Arc<dyn Launch>> = Some(Arc::new(Release { memories }));
        Ok(self.queue.enqueue(Command { work, touches: &touches, waits, ..Command::default() })?)
    }

    fn on_memory(
        &self,
        movement: Movement,
        places: Vec<Place>,
        touches: &[Touch],
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let transfer = Transfer::new(Arc::clone(self.device.driver()), movement);
        let work: Option<Arc<dyn Launch>> = Some(Arc::new(Keeping { work: transfer, _places: places }));
        Ok(self.queue.enqueue(Command { work, touches, waits, ..Command::default() })?)
    }

    /// A command that does nothing to shared memory but take its turn.
    fn in_turn(
        &self,
        pointer: *mut u8,
        bytes: u64,
        access: Access,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let not_shared = BufferError::NotShared { address: pointer as u64, bytes };
        let (memory, offset) = SharedMemory::find(pointer).ok_or(not_shared.clone())?;
        if bytes > memory.size() - offset {
            return Err(not_shared.into());
        }
        let touches = [memory.buffer().touch(offset, bytes, access)];
        Ok(self.queue.enqueue(Command { touches: &touches, waits, ..Command::default() })?)
    }
}
