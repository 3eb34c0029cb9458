//! Buffers: memory that kernels work on, with commands to fill, read, write and copy it.
//!
//! A launch by [`crate::Device::launch`] holds its buffers while it runs; the host's commands here wait for it. They do
//! not wait for commands in queues, whose events say when they are complete: they only never run while a piece of one
//! is being executed.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use oxcl_driver::{Allocation, HostSpan};
use oxcl_driver_cpu::{HostMemory, OutOfResources, Resource};
use oxcl_scheduler::{Access, ResourceId, Touch};

use crate::error::{Coded, ErrorCode};

/// Memory for kernels, or a part of it. Memory of our own is aligned to 128 bytes. Clones share it.
#[derive(Debug, Clone)]
pub struct Buffer {
    inner: Arc<Inner>,
    /// Where the part begins in the memory; 0 for all of it.
    origin: u64,
    /// The memory (or the part of it) as the host knows it, and as drivers do.
    span: HostSpan,
    allocation: Arc<Allocation>,
}

#[derive(Debug)]
struct Inner {
    /// Differs between buffers; locks of several are taken in this order.
    number: u64,
    /// What keeps the memory; none where it is the host program's.
    _memory: Option<HostMemory>,
    /// Held shared to read the memory, alone to change it and during a launch. Lock rank 1.
    access: RwLock<()>,
    /// Held shared while a piece of a command is executed, alone by the host's commands. Lock rank 2: whoever holds it
    /// waits for no command.
    pieces: RwLock<()>,
    /// Where the scheduler sees the memory: a resource, and the number of the first byte there.
    place: (ResourceId, u64),
}

/// A buffer cannot be had, or a command names bytes that it does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BufferError {
    /// A buffer has at least one byte.
    #[error("a buffer of no bytes cannot be made")]
    ZeroSize,
    /// No memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfResources),
    /// A command reaches past the buffer's end.
    #[error("bytes {offset} to {} do not exist in a buffer of {size} bytes", offset.saturating_add(*bytes))]
    OutOfRange {
        /// First byte of the command.
        offset: u64,
        /// Number of bytes of the command.
        bytes: u64,
        /// Size of the buffer.
        size: u64,
    },
    /// Source and destination of a copy overlap.
    #[error("source bytes from {from} and destination bytes from {to} overlap: a copy of {bytes} bytes")]
    Overlap {
        /// First byte of the source.
        from: u64,
        /// First byte of the destination.
        to: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// A pattern has a size that is not allowed.
    #[error("a fill pattern has 1, 2, 4, 8, 16, 32, 64 or 128 bytes, not {0}")]
    PatternSize(usize),
    /// A rectangle without bytes.
    #[error("a region of {}x{}x{} has no bytes", size[0], size[1], size[2])]
    EmptyRegion {
        /// Bytes, rows, slices.
        size: [u64; 3],
    },
    /// A rectangle's pitches do not hold it.
    #[error(
        "a region of {}x{}x{} bytes does not fit a row pitch of {} and a slice pitch of {} bytes",
        size[0], size[1], size[2], pitch[0], pitch[1]
    )]
    Pitch {
        /// Bytes, rows, slices.
        size: [u64; 3],
        /// Row pitch and slice pitch.
        pitch: [u64; 2],
    },
    /// A fill does not begin or end at a multiple of its pattern.
    #[error("a fill from byte {offset} over {bytes} bytes is no whole number of {pattern}-byte patterns")]
    Unaligned {
        /// First byte of the fill.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
        /// Size of the pattern.
        pattern: usize,
    },
}

impl Coded for BufferError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::ZeroSize => ErrorCode("OX0520"),
            Self::OutOfMemory(error) => error.code(),
            Self::OutOfRange { .. } => ErrorCode("OX0521"),
            Self::Overlap { .. } => ErrorCode("OX0522"),
            Self::PatternSize(_) => ErrorCode("OX0523"),
            Self::Unaligned { .. } => ErrorCode("OX0524"),
            Self::EmptyRegion { .. } => ErrorCode("OX0525"),
            Self::Pitch { .. } => ErrorCode("OX0526"),
        }
    }
}

