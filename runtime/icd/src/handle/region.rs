//! The region of slots: addresses that are reserved once, and never given back.
//!
//! On entry any number; on exit the slot of that address, or none. Slots that were freed are taken again only when
//! [`RESTING`] others were freed after them, so that a handle that is used too late is told for a while. Does not know objects.

use std::collections::VecDeque;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::count::Count;
use crate::table;

/// What a handle leads to. Slots begin at cache lines, so that counting references to one does not disturb others.
#[repr(C, align(64))]
pub(super) struct Slot {
    pub(super) dispatch: AtomicPtr<table::Table>,
    /// Whether there is an object, and what holds it.
    pub(super) count: Count,
    /// The object, a `Live<T>`, for who holds a reference.
    pub(super) body: AtomicPtr<()>,
    /// Of which kind it is.
    pub(super) kind: AtomicU32,
    /// The application's references. Together they are one of `count`.
    pub(super) references: AtomicU32,
}

/// See above.
pub(super) struct Region {
    base: *mut Slot,
    /// Slots that fit the reserved addresses.
    capacity: usize,
    /// Slots whose memory is there: only they are ever read.
    ready: AtomicUsize,
    free: Mutex<Free>,
}

/// Slots without an object.
#[derive(Default)]
struct Free {
    /// Those that can be taken.
    slots: Vec<usize>,
    /// Those whose objects have gone last.
    resting: VecDeque<usize>,
}

/// Slots that rest before they are taken again.
const RESTING: usize = 64;

// SAFETY: the base is an address that never changes; what is behind it are atomics.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

/// Addresses to reserve: nothing but numbers until they are used. Less is tried where the process may have less.
const RESERVE: usize = 8 << 30;
/// Bytes of slots that are made ready at a time.
const STEP: usize = 64 << 10;

static REGION: OnceLock<Option<Region>> = OnceLock::new();

/// The lock of the region's free slots, to keep all others from it.
pub(crate) fn lock() -> impl std::any::Any {
    Region::get().map(|region| region.free.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Region {
    pub(super) fn get() -> Option<&'static Region> {
        REGION.get_or_init(Region::reserve).as_ref()
    }

    fn reserve() -> Option<Region> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let mut bytes = RESERVE;
        while bytes >= STEP {
            // SAFETY: an anonymous mapping at an address of the system's choice touches no memory of ours.
            let base = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
            if base != libc::MAP_FAILED {
                let (capacity, ready) = (bytes / size_of::<Slot>(), AtomicUsize::new(0));
                return Some(Region { base: base.cast(), capacity, ready, free: Mutex::default() });
            }
            bytes /= 2;
        }
        None
    }

    /// The slot of this address, if it is one.
    pub(super) fn slot(&self, address: usize) -> Option<&'static Slot> {
        let offset = address.wrapping_sub(self.base as usize);
        // Acquire pairs with the release in `take`: the memory of ready slots is there.
        let index = offset / size_of::<Slot>();
        if !offset.is_multiple_of(size_of::<Slot>()) || index >= self.ready.load(Ordering::Acquire) {
            return None;
        }
        let slot = self.base.wrapping_add(index);
        // SAFETY: ready slots are zeroed memory, which is a valid slot, and are never unmapped.
        Some(unsafe { &*slot })
    }

    /// A slot without an object, for the caller alone to begin one.
    pub(super) fn take(&self) -> Option<&'static Slot> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let index = match free.slots.pop() {
            Some(index) => index,
            None => {
                // Relaxed: changed under the lock only.
                let ready = self.ready.load(Ordering::Relaxed);
                let more = (STEP / size_of::<Slot>()).min(self.capacity - ready);
                let start = self.base.wrapping_add(ready);
                let protection = libc::PROT_READ | libc::PROT_WRITE;
                let bytes = more * size_of::<Slot>();
                // SAFETY: the pages lie inside the reserved region, and hold nothing yet.
                if more == 0 || unsafe { libc::mprotect(start.cast(), bytes, protection) } != 0 {
                    return None;
                }
                free.slots.extend((ready + 1..ready + more).rev());
                // Release: see `slot`.
                self.ready.store(ready + more, Ordering::Release);
                ready
            }
        };
        drop(free);
        self.slot(self.base.wrapping_add(index) as usize)
    }

    /// Gives a slot back whose object has ended.
    pub(super) fn put(&self, slot: &'static Slot) {
        if slot.count.is_used_up() {
            return;
        }
        let index = (ptr::from_ref(slot) as usize - self.base as usize) / size_of::<Slot>();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.resting.push_back(index);
        if free.resting.len() > RESTING
            && let Some(rested) = free.resting.pop_front()
        {
            free.slots.push(rested);
        }
    }
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Slot>() == 64);
