//! Buffers: memory that kernels work on, with commands to fill, read, write and copy it, and parts of buffers.
//!
//! A launch by [`crate::Device::launch`] holds its buffers while it runs; the host's commands here wait for it. They do
//! not wait for commands in queues, whose events say when they are complete: they only never run while a piece of one
//! is being executed.

use std::sync::{Arc, RwLockWriteGuard};

use oxcl_driver::fault::OutOfResources;
use oxcl_driver::{Allocation, HostSpan};
use oxcl_scheduler::{Access, Touch};

use crate::exclusion::{Exclusion, UsedByHost};
use crate::residence;
use crate::storage::Storage;

mod error;

pub use error::BufferError;

/// Memory for kernels, aligned to 128 bytes, or a part of such memory. Clones are the same.
#[derive(Debug, Clone)]
pub struct Buffer {
    storage: Arc<Storage>,
    /// Where a sub-buffer begins in its parent's memory.
    origin: u64,
    size: u64,
}

impl Buffer {
    /// A buffer of `bytes` bytes, all zero. Memory is taken where and when a command first uses it.
    ///
    /// # Errors
    /// The size is zero, or no memory can have it.
    pub fn zeroed(bytes: u64) -> Result<Self, BufferError> {
        // CL_INVALID_BUFFER_SIZE if size is 0.
        if bytes == 0 {
            return Err(BufferError::ZeroSize);
        }
        if isize::try_from(bytes).is_err() {
            let resource = oxcl_driver::fault::Resource::Buffer;
            return Err(OutOfResources::of(resource, bytes).into());
        }
        Ok(Self::whole(Storage::lazy(bytes)))
    }

    /// A buffer of `bytes` bytes of which nothing is known. Unlike a zeroed one it has no content that would have to be
    /// brought to a device before its first use there.
    ///
    /// # Errors
    /// As for [`Self::zeroed`].
    pub fn uninitialised(bytes: u64) -> Result<Self, BufferError> {
        let whole = Self::zeroed(bytes)?;
        Ok(Self { storage: Arc::new(Storage::undefined(bytes)), ..whole })
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

    /// A buffer over memory of the host program (`CL_MEM_USE_HOST_PTR`), shared memory included. Devices in the
    /// host's address space use it in place.
    ///
    /// # Errors
    /// The span is empty.
    ///
    /// # Safety
    /// The promise of [`HostSpan::new`] holds until the last clone of the buffer is gone and the last command that uses
    /// it has ended.
    pub unsafe fn over(span: HostSpan) -> Result<Self, BufferError> {
        if span.length() == 0 {
            return Err(BufferError::ZeroSize);
        }
        Ok(Self::whole(Storage::over_host(span)))
    }

    pub(crate) fn whole(storage: Storage) -> Self {
        Self { size: storage.size(), storage: Arc::new(storage), origin: 0 }
    }

    /// The part of `bytes` bytes from `origin` on, over the same memory: a sub-buffer.
    ///
    /// # Errors
    /// The buffer has no such bytes, or the part has none.
    pub fn part(&self, origin: u64, bytes: u64) -> Result<Self, BufferError> {
        // CL_INVALID_BUFFER_SIZE if the size of the region is 0.
        if bytes == 0 {
            return Err(BufferError::ZeroSize);
        }
        self.check(origin, bytes)?;
        Ok(Self { storage: Arc::clone(&self.storage), origin: self.origin + origin, size: bytes })
    }

    /// The buffer's size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where the host finds the first byte; null where there is no memory for it. What is read and written there is
    /// ordered by the commands' events only, and is the content while a mapping lasts.
    #[must_use]
    pub fn host_address(&self) -> *mut u8 {
        self.address().unwrap_or(std::ptr::null_mut())
    }

    /// Where it begins in the memory that it is a part of.
    pub(crate) fn origin(&self) -> u64 {
        self.origin
    }

    /// Whether both are the same memory, or parts of it.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.storage, &other.storage)
    }