impl Buffer {
    /// A buffer of `bytes` bytes, all zero.
    ///
    /// # Errors
    /// The size is zero, or there is no memory.
    pub fn zeroed(bytes: u64) -> Result<Self, BufferError> {
        // CL_INVALID_BUFFER_SIZE if size is 0.
        if bytes == 0 {
            return Err(BufferError::ZeroSize);
        }
        let memory = HostMemory::new(bytes, true, Resource::Buffer)?;
        let start = NonNull::new(memory.as_ptr()).unwrap_or(NonNull::dangling());
        // SAFETY: the memory lives as long as the buffer, which every command that uses the span keeps, and pieces of
        // commands and the host's commands exclude each other.
        let span = unsafe { HostSpan::new(start, bytes) };
        Ok(Self::new(Some(memory), span))
    }

    /// A buffer in memory of the host program (`CL_MEM_USE_HOST_PTR`). Buffers over overlapping memory are kept in
    /// order like parts of one buffer.
    ///
    /// # Errors
    /// The span is empty.
    ///
    /// # Safety
    /// The memory stays where it is until the last clone of the buffer is gone and every command that uses it has
    /// ended, and whoever else touches it synchronises with those commands.
    pub unsafe fn over(span: HostSpan) -> Result<Self, BufferError> {
        if span.length() == 0 {
            return Err(BufferError::ZeroSize);
        }
        Ok(Self::new(None, span))
    }

