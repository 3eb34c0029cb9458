//! Handles: what an application holds of an object, and how a wrong one is told from a right one.
//!
//! A handle is the address of a *slot* in one region that is reserved once and never given back. The slot begins with
//! the pointer to the dispatch table, as the ICD loader demands, and says which kind of object it stands for, or none.
//! So any number can be checked: it is a slot's address or it is not, and reading a slot is always possible. Objects
//! themselves are `Arc`s: what the runtime holds of one another keeps them alive, and the application's references,
//! counted in the slot, hold one of them together. An object's slot is free once the object is gone and a few others have
//! gone after it.
//!
//! On entry handles are as the application gave them; on exit they are references that keep live objects alive, or the
//! kind's own `CL_INVALID_…`. An application that releases an object in one thread while another uses it breaks a rule of
//! the specification; the one that comes too late gets the error. Slots keep the memory of objects that have gone (not the
//! objects) until [`RESTING`] others have gone, so that a thread that has just looked at a slot finds nothing else there.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::cl;
use crate::status::{Answer, Status};
use crate::table;
use crate::types::{Int, Uint};

/// A kind of object.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    /// Tells the kind; no two kinds have the same, none has 0.
    const TAG: u32;
    /// What a function returns for a handle that is none of this kind.
    const INVALID: Int;

    /// Called when nothing refers to the object any more, while its handle still is its name.
    fn gone(&mut self, _handle: Handle<Self>) {}
}

/// A handle as the application holds it.
#[repr(transparent)]
pub(crate) struct Handle<T>(*mut Slot, PhantomData<fn() -> T>);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// What a handle leads to. Slots begin at cache lines, so that counting references to one does not disturb others.
#[repr(C, align(64))]
struct Slot {
    dispatch: AtomicPtr<table::Table>,
    /// The kind of the object, 0 where there is none.
    tag: AtomicU32,
    /// The application's references. Together they hold one count of the `Arc`.
    references: AtomicU32,
    /// The object, a `Live<T>` inside an `Arc`, of which this is a weak reference.
    body: AtomicPtr<()>,
    /// Drops that reference.
    forget: AtomicPtr<()>,
}

/// The region of slots.
struct Region {
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
    /// Those whose objects have gone last, with the memory of these.
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
    fn get() -> Option<&'static Region> {
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
    fn slot(&self, address: usize) -> Option<&'static Slot> {
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

    fn take(&self) -> Option<&'static Slot> {
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

    fn put(&self, slot: &'static Slot) {
        let index = (ptr::from_ref(slot) as usize - self.base as usize) / size_of::<Slot>();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.resting.push_back(index);
        if free.resting.len() <= RESTING {
            return;
        }
        let Some(rested) = free.resting.pop_front() else { return };
        if let Some(slot) = self.slot(self.base.wrapping_add(rested) as usize) {
            let body = slot.body.swap(ptr::null_mut(), Ordering::Relaxed);
            let forget = slot.forget.load(Ordering::Relaxed);
            // SAFETY: `Live::new` put a function of this type there, with the body that it is for.
            let forget = unsafe { std::mem::transmute::<*mut (), unsafe fn(*const ())>(forget) };
            // SAFETY: the weak reference is the slot's, and the slot has just given it up.
            unsafe { forget(body) };
        }
        free.slots.push(rested);
    }
}

/// Drops the weak reference of a slot.
///
/// # Safety
/// `body` is from `Weak::<Live<T>>::into_raw`, and nobody uses it after this.
unsafe fn forget<T: Object>(body: *const ()) {
    // SAFETY: by the caller's promise.
    drop(unsafe { Weak::from_raw(body.cast::<Live<T>>()) });
}

/// An object with its slot.
pub(crate) struct Live<T: Object> {
    slot: &'static Slot,
    value: T,
}

/// A reference to an object that keeps it alive.
pub(crate) type Shared<T> = Arc<Live<T>>;

impl<T: Object> Deref for Live<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Object> Drop for Live<T> {
    fn drop(&mut self) {
        let handle = self.handle();
        self.value.gone(handle);
        // Release: whoever finds the slot taken again sees a new object.
        self.slot.tag.store(0, Ordering::Release);
        if let Some(region) = Region::get() {
            region.put(self.slot);
        }
    }
}

impl<T: Object> Live<T> {
    /// Makes an object. The application has no reference to it yet.
    pub(crate) fn new(value: T) -> Answer<Shared<T>> {
        let slot = Region::get().and_then(Region::take).ok_or(Status(cl::OUT_OF_HOST_MEMORY))?;
        let live = Arc::new(Live { slot, value });
        slot.dispatch.store(ptr::from_ref(table::dispatch()).cast_mut(), Ordering::Relaxed);
        slot.references.store(0, Ordering::Relaxed);
        slot.body.store(Weak::into_raw(Arc::downgrade(&live)).cast_mut().cast(), Ordering::Relaxed);
        slot.forget.store(forget::<T> as unsafe fn(*const ()) as *mut (), Ordering::Relaxed);
        // Release pairs with the acquire in `Handle::get`: the rest of the slot is set.
        slot.tag.store(T::TAG, Ordering::Release);
        Ok(live)
    }