    /// Copies bytes from `offset` on into `data`.
    ///
    /// # Errors
    /// The buffer has no such bytes, or they cannot be had.
    pub fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), BufferError> {
        self.check(offset, data.len() as u64)?;
        let from = self.at(offset)?;
        self.at_host(offset, data.len() as u64, Access::Read, || {
            let _pieces = self.storage.used_by_host();
            // SAFETY: the range lies inside the memory, which is initialised; the locks keep writers away.
            unsafe { from.copy_to_nonoverlapping(data.as_mut_ptr(), data.len()) };
        })
    }

    /// All bytes.
    ///
    /// # Errors
    /// They cannot be had.
    pub fn contents(&self) -> Result<Vec<u8>, BufferError> {
        let mut bytes = vec![0; usize::try_from(self.size).unwrap_or(usize::MAX)];
        self.read(0, &mut bytes)?;
        Ok(bytes)
    }

    /// All bytes; [`Self::contents`] is for programs that can go on without them.
    ///
    /// # Panics
    /// They cannot be had.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.contents().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Has the host's memory hold the content, for who looks at it there: a device with memory of its own may have it.
    ///
    /// # Errors
    /// It cannot be had.
    pub fn bring_to_host(&self) -> Result<(), BufferError> {
        self.at_host(0, self.size, Access::Read, || ())
    }

    /// Copies `data` to bytes from `offset` on.
    ///
    /// # Errors
    /// The buffer has no such bytes, or there is no memory.
    pub fn write(&self, offset: u64, data: &[u8]) -> Result<(), BufferError> {
        self.check(offset, data.len() as u64)?;
        let to = self.at(offset)?;
        self.at_host(offset, data.len() as u64, Access::Write, || {
            let _pieces = self.storage.used_by_host();
            // SAFETY: the range lies inside the memory; the locks keep everyone else away.
            unsafe { to.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        })
    }

    /// Repeats `pattern` over `bytes` bytes from `offset` on.
    ///
    /// # Errors
    /// The pattern's size is none of those allowed, the range no multiple of it, or not in the buffer.
    pub fn fill(&self, pattern: &[u8], offset: u64, bytes: u64) -> Result<(), BufferError> {
        self.check_fill(pattern, offset, bytes)?;
        let to = self.at(offset)?;
        self.at_host(offset, bytes, Access::Write, || {
            let _pieces = self.storage.used_by_host();
            // SAFETY: the range lies inside the memory, which is initialised; the locks keep everyone else away.
            let target = unsafe { std::slice::from_raw_parts_mut(to, bytes as usize) };
            for place in target.chunks_exact_mut(pattern.len()) {
                place.copy_from_slice(pattern);
            }
        })
    }

    /// Copies `bytes` bytes from `from` on to bytes of `target` from `to` on.
    ///
    /// # Errors
    /// A range is not in its buffer, or the two overlap in the same memory.
    pub fn copy_to(&self, from: u64, target: &Self, to: u64, bytes: u64) -> Result<(), BufferError> {
        self.check_copy(from, target, to, bytes)?;
        if self.storage.tracked().is_some() || target.storage.tracked().is_some() {
            // One after the other: nobody holds the residences of two memories in an order of their own.
            let mut between = vec![0; bytes as usize];
            self.read(from, &mut between)?;
            return target.write(to, &between);
        }
        let held = Held::new([self, target].into_iter());
        let (source, destination) = (self.at(from)?, target.at(to)?);
        let _pieces = held.used_by_host();
        // SAFETY: both ranges lie inside their memories, which are initialised, and do not overlap; the locks keep
        // everyone else away.
        unsafe { destination.copy_from_nonoverlapping(source, bytes as usize) };
        Ok(())
    }

    /// Has the host's memory hold these bytes, and calls `use_it` while no command uses them and the buffer is locked.
    fn at_host(
        &self,
        offset: u64,
        bytes: u64,
        access: Access,
        use_it: impl FnOnce(),
    ) -> Result<(), BufferError> {
        let start = self.origin + offset;
        let range = start..start + bytes;
        let use_it = || {
            use_it();
            Ok(())
        };
        match access {
            Access::Read => {
                residence::at_host(&self.storage, &range, access, || self.storage.shared(), use_it)
            }
            _ => residence::at_host(&self.storage, &range, access, || self.storage.exclusive(), use_it),
        }
    }

    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// The number that tells its memory from all other.
    pub(crate) fn number(&self) -> u64 {
        self.storage.number()
    }

    /// The host's memory as drivers know it, and where in it the buffer begins; valid while the buffer lives.
    pub(crate) fn allocation(&self) -> Result<(Arc<Allocation>, u64), BufferError> {
        Ok((Arc::clone(self.storage.host_allocation()?), self.origin))
    }

    /// The host's memory as commands know it; valid while the buffer lives.
    pub(crate) fn span(&self) -> Result<HostSpan, BufferError> {
        let whole = self.storage.host_span()?;
        whole.part(self.origin, self.size).map_err(|_| self.out_of_range(0, self.size))
    }

    /// What a command does to bytes from `offset` on, as queues know them.
    pub(crate) fn touch(&self, offset: u64, bytes: u64, access: Access) -> Touch {
        let start = self.origin.saturating_add(offset);
        self.storage.touch(start, start.saturating_add(bytes), access)
    }

    fn out_of_range(&self, offset: u64, bytes: u64) -> BufferError {
        BufferError::OutOfRange { offset, bytes, size: self.size }
    }

    /// Whether there are such bytes.
    pub(crate) fn check(&self, offset: u64, bytes: u64) -> Result<(), BufferError> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(self.out_of_range(offset, bytes)),
        }
    }

    /// Whether a fill is allowed.
    pub(crate) fn check_fill(&self, pattern: &[u8], offset: u64, bytes: u64) -> Result<(), BufferError> {
        check_pattern(pattern, offset, bytes)?;
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
        // CL_MEM_COPY_OVERLAP if both are the same buffer or sub-buffers of one, and the ranges overlap.
        if self.is_same(target) && (self.origin + from).abs_diff(target.origin + to) < bytes {
            return Err(BufferError::Overlap { from, to, bytes });
        }
        Ok(())
    }

    /// What keeps the host's commands away while a piece of a command is executed.
    pub(crate) fn pieces(&self) -> &Exclusion {
        self.storage.pieces()
    }

    /// The first byte, for devices in the host's address space.
    pub(crate) fn address(&self) -> Result<*mut u8, BufferError> {
        self.at(0)
    }

    /// Where the byte at `offset`, which has been checked, lies.
    fn at(&self, offset: u64) -> Result<*mut u8, BufferError> {
        let start = self.storage.host_span()?.pointer();
        Ok(start.wrapping_add((self.origin + offset) as usize))
    }
}