    fn new(memory: Option<HostMemory>, span: HostSpan) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Relaxed: the number only has to differ from all others.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let address = span.pointer() as u64;
        let allocation = Allocation { size: span.length(), address, host: Some(span), token: number };
        let place =
            if memory.is_some() { (ResourceId(number), 0) } else { (ResourceId::HOST_MEMORY, address) };
        let (access, pieces) = (RwLock::new(()), RwLock::new(()));
        let inner = Arc::new(Inner { number, _memory: memory, access, pieces, place });
        Self { inner, origin: 0, span, allocation: Arc::new(allocation) }
    }

    /// The part of `bytes` bytes from `origin` on, over the same memory.
    ///
    /// # Errors
    /// The buffer has no such bytes, or the part has none.
    pub fn part(&self, origin: u64, bytes: u64) -> Result<Self, BufferError> {
        if bytes == 0 {
            return Err(BufferError::ZeroSize);
        }
        let out = |_| BufferError::OutOfRange { offset: origin, bytes, size: self.size() };
        let span = self.span().part(origin, bytes).map_err(out)?;
        let address = span.pointer() as u64;
        let allocation = Allocation { size: bytes, address, host: Some(span), token: self.inner.number };
        let (inner, origin) = (Arc::clone(&self.inner), self.origin + origin);
        Ok(Self { inner, origin, span, allocation: Arc::new(allocation) })
    }

    /// Where the host finds the first byte. What is read and written there is ordered by the commands' events only.
    #[must_use]
    pub fn host_address(&self) -> *mut u8 {
        self.address()
    }

    /// A buffer that holds a copy of `data`.
    ///
    /// # Errors
    /// `data` is empty, or there is no memory.
    pub fn from_bytes(data: &[u8]) -> Result<Self, BufferError> {
        let buffer = Self::zeroed(data.len() as u64)?;
        buffer.write(0, data)?;
        Ok(buffer)
    }

    /// The buffer's size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.allocation.size
    }

    /// Whether both are the same memory.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Copies bytes from `offset` on into `data`.
    ///
    /// # Errors
    /// The buffer has no such bytes.
    pub fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), BufferError> {
        let from = self.at(offset, data.len() as u64)?;
        let _access = self.shared();
        let _pieces = self.used_by_host();
        // SAFETY: the range lies inside the memory, which is initialised; the locks keep writers away.
        unsafe { from.copy_to_nonoverlapping(data.as_mut_ptr(), data.len()) };
        Ok(())
    }

    /// All bytes.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let _access = self.shared();
        let _pieces = self.used_by_host();
        // SAFETY: the memory is initialised and lives as long as the buffer; the locks keep writers away.
        let bytes = unsafe { std::slice::from_raw_parts(self.address(), self.size() as usize) };
        bytes.to_vec()
    }

    /// Copies `data` to bytes from `offset` on.
    ///
    /// # Errors
    /// The buffer has no such bytes.
    pub fn write(&self, offset: u64, data: &[u8]) -> Result<(), BufferError> {
        let to = self.at(offset, data.len() as u64)?;
        let _access = self.exclusive();
        let _pieces = self.used_by_host();
        // SAFETY: the range lies inside the memory; the locks keep everyone else away.
        unsafe { to.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        Ok(())
    }

    /// Repeats `pattern` over `bytes` bytes from `offset` on.
    ///
    /// # Errors
    /// The pattern's size is none of those allowed, the range no multiple of it, or not in the buffer.
    pub fn fill(&self, pattern: &[u8], offset: u64, bytes: u64) -> Result<(), BufferError> {
        self.check_fill(pattern, offset, bytes)?;
        let to = self.at(offset, bytes)?;
        let _access = self.exclusive();
        let _pieces = self.used_by_host();
        // SAFETY: the range lies inside the memory, which is initialised; the locks keep everyone else away.
        let target = unsafe { std::slice::from_raw_parts_mut(to, bytes as usize) };
        for place in target.chunks_exact_mut(pattern.len()) {
            place.copy_from_slice(pattern);
        }
        Ok(())
    }

    /// Copies `bytes` bytes from `from` on to bytes of `target` from `to` on.
    ///
    /// # Errors
    /// A range is not in its buffer, or the two overlap in the same one.
    pub fn copy_to(&self, from: u64, target: &Self, to: u64, bytes: u64) -> Result<(), BufferError> {
        self.check_copy(from, target, to, bytes)?;
        let (source, destination) = (self.at(from, bytes)?, target.at(to, bytes)?);
        let held = Held::new([self, target].into_iter());
        let _pieces = held.used_by_host();
        // SAFETY: both ranges lie inside their memories, which are initialised, and do not overlap; the locks keep
        // everyone else away.
        unsafe { destination.copy_from_nonoverlapping(source, bytes as usize) };
        Ok(())
    }

    /// The number that tells it from all other buffers.
    pub(crate) fn number(&self) -> u64 {
        self.inner.number
    }

    /// The memory as drivers know it; valid while the buffer lives.
    pub(crate) fn allocation(&self) -> Arc<Allocation> {
        Arc::clone(&self.allocation)
    }

    /// The memory as commands know the host's; valid while the buffer lives.
    pub(crate) fn span(&self) -> HostSpan {
        self.span
    }

    /// What a command does to `bytes` bytes from `offset` on.
    pub(crate) fn touch(&self, offset: u64, bytes: u64, access: Access) -> Touch {
        let (resource, first) = self.inner.place;
        let start = first.saturating_add(self.origin).saturating_add(offset);
        Touch { resource, start, end: start.saturating_add(bytes), access }
    }

    /// Whether there are such bytes.
    pub(crate) fn check(&self, offset: u64, bytes: u64) -> Result<(), BufferError> {
        self.at(offset, bytes).map(drop)
    }

    /// Whether a fill is allowed.
    pub(crate) fn check_fill(&self, pattern: &[u8], offset: u64, bytes: u64) -> Result<(), BufferError> {
        // CL_INVALID_VALUE if pattern_size is not one of { 1, 2, 4, 8, 16, 32, 64, 128 }.
        if !pattern.len().is_power_of_two() || pattern.len() > 128 {
            return Err(BufferError::PatternSize(pattern.len()));
        }
        // CL_INVALID_VALUE if offset and size are not a multiple of pattern_size.
        let unit = pattern.len() as u64;
        if !offset.is_multiple_of(unit) || !bytes.is_multiple_of(unit) {
            return Err(BufferError::Unaligned { offset, bytes, pattern: pattern.len() });
        }
        self.check(offset, bytes)
    }

    /// Whether a copy is allowed.
    pub(crate) fn check_copy(
        &self,
        from: u64,
        target: &Self,
        to: u64,
        bytes: u64,
    ) -> Result<(), BufferError> {
        self.check(from, bytes)?;
        target.check(to, bytes)?;
        // CL_MEM_COPY_OVERLAP if both are the same buffer and the ranges overlap.
        if self.is_same(target) && (self.origin + from).abs_diff(target.origin + to) < bytes {
            return Err(BufferError::Overlap { from, to, bytes });
        }
        Ok(())
    }

    /// Keeps the host's commands away while a piece of a command is executed.
    pub(crate) fn used_by_device(&self) -> RwLockReadGuard<'_, ()> {
        self.inner.pieces.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Keeps pieces of commands away.
    fn used_by_host(&self) -> RwLockWriteGuard<'_, ()> {
        self.inner.pieces.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.span().pointer()
    }

    fn at(&self, offset: u64, bytes: u64) -> Result<*mut u8, BufferError> {
        let size = self.size();
        if offset.checked_add(bytes).is_none_or(|end| end > size) {
            return Err(BufferError::OutOfRange { offset, bytes, size });
        }
        Ok(self.address().wrapping_add(offset as usize))
    }

    fn shared(&self) -> RwLockReadGuard<'_, ()> {
        // The lock guards bytes, which a panic cannot leave invalid.
        self.inner.access.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn exclusive(&self) -> RwLockWriteGuard<'_, ()> {
        self.inner.access.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Several buffers, each held alone.
