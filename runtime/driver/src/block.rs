//! Blocks of host memory ([`HostMemory`]), for buffers, scratch and local memory and for drivers whose device memory is the
//! host's: aligned to [`MAX_ALIGNMENT`], and an error when there is none.
//!
//! Small blocks come from the allocator, large ones from `mmap`, so that zeroed memory costs nothing until touched. For the
//! largest the system is asked for large pages: they are there after fewer faults, and kernels that go through them in any
//! order miss fewer translations. Behind
//! each is some memory that belongs to it and that nobody was promised: kernels that read or write a few bytes too many do
//! no harm. All but the smallest are counted (`account.rs`).

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::num::NonZero;
use std::ptr::{self, NonNull};

use oxcl_binary::abi::MAX_ALIGNMENT;

use crate::account::{Charge, Shortage, Use, account};
use crate::error::DriverError;
use crate::memory::HostSpan;

/// Blocks of at least this many bytes are mapped instead of allocated.
const MAP_FROM: usize = 256 * 1024;

/// For blocks of at least this many bytes the system is asked for large pages: two of x86-64's.
const LARGE_PAGES_FROM: usize = 4 * 1024 * 1024;

/// No page is smaller.
const SMALLEST_PAGE: usize = 4096;

/// A block of host memory, aligned to [`MAX_ALIGNMENT`], freed on drop.
#[derive(Debug)]
pub struct HostMemory {
    start: NonNull<u8>,
    /// Without what is behind it.
    bytes: usize,
    source: Source,
    /// None for blocks that are not counted.
    charge: Option<Charge>,
}

/// A block cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes of memory cannot be had{}", Shortage::told(*shortage))]
pub struct NoBlock {
    /// Bytes asked for.
    pub bytes: u64,
    /// What was left; none where the system refused.
    pub shortage: Option<Shortage>,
}

impl From<NoBlock> for DriverError {
    fn from(NoBlock { bytes, shortage }: NoBlock) -> Self {
        Self::OutOfMemory { needed: bytes, available: shortage.map_or(0, |shortage| shortage.left) }
    }
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
        let start = NonNull::without_provenance(NonZero::new(MAX_ALIGNMENT).unwrap());
        Self { start, bytes: 0, source: Source::Nothing, charge: None }
    }

    /// A block of `bytes` bytes, all zero, of what a program has asked for.
    ///
    /// # Errors
    /// There is no memory.
    pub fn zeroed(bytes: u64) -> Result<Self, NoBlock> {
        Self::new(bytes, true, Some(Use::Object))
    }

    /// A block of `bytes` bytes with arbitrary contents, for a command that runs.
    ///
    /// # Errors
    /// There is no memory.
    pub fn arbitrary(bytes: u64) -> Result<Self, NoBlock> {
        Self::new(bytes, false, Some(Use::Work))
    }

    /// A block of `bytes` bytes with arbitrary contents that is not counted: what is copied in pieces passes through it.
    ///
    /// # Errors
    /// There is no memory.
    pub fn passing(bytes: u64) -> Result<Self, NoBlock> {
        Self::new(bytes, false, (bytes >= MAP_FROM as u64).then_some(Use::Work))
    }

    /// A block of `bytes` bytes, all zero, that is not counted: a few hundred bytes for each launch, which would pay for that.
    ///
    /// # Errors
    /// There is no memory.
    pub fn uncounted(bytes: u64) -> Result<Self, NoBlock> {
        Self::new(bytes, true, (bytes >= MAP_FROM as u64).then_some(Use::Work))
    }

    fn new(bytes: u64, zeroed: bool, purpose: Option<Use>) -> Result<Self, NoBlock> {
        let out = || NoBlock { bytes, shortage: None };
        if bytes == 0 {
            return Ok(Self::empty());
        }
        let size = usize::try_from(bytes).map_err(|_| out())?;
        let whole = Self::padded(bytes).and_then(|whole| usize::try_from(whole).ok()).ok_or_else(out)?;
        let is_small = size < MAP_FROM;
        let charge = purpose.map(|purpose| account().charge(whole as u64, purpose, is_small)).transpose();
        let charge = charge.map_err(|shortage| NoBlock { bytes, shortage: Some(shortage) })?;
        let made = if is_small { allocated(whole, zeroed) } else { mapped(size, whole) };
        let Some((start, source)) = made else {
            charge.iter().for_each(|charge| account().give_back(charge));
            return Err(out());
        };
        let block = Self { start, bytes: size, source, charge };
        block.register();
        Ok(block)
    }

    /// Has the account know where a counted block is, or that it is all there.
    fn register(&self) {
        match self.source {
            Source::Mapped(whole) if self.charge.is_some() => {
                account().mapped(self.start.as_ptr() as usize, whole);
            }
            Source::Allocator(layout) if self.charge.is_some() && account().is_limited() => {
                for offset in (0..layout.size()).step_by(SMALLEST_PAGE) {
                    // SAFETY: the byte is in the new block, which nobody else knows. It is zero, or arbitrary.
                    unsafe { self.start.as_ptr().wrapping_add(offset).write_volatile(0) };
                }
            }
            _ => {}
        }
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

    /// All of it, as a span that is valid while `self` lives.
    #[must_use]
    pub fn span(&self) -> HostSpan {
        // SAFETY: the block lives as long as `self`; drivers free it only after the last command that uses it.
        unsafe { HostSpan::new(self.start, self.bytes as u64) }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        match self.source {
            Source::Nothing => {}
            // SAFETY: the block came from this allocator with this layout, and is given back once.
            Source::Allocator(layout) => unsafe { dealloc(self.start.as_ptr(), layout) },
            Source::Mapped(whole) => {
                if self.charge.is_some() {
                    account().unmapped(self.start.as_ptr() as usize);
                }
                // SAFETY: the block was mapped with this start and size, and is unmapped once.
                unsafe { libc::munmap(self.start.as_ptr().cast(), whole) };
            }
        }
        if let Some(charge) = &self.charge {
            account().give_back(charge);
        }
    }
}

/// A block of `whole` bytes of the allocator's.
fn allocated(whole: usize, zeroed: bool) -> Option<(NonNull<u8>, Source)> {
    let layout = Layout::from_size_align(whole, MAX_ALIGNMENT).ok()?;
    let raw = if zeroed {
        // SAFETY: the layout's size is not zero.
        unsafe { alloc_zeroed(layout) }
    } else {
        // SAFETY: the layout's size is not zero.
        unsafe { alloc(layout) }
    };
    Some((NonNull::new(raw)?, Source::Allocator(layout)))
}

/// A block of `whole` bytes, `size` of which are used, of the system's.
fn mapped(size: usize, whole: usize) -> Option<(NonNull<u8>, Source)> {
    let start = map(whole)?;
    if size >= LARGE_PAGES_FROM {
        // A refusal changes nothing but the speed.
        // SAFETY: the range is the new mapping, which nobody else knows yet; the advice changes no content.
        unsafe { libc::madvise(start.as_ptr().cast(), whole, libc::MADV_HUGEPAGE) };
    }
    Some((start, Source::Mapped(whole)))
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
            let block = HostMemory::zeroed(bytes).unwrap();
            assert_eq!((block.len() as u64, block.span().length()), (bytes, bytes));
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
        assert!(HostMemory::zeroed(u64::MAX).is_err());
        assert!(HostMemory::arbitrary(1 << 60).is_err());
    }
}