    /// The application's name for it; gives no reference.
    pub(crate) fn handle(&self) -> Handle<T> {
        Handle(ptr::from_ref(self.slot).cast_mut(), PhantomData)
    }

    /// The application's references.
    pub(crate) fn references(&self) -> Uint {
        // Relaxed: a number for the curious, stale as soon as it is read.
        self.slot.references.load(Ordering::Relaxed)
    }

    /// Gives the application a reference.
    pub(crate) fn give(self: Arc<Self>) -> Handle<T> {
        let handle = self.handle();
        // Acquire and release: the count of the `Arc` follows the count in the slot.
        if self.slot.references.fetch_add(1, Ordering::AcqRel) == 0 {
            // The application's references hold this count until the last of them goes.
            std::mem::forget(self);
        }
        handle
    }
}

impl<T> Handle<T> {
    pub(crate) const NULL: Self = Self(ptr::null_mut(), PhantomData);

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The number that it is.
    pub(crate) fn address(self) -> usize {
        self.0 as usize
    }
}

impl<T: Object> Handle<T> {
    /// The object, kept alive.
    pub(crate) fn get(self) -> Answer<Shared<T>> {
        let slot = Region::get().and_then(|region| region.slot(self.0 as usize)).ok_or(Status(T::INVALID))?;
        // Acquire pairs with the release in `Live::new`.
        if slot.tag.load(Ordering::Acquire) != T::TAG {
            return Err(Status(T::INVALID));
        }
        let body: *const Live<T> = slot.body.load(Ordering::Relaxed).cast();
        // SAFETY: the tag says that the body is a `Live<T>`; the slot's weak reference keeps its memory, now and for a
        // while after the object has gone.
        let known = ManuallyDrop::new(unsafe { Weak::from_raw(body) });
        known.upgrade().ok_or(Status(T::INVALID))
    }

    /// One reference of the application more.
    pub(crate) fn retain(self) -> Answer {
        self.get()?.give();
        Ok(())
    }

    /// One reference of the application less.
    pub(crate) fn release(self) -> Answer {
        let object = self.get()?;
        let count = &object.slot.references;
        // Acquire and release: the last one sees what the others did.
        let before = count.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| count.checked_sub(1));
        match before {
            Err(_) => Err(Status(T::INVALID)),
            Ok(1) => {
                // SAFETY: the application's references held this count, and there is none of them any more.
                drop(unsafe { Arc::from_raw(Arc::as_ptr(&object)) });
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing;

    impl Object for Thing {
        const TAG: u32 = 0x7e57;
        const INVALID: Int = -1000;
    }

    #[test]
    fn wrong_handles_are_told() {
        let handle = Live::new(Thing).unwrap().give();
        assert!(handle.get().is_ok());
        assert!(Handle::<Thing>::NULL.get().is_err());
        let near = Handle::<Thing>(handle.0.cast::<u8>().wrapping_add(8).cast(), PhantomData);
        assert!(near.get().is_err(), "inside a slot");
        let next = Handle::<Thing>(handle.0.wrapping_add(1), PhantomData);
        assert!(next.get().is_err(), "a free slot");
        let wild = Handle::<Thing>(ptr::without_provenance_mut(0xdead_beef_0000), PhantomData);
        assert_eq!(wild.get().err(), Some(Status(-1000)));
        handle.release().unwrap();
        assert!(handle.get().is_err(), "released");
        assert!(handle.release().is_err(), "released twice");
    }

    #[test]
    fn threads_that_come_too_late_are_told() {
        struct Counted(Arc<AtomicUsize>, [u64; 4]);
        impl Object for Counted {
            const TAG: u32 = 0x7e58;
            const INVALID: Int = -1001;
        }
        impl Drop for Counted {
            fn drop(&mut self) {
                self.1 = [0; 4];
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let dropped = Arc::new(AtomicUsize::new(0));
        let current = AtomicPtr::new(ptr::null_mut::<Slot>());
        let rounds = 20_000;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    loop {
                        let handle = Handle::<Counted>(current.load(Ordering::Acquire), PhantomData);
                        if handle.address() == 1 {
                            break;
                        }
                        if let Ok(object) = handle.get() {
                            assert_eq!(object.1, [7; 4]);
                            // Also one that is not this thread's to release.
                            let _ = handle.release();
                        }
                    }
                });
            }
            for _ in 0..rounds {
                let handle = Live::new(Counted(Arc::clone(&dropped), [7; 4])).unwrap().give();
                current.store(handle.0, Ordering::Release);
                let _ = handle.release();
            }
            current.store(ptr::without_provenance_mut(1), Ordering::Release);
        });
        assert_eq!(dropped.load(Ordering::Relaxed), rounds);
    }

    #[test]
    fn references_and_holders_keep_an_object() {
        let held = Live::new(Thing).unwrap();
        let handle = Arc::clone(&held).give();
        handle.retain().unwrap();
        assert_eq!(held.references(), 2);
        handle.release().unwrap();
        handle.release().unwrap();
        assert!(handle.release().is_err());
        assert!(handle.get().is_ok(), "something else holds it");
        handle.retain().unwrap();
        drop(held);
        assert!(handle.get().is_ok(), "the application holds it again");
        handle.release().unwrap();
        assert!(handle.get().is_err());
    }
}