#[derive(Debug)]
pub(crate) struct Held<'b> {
    buffers: Vec<&'b Buffer>,
    _guards: Vec<RwLockWriteGuard<'b, ()>>,
}

impl<'b> Held<'b> {
    /// Waits for all of `buffers`. One that comes twice is held once; the order of locking is the same for everyone.
    pub(crate) fn new(buffers: impl Iterator<Item = &'b Buffer>) -> Self {
        let mut buffers: Vec<&Buffer> = buffers.collect();
        buffers.sort_unstable_by_key(|buffer| buffer.inner.number);
        buffers.dedup_by_key(|buffer| buffer.inner.number);
        let guards = buffers.iter().map(|buffer| buffer.exclusive()).collect();
        Self { buffers, _guards: guards }
    }

    /// Keeps pieces of commands away too.
    fn used_by_host(&self) -> Vec<RwLockWriteGuard<'b, ()>> {
        self.buffers.iter().map(|buffer| buffer.used_by_host()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_move_the_bytes_that_they_name() {
        let buffer = Buffer::from_bytes(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        buffer.write(6, &[70, 80]).unwrap();
        buffer.fill(&[9, 8], 2, 4).unwrap();
        assert_eq!(buffer.to_vec(), [1, 2, 9, 8, 9, 8, 70, 80]);
        buffer.copy_to(0, &buffer, 6, 2).unwrap();
        let other = Buffer::zeroed(3).unwrap();
        buffer.copy_to(5, &other, 1, 2).unwrap();
        assert_eq!(other.to_vec(), [0, 8, 1]);
        let mut two = [0; 2];
        other.read(1, &mut two).unwrap();
        assert_eq!(two, [8, 1]);
    }

    #[test]
    fn commands_outside_the_buffer_are_errors() {
        let buffer = Buffer::zeroed(8).unwrap();
        assert_eq!(Buffer::zeroed(0).unwrap_err(), BufferError::ZeroSize);
        let out = |offset, bytes| BufferError::OutOfRange { offset, bytes, size: 8 };
        assert_eq!(buffer.write(7, &[0, 0]).unwrap_err(), out(7, 2));
        assert_eq!(buffer.read(u64::MAX, &mut [0]).unwrap_err(), out(u64::MAX, 1));
        assert_eq!(buffer.fill(&[0; 3], 0, 6).unwrap_err(), BufferError::PatternSize(3));
        assert_eq!(buffer.fill(&[], 0, 6).unwrap_err(), BufferError::PatternSize(0));
        let unaligned = BufferError::Unaligned { offset: 2, bytes: 4, pattern: 4 };
        assert_eq!(buffer.fill(&[0; 4], 2, 4).unwrap_err(), unaligned);
        let overlap = BufferError::Overlap { from: 0, to: 3, bytes: 4 };
        assert_eq!(buffer.copy_to(0, &buffer, 3, 4).unwrap_err(), overlap);
    }
}
