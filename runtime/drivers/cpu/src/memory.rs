//! Host memory for buffers, scratch and local memory: aligned to [`MAX_ALIGNMENT`], and an error when there is none.
//!
//! Small blocks come from the allocator, large ones from `mmap`, so that zeroed memory costs nothing until touched. Behind
//! each is some memory that belongs to it and that nobody was promised: kernels that read or write a few bytes too many do
//! no harm.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr::{self, NonNull};

use oxcl_binary::abi::MAX_ALIGNMENT;

use crate::error::{OutOfResources, Resource};

/// Blocks of at least this many bytes are mapped instead of allocated.
const MAP_FROM: usize = 256 * 1024;

/// A block of host memory, aligned to [`MAX_ALIGNMENT`].
#[derive(Debug)]
pub struct HostMemory {
    start: NonNull<u8>,
    /// Without what is behind it.
    bytes: usize,
    source: Source,
}

#[derive(Debug)]
enum Source {
    /// No memory behind it: the block is empty.
    Nothing,
    Allocator(Layout),
    /// So many bytes were mapped.
    Mapped(usize),
}

// SAFETY: the block owns its memory, and nothing in it is tied to a thread.
unsafe impl Send for HostMemory {}
// SAFETY: through a shared reference only the address can be had; what is done with it is its user's claim.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// How much memory belongs to a block of `bytes` bytes, from its start on: there are at least [`MAX_ALIGNMENT`] bytes behind
    /// it. None where there is no such block.
    #[must_use]
    pub fn padded(bytes: u64) -> Option<u64> {
        let alignment = MAX_ALIGNMENT as u64;
        bytes.checked_next_multiple_of(alignment)?.checked_add(alignment)
    }

    /// An empty block.
    #[must_use]
    pub const fn empty() -> Self {
        let start = NonNull::without_provenance(std::num::NonZero::new(MAX_ALIGNMENT).unwrap());
        Self { start, bytes: 0, source: Source::Nothing }
    }

    /// A block of `bytes` bytes, all zero if `zeroed` (else with arbitrary contents).
    ///
    /// # Errors
    /// [`OutOfResources`] names `resource` when the memory cannot be had.
    pub fn new(bytes: u64, zeroed: bool, resource: Resource) -> Result<Self, OutOfResources> {
        let error = OutOfResources { resource, amount: bytes };
        if bytes == 0 {
            return Ok(Self::empty());
        }
        let size = usize::try_from(bytes).map_err(|_| error)?;
        let whole = Self::padded(bytes).and_then(|whole| usize::try_from(whole).ok()).ok_or(error)?;
        if size >= MAP_FROM {
            let start = map(whole).ok_or(error)?;
            return Ok(Self { start, bytes: size, source: Source::Mapped(whole) });
        }
        let layout = Layout::from_size_align(whole, MAX_ALIGNMENT).map_err(|_| error)?;
        let raw = if zeroed {
            // SAFETY: the layout's size is not zero.
            unsafe { alloc_zeroed(layout) }
        } else {
            // SAFETY: the layout's size is not zero.
            unsafe { alloc(layout) }
        };
        let start = NonNull::new(raw).ok_or(error)?;
        Ok(Self { start, bytes: size, source: Source::Allocator(layout) })
    }

    /// A block of `bytes` bytes, all zero, all of which will be used soon: the system is asked for large pages.
    ///
    /// # Errors
    /// [`OutOfResources`] names `resource` when the memory cannot be had.
    pub(crate) fn for_pages(bytes: u64, resource: Resource) -> Result<Self, OutOfResources> {
        let block = Self::new(bytes, true, resource)?;
        if matches!(block.source, Source::Mapped(_)) {
            // A refusal changes nothing but the speed.
            // SAFETY: the range is the mapping that was just made; the advice changes no content.
            unsafe { libc::madvise(block.start.as_ptr().cast(), block.bytes, libc::MADV_HUGEPAGE) };
        }
        Ok(block)
    }

    /// The block's first byte; dangling (but aligned) where it is empty.
    #[must_use]
    pub fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The block's size in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether the block has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Makes the block at least `bytes` long. What it held is lost when it has to grow.
    ///
    /// # Errors
    /// [`OutOfResources`] when the memory cannot be had; the block stays as it was.
    pub(crate) fn grow(&mut self, bytes: u64, resource: Resource) -> Result<(), OutOfResources> {
        if usize::try_from(bytes).is_ok_and(|wanted| wanted <= self.bytes) {
            return Ok(());
        }
        *self = Self::new(bytes, false, resource)?;
        Ok(())
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        match self.source {
            Source::Nothing => {}
            // SAFETY: the block came from this allocator with this layout, and is given back once.
            Source::Allocator(layout) => unsafe { dealloc(self.start.as_ptr(), layout) },
            Source::Mapped(whole) => {
                // SAFETY: the block was mapped with this start and size, and is unmapped once.
                unsafe { libc::munmap(self.start.as_ptr().cast(), whole) };
            }
        }
    }
}

fn map(size: usize) -> Option<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: an anonymous private mapping at an address of the system's choice touches no memory of ours.
    let start = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_zeroed_whatever_their_size() {
        for bytes in [0, 1, 127, 4096, MAP_FROM as u64 - 1, MAP_FROM as u64, 3 * MAP_FROM as u64] {
            let block = HostMemory::new(bytes, true, Resource::Buffer).unwrap();
            assert_eq!(block.len() as u64, bytes);
            assert_eq!(block.as_ptr() as usize % MAX_ALIGNMENT, 0);
            // What is behind it is as good as the rest.
            let whole = if bytes == 0 { 0 } else { HostMemory::padded(bytes).unwrap() };
            assert!(bytes == 0 || whole >= bytes + MAX_ALIGNMENT as u64);
            let places = [0, bytes / 2, bytes.saturating_sub(1), whole.saturating_sub(1)];
            for offset in places.into_iter().filter(|&place| place < whole) {
                let at = block.as_ptr().wrapping_add(offset as usize);
                // SAFETY: the offset is in the block or what is behind it, and all of it is initialised.
                assert_eq!(unsafe { at.read() }, 0);
            }
        }
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        assert!(HostMemory::new(u64::MAX, true, Resource::Buffer).is_err());
        assert!(HostMemory::new(1 << 60, false, Resource::Scratch).is_err());
    }
}
