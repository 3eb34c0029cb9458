//! Memory that kernels and the host know by the same addresses: shared virtual memory (coarse- and fine-grained) and
//! unified shared memory (host, device, shared).
//!
//! Devices in the host's address space share the bytes as well as the addresses, so the kinds differ in what programs
//! may do with them and not in where they are. A registry finds the memory that an address belongs to. Memory lives
//! until [`SharedMemory::release`] takes it out of the registry and the last command that uses it has ended.

use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use oxcl_binary::abi::MAX_ALIGNMENT;
use oxcl_driver::fault::{OutOfResources, Resource};

use crate::buffer::{Buffer, BufferError};
use crate::storage::Storage;

/// What kind of shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedKind {
    /// Shared virtual memory that the host maps before it uses it.
    SvmCoarse,
    /// Shared virtual memory that host and kernels use side by side.
    SvmFine,
    /// Unified shared memory that belongs to the host.
    UsmHost,
    /// Unified shared memory that belongs to a device.
    UsmDevice,
    /// Unified shared memory that moves.
    UsmShared,
}

/// A piece of shared memory. Clones are the same piece.
#[derive(Debug, Clone)]
pub struct SharedMemory {
    kind: SharedKind,
    alignment: u64,
    buffer: Buffer,
}

/// First address to memory.
static REGISTRY: Mutex<BTreeMap<u64, SharedMemory>> = Mutex::new(BTreeMap::new());

pub(crate) fn registry() -> MutexGuard<'static, BTreeMap<u64, SharedMemory>> {
    // A panic leaves the map whole.
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedMemory {
    /// Allocates `bytes` bytes, all zero, at a multiple of `alignment` (0: what every type is content with).
    ///
    /// # Errors
    /// The size is zero, the alignment no power of two, or there is no memory.
    pub fn allocate(kind: SharedKind, bytes: u64, alignment: u64) -> Result<Self, BufferError> {
        if bytes == 0 {
            return Err(BufferError::ZeroSize);
        }
        let alignment = if alignment == 0 { MAX_ALIGNMENT as u64 } else { alignment };
        if !alignment.is_power_of_two() {
            return Err(BufferError::Alignment(alignment));
        }
        // Blocks are aligned to the widest type; more takes room to move the start.
        let more = if alignment > MAX_ALIGNMENT as u64 { alignment } else { 0 };
        let block = OutOfResources::zeroed(bytes.saturating_add(more), Resource::Buffer)?;
        let start = block.as_ptr();
        let shift = if more == 0 { 0 } else { start.align_offset(more as usize) };
        let start = NonNull::new(start.wrapping_add(shift)).unwrap_or(NonNull::dangling());
        let buffer = Buffer::whole(Storage::in_block(block, start, bytes));
        let shared = Self { kind, alignment, buffer };
        registry().insert(start.as_ptr() as u64, shared.clone());
        Ok(shared)
    }

    /// The memory that contains an address, and the address's offset in it.
    #[must_use]
    pub fn find(pointer: *const u8) -> Option<(Self, u64)> {
        Self::at(pointer as u64)
    }

    /// As for [`Self::find`].
    pub(crate) fn at(address: u64) -> Option<(Self, u64)> {
        let known = registry();
        let (start, memory) = known.range(..=address).next_back()?;
        let offset = address - start;
        (offset < memory.size()).then(|| (memory.clone(), offset))
    }

    /// Takes the memory that begins at an address out of the registry. False if none does.
    pub fn release(pointer: *const u8) -> bool {
        let released = registry().remove(&(pointer as u64));
        released.is_some()
    }

    /// The first byte.
    #[must_use]
    pub fn pointer(&self) -> *mut u8 {
        // Shared memory has its bytes from the beginning.
        self.buffer.address().unwrap_or(std::ptr::null_mut())
    }

    /// The size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.buffer.size()
    }

    /// What kind it is.
    #[must_use]
    pub fn kind(&self) -> SharedKind {
        self.kind
    }

    /// The alignment that it was asked for.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// The memory as a buffer.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_find_their_memory() {
        let one = SharedMemory::allocate(SharedKind::SvmFine, 100, 0).unwrap();
        let two = SharedMemory::allocate(SharedKind::UsmDevice, 5000, 1 << 14).unwrap();
        assert_eq!(two.pointer() as u64 % (1 << 14), 0);
        let (found, offset) = SharedMemory::find(one.pointer().wrapping_add(99)).unwrap();
        assert_eq!((found.pointer(), found.kind(), offset), (one.pointer(), SharedKind::SvmFine, 99));
        let inside = two.pointer().wrapping_add(4999);
        assert_eq!(SharedMemory::find(inside).map(|(_, offset)| offset), Some(4999));
        assert!(!SharedMemory::release(inside));
        assert!(SharedMemory::release(two.pointer()));
        assert!(SharedMemory::find(inside).is_none_or(|(other, _)| other.pointer() != two.pointer()));
        assert!(!SharedMemory::release(two.pointer()));
        assert!(SharedMemory::release(one.pointer()));
    }

    #[test]
    fn impossible_requests_are_errors() {
        let ask = |bytes, alignment| SharedMemory::allocate(SharedKind::SvmCoarse, bytes, alignment);
        assert_eq!(ask(0, 0).unwrap_err(), BufferError::ZeroSize);
        assert_eq!(ask(8, 24).unwrap_err(), BufferError::Alignment(24));
        assert!(matches!(ask(1 << 60, 0).unwrap_err(), BufferError::OutOfMemory(_)));
    }
}