/// Whether a pattern may be repeated over a range.
pub(crate) fn check_pattern(pattern: &[u8], offset: u64, bytes: u64) -> Result<(), BufferError> {
    // CL_INVALID_VALUE if pattern_size is not one of { 1, 2, 4, 8, 16, 32, 64, 128 }.
    if !pattern.len().is_power_of_two() || pattern.len() > 128 {
        return Err(BufferError::PatternSize(pattern.len()));
    }
    // CL_INVALID_VALUE if offset and size are not a multiple of pattern_size.
    let unit = pattern.len() as u64;
    if !offset.is_multiple_of(unit) || !bytes.is_multiple_of(unit) {
        return Err(BufferError::Unaligned { offset, bytes, pattern: pattern.len() });
    }
    Ok(())
}

/// Several buffers, each held alone.
#[derive(Debug)]
pub(crate) struct Held<'b> {
    buffers: Vec<&'b Buffer>,
    _guards: Vec<RwLockWriteGuard<'b, ()>>,
}

impl<'b> Held<'b> {
    /// Waits for all of `buffers`. Memory that comes twice is held once; the order of locking is the same for everyone.
    pub(crate) fn new(buffers: impl Iterator<Item = &'b Buffer>) -> Self {
        let mut buffers: Vec<&Buffer> = buffers.collect();
        buffers.sort_unstable_by_key(|buffer| buffer.number());
        buffers.dedup_by_key(|buffer| buffer.number());
        let guards = buffers.iter().map(|buffer| buffer.storage.exclusive()).collect();
        Self { buffers, _guards: guards }
    }

    /// Keeps pieces of commands away too.
    fn used_by_host(&self) -> Vec<UsedByHost<'b>> {
        self.buffers.iter().map(|buffer| buffer.storage.used_by_host()).collect()
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
        let (low, high) = (buffer.part(0, 5).unwrap(), buffer.part(4, 4).unwrap());
        let overlap = BufferError::Overlap { from: 3, to: 0, bytes: 2 };
        assert_eq!(low.copy_to(3, &high, 0, 2).unwrap_err(), overlap);
        assert_eq!(buffer.part(4, 5).unwrap_err(), out(4, 5));
        let overlap = BufferError::Overlap { from: 0, to: 3, bytes: 4 };
        assert_eq!(buffer.copy_to(0, &buffer, 3, 4).unwrap_err(), overlap);
    }

    #[test]
    fn sub_buffers_are_parts_of_their_parents() {
        let parent = Buffer::from_bytes(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let part = parent.part(2, 4).unwrap();
        part.write(1, &[40]).unwrap();
        part.fill(&[9], 3, 1).unwrap();
        assert_eq!(part.to_vec(), [3, 40, 5, 9]);
        assert_eq!(parent.to_vec(), [1, 2, 3, 40, 5, 9, 7, 8]);
        parent.copy_to(0, &part, 0, 2).unwrap();
        assert_eq!(parent.to_vec(), [1, 2, 1, 2, 5, 9, 7, 8]);
        assert!(part.write(3, &[0, 0]).is_err());
        assert!(part.is_same(&parent));
    }

    #[test]
    fn memory_comes_with_the_first_use() {
        let buffer = Buffer::zeroed(1 << 40).unwrap();
        assert!(!buffer.storage.has_host());
        let small = Buffer::zeroed(16).unwrap();
        assert_eq!(small.to_vec(), [0; 16]);
        assert!(small.storage.has_host());
    }

    #[test]
    fn the_hosts_memory_is_used_in_place() {
        let mut data = [1_u8, 2, 3, 4];
        // SAFETY: the array outlives the buffer, and nobody else uses it meanwhile.
        let span = unsafe { HostSpan::new(std::ptr::NonNull::from(&mut data).cast(), 4) };
        // SAFETY: as above.
        let buffer = unsafe { Buffer::over(span) }.unwrap();
        buffer.write(1, &[20]).unwrap();
        drop(buffer);
        assert_eq!(data, [1, 20, 3, 4]);
    }
}
