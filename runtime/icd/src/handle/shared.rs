//! References to objects: those that keep one alive, and those that only know it.
//!
//! The references are counted in the object's slot ([`Count`](super::count::Count)), whose memory is always there, and the object
//! goes, its memory with it, when the last one does. The application's references together are one of them.

use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering;

use super::count::Generation;
use super::region::{Region, Slot};
use super::{Handle, Object};
use crate::cl;
use crate::status::{Answer, Status};
use crate::table;
use crate::types::Uint;

/// An object with its slot.
pub(crate) struct Live<T: Object> {
    slot: &'static Slot,
    value: T,
}

/// A reference to an object that keeps it alive.
pub(crate) struct Shared<T: Object> {
    live: NonNull<Live<T>>,
    /// The object's, so that references are counted without a look at it.
    slot: &'static Slot,
    owns: PhantomData<Live<T>>,
}

// SAFETY: as those of `std::sync::Arc`: references in several threads give `&T` only, and the last one, wherever it is, the
// object; an `Object` is `Send` and `Sync`.
unsafe impl<T: Object> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Object> Sync for Shared<T> {}

/// A reference to an object that does not keep it alive.
pub(crate) struct Weak<T> {
    slot: &'static Slot,
    generation: Generation,
    kind: PhantomData<fn() -> T>,
}

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
        if let Some(region) = Region::get() {
            region.put(self.slot);
        }
    }
}

impl<T: Object> Live<T> {
    /// Makes an object. The application has no reference to it yet.
    pub(crate) fn begin(value: T) -> Answer<Shared<T>> {
        let slot = Region::get().and_then(Region::take).ok_or(Status(cl::OUT_OF_HOST_MEMORY))?;
        let live = NonNull::from(Box::leak(Box::new(Live { slot, value })));
        // Relaxed: `begin` publishes all of it.
        slot.dispatch.store(ptr::from_ref(table::dispatch()).cast_mut(), Ordering::Relaxed);
        slot.references.store(0, Ordering::Relaxed);
        slot.body.store(live.as_ptr().cast(), Ordering::Relaxed);
        slot.kind.store(T::TAG, Ordering::Relaxed);
        slot.count.begin();
        Ok(Shared { live, slot, owns: PhantomData })
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
}

impl<T: Object> Deref for Shared<T> {
    type Target = Live<T>;

    fn deref(&self) -> &Live<T> {
        // SAFETY: this reference keeps the object, and nobody has it to change.
        unsafe { self.live.as_ref() }
    }
}

impl<T: Object> Clone for Shared<T> {
    fn clone(&self) -> Self {
        self.slot.count.more();
        Self { live: self.live, slot: self.slot, owns: PhantomData }
    }
}

impl<T: Object> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.slot.count.leave() {
            // SAFETY: `Live::begin` took it from a box, and this was the last reference.
            drop(unsafe { Box::from_raw(self.live.as_ptr()) });
        }
    }
}

impl<T: Object> PartialEq for Shared<T> {
    /// Whether they are references to the same object.
    fn eq(&self, other: &Self) -> bool {
        self.live == other.live
    }
}

impl<T: Object> Shared<T> {
    /// A reference to the slot's object, if that is of this kind.
    pub(super) fn of(slot: &'static Slot) -> Option<Self> {
        Self::find(slot, |_| true)
    }

    /// A reference to the slot's object, if that is of this kind and the wanted one.
    fn find(slot: &'static Slot, is_wanted: impl Fn(Generation) -> bool) -> Option<Self> {
        // Relaxed: see `Count::enter`.
        let live = slot.count.enter(|generation| {
            let is = is_wanted(generation) && slot.kind.load(Ordering::Relaxed) == T::TAG;
            if is { NonNull::new(slot.body.load(Ordering::Relaxed).cast::<Live<T>>()) } else { None }
        })?;
        Some(Self { live, slot, owns: PhantomData })
    }

    /// A reference that does not keep the object.
    pub(crate) fn downgrade(&self) -> Weak<T> {
        Weak { slot: self.slot, generation: self.slot.count.generation(), kind: PhantomData }
    }

    /// The object, if this was the last reference to it.
    pub(crate) fn into_inner(self) -> Option<Box<Live<T>>> {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `Live::begin` took it from a box, and this was the last reference.
        this.slot.count.leave().then(|| unsafe { Box::from_raw(this.live.as_ptr()) })
    }

    /// Gives the application a reference.
    pub(crate) fn give(self) -> Handle<T> {
        let handle = self.handle();
        // Acquire and release: the reference that is kept for the application's follows their number.
        if self.slot.references.fetch_add(1, Ordering::AcqRel) == 0 {
            // The application's references hold this one until the last of them goes.
            std::mem::forget(self);
        }
        handle
    }

    /// Takes a reference of the application's away.
    pub(super) fn take_back(self) -> Answer {
        // Acquire and release: the last one sees what the others did.
        let taken = self
            .slot
            .references
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| count.checked_sub(1));
        match taken {
            Err(_) => Err(Status(T::INVALID)),
            Ok(1) => {
                // It is the one that `give` has left, and there is none of the application's any more.
                drop(Self { live: self.live, slot: self.slot, owns: PhantomData });
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }
}

impl<T> Clone for Weak<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Weak<T> {}

impl<T> PartialEq for Weak<T> {
    /// Whether they are references to the same object, of which there may be nothing any more.
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.slot, other.slot) && self.generation == other.generation
    }
}

impl<T: Object> Weak<T> {
    /// Whether there was such an object a moment ago.
    pub(crate) fn is_live(&self) -> bool {
        self.slot.count.is_live(self.generation)
    }

    /// The object, kept alive, if it is still there.
    pub(crate) fn upgrade(&self) -> Option<Shared<T>> {
        Shared::find(self.slot, |generation| generation == self.generation)
    }
}
