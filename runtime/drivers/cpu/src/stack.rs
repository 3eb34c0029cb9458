//! The stack that kernels run on: one of ours for each thread that executes, whatever stack the thread itself has. So a
//! kernel finds the same room in a worker and in a small thread of the program that waits for it.
//!
//! In: nothing. Out: addresses below which a kernel may use [`BYTES`] bytes, and below those a region that faults. Pages
//! are taken as they are touched.

use std::ptr::{self, NonNull};

use oxcl_driver::fault::{OutOfResources, Resource};

/// Room for a kernel.
const BYTES: usize = 64 << 20;

/// What lies below and faults: a frame that is larger than the room left may begin this far beyond it.
const GUARD: usize = 16 << 20;

/// A stack.
#[derive(Debug)]
pub(crate) struct KernelStack {
    /// The first byte of the guarded region.
    base: NonNull<u8>,
}

// SAFETY: the region is owned, and not tied to a thread.
unsafe impl Send for KernelStack {}

impl KernelStack {
    /// # Errors
    /// The process may not have so many addresses.
    pub(crate) fn new() -> Result<Self, OutOfResources> {
        let error = OutOfResources::of(Resource::Stack, BYTES as u64);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: an anonymous mapping at an address of the system's choice touches no memory of ours.
        let base = unsafe { libc::mmap(ptr::null_mut(), GUARD + BYTES, libc::PROT_NONE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(error);
        }
        // From here on dropped where something fails.
        let stack = Self { base: NonNull::new(base.cast()).ok_or(error)? };
        let room = stack.base.as_ptr().wrapping_add(GUARD).cast();
        // SAFETY: the pages lie inside the mapping that was just made.
        if unsafe { libc::mprotect(room, BYTES, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return Err(error);
        }
        // Large pages would cost each thread 2 MiB; without the advice nothing else changes.
        // SAFETY: as above; the advice changes no content.
        unsafe { libc::madvise(room, BYTES, libc::MADV_NOHUGEPAGE) };
        Ok(stack)
    }

    /// The lowest address that a kernel may use.
    pub(crate) fn low(&self) -> u64 {
        self.base.as_ptr() as u64 + GUARD as u64
    }

    /// Where a kernel begins: behind the last byte, a multiple of a page.
    pub(crate) fn top(&self) -> u64 {
        self.low() + BYTES as u64
    }
}

impl Drop for KernelStack {
    fn drop(&mut self) {
        // SAFETY: the region was mapped with this start and size, is unmapped once, and nobody runs on it: a call has the
        // worker that owns it.
        unsafe { libc::munmap(self.base.as_ptr().cast(), GUARD + BYTES) };
    }
}
