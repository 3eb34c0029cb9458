//! Device memory ([`Allocation`]), and memory of the host program ([`HostSpan`]).

use std::ptr::NonNull;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Capabilities;
use crate::error::DriverError;

/// What an allocation must offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocationRequest {
    /// Size in bytes, at least 1.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub alignment: u64,
    /// Memory of the host program that the device should use in place, where it can (`CL_MEM_USE_HOST_PTR`).
    pub host: Option<HostSpan>,
}

impl AllocationRequest {
    /// A request for `size` bytes at the alignment of the widest OpenCL type.
    #[must_use]
    pub fn bytes(size: u64) -> AllocationRequest {
        AllocationRequest { size, alignment: oxcl_binary::abi::MAX_ALIGNMENT as u64, host: None }
    }
}

/// A piece of device memory, owned by who holds it; it goes back through [`crate::Driver::free`].
#[derive(Debug)]
pub struct Allocation {
    /// Size in bytes.
    pub size: u64,
    /// The device's address of the first byte.
    pub address: u64,
    /// Where the host can reach the same bytes, for devices in the host's address space.
    pub host: Option<HostSpan>,
    /// The driver's own.
    pub token: u64,
}

impl Allocation {
    /// Checks that `offset..offset+length` lies inside.
    pub fn check(&self, offset: u64, length: u64) -> Result<(), DriverError> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(DriverError::OutOfRange { offset, length, size: self.size }),
        }
    }

    /// The same allocation once more: for operations that keep it, and for drivers that are given it back by who shares it. It
    /// still goes back once.
    #[must_use]
    pub fn again(&self) -> Allocation {
        let Allocation { size, address, host, token } = *self;
        Allocation { size, address, host, token }
    }

    /// The host's view of `offset..offset+length`.
    pub fn host_span(&self, offset: u64, length: u64) -> Result<HostSpan, DriverError> {
        self.check(offset, length)?;
        let span =
            self.host.ok_or_else(|| DriverError::unsupported("this device", "direct access by the host"))?;
        span.part(offset, length)
    }
}

/// Addresses for allocations of devices where only the device knows the place: names, aligned, and apart from all others.
#[derive(Debug)]
pub struct Names(AtomicU64);

impl Names {
    /// Names for a device with such an alignment.
    #[must_use]
    pub fn new(capabilities: &Capabilities) -> Names {
        Names(AtomicU64::new(capabilities.base_alignment))
    }

    /// A name for what is requested.
    ///
    /// # Errors
    /// The device can have no such allocation, however empty it is.
    pub fn next(&self, request: &AllocationRequest, capabilities: &Capabilities) -> Result<u64, DriverError> {
        let (size, available) = (request.size, capabilities.max_allocation);
        if size == 0 || size > available || request.alignment > capabilities.base_alignment {
            return Err(DriverError::OutOfMemory { needed: size, available });
        }
        // Relaxed: it only has to differ from all others.
        Ok(self.0.fetch_add(size.next_multiple_of(capabilities.base_alignment), Ordering::Relaxed))
    }
}

/// Bytes that a device has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryCounters {
    /// Copied in by commands.
    pub uploaded: u64,
    /// Copied out by commands.
    pub downloaded: u64,
    /// Copied in from another device.
    pub device_to_device: u64,
    /// Copied out because memory was short.
    pub paged_out: u64,
    /// Copied in again.
    pub paged_in: u64,
    /// Moved within the memory to make room.
    pub moved: u64,
    /// Given up without copying, because the content is elsewhere too or undefined.
    pub clobbered: u64,
}

/// Memory that the host program owns: an address and a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostSpan {
    address: NonNull<u8>,
    length: u64,
}

// SAFETY: a span is an address; whoever makes one promises in `HostSpan::new` that the bytes may be used from the
// thread that executes the command.
unsafe impl Send for HostSpan {}
// SAFETY: as for Send.
unsafe impl Sync for HostSpan {}

impl HostSpan {
    /// Names `length` bytes at `address`.
    ///
    /// # Safety
    /// Until the last command that was given the span has ended, the bytes stay allocated, may be read and (where the
    /// command writes them) written from any thread, and nothing else accesses them in a way that races.
    #[must_use]
    pub unsafe fn new(address: NonNull<u8>, length: u64) -> HostSpan {
        HostSpan { address, length }
    }

    /// The first byte.
    #[must_use]
    pub fn pointer(self) -> *mut u8 {
        self.address.as_ptr()
    }

    /// Number of bytes.
    #[must_use]
    pub fn length(self) -> u64 {
        self.length
    }

    /// `offset..offset+length` of this span.
    pub fn part(self, offset: u64, length: u64) -> Result<HostSpan, DriverError> {
        let out = || DriverError::OutOfRange { offset, length, size: self.length };
        if offset.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(out());
        }
        let offset = usize::try_from(offset).map_err(|_| out())?;
        // SAFETY: the offset was just checked to stay within the span, which is one allocation by `new`'s promise.
        let address = unsafe { self.address.add(offset) };
        Ok(HostSpan { address, length })
    }

    /// Copies all of `from` here; the lengths are equal. Ranges may overlap.
    pub fn copy_from(self, from: HostSpan) {
        debug_assert_eq!(self.length, from.length, "the callers give equal lengths");
        let length = usize::try_from(self.length.min(from.length)).unwrap_or(usize::MAX);
        // SAFETY: both spans are valid for `length` bytes by `new`'s promise; `copy` allows overlap.
        unsafe { std::ptr::copy(from.pointer(), self.pointer(), length) }
    }
}
