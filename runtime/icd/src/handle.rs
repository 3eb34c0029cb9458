//! Handles: what an application holds of an object, and how a wrong one is told from a right one.
//!
//! A handle is the address of a *slot* in one region that is reserved once and never given back ([`region`]). The slot begins
//! with the pointer to the dispatch table, as the ICD loader demands, and says which kind of object it stands for, or none, and
//! how many references keep that ([`count`]). So any number can be checked: it is a slot's address or it is not, and reading a
//! slot is always possible. What the runtime holds of one another are references ([`shared`]), and the application's, counted
//! in the slot, are one of them together. An object's slot is free once the object is gone and a few others have gone after it.
//!
//! On entry handles are as the application gave them; on exit they are references that keep live objects alive, or the
//! kind's own `CL_INVALID_…`. An application that releases an object in one thread while another uses it breaks a rule of
//! the specification; the one that comes too late gets the error. To find an object is one exchange of the slot's word, before
//! which nothing of the object is read: it does not matter how long the one that comes too late is interrupted, and what
//! has become of the slot meanwhile.

mod count;
mod region;
mod shared;

use std::marker::PhantomData;
use std::ptr;

use self::region::{Region, Slot};
use crate::status::{Answer, Status};
use crate::types::Int;

pub(crate) use self::region::lock;
pub(crate) use self::shared::{Live, Shared, Weak};

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
        let slot = Region::get().and_then(|region| region.slot(self.address()));
        slot.and_then(Shared::of).ok_or(Status(T::INVALID))
    }

    /// One reference of the application more.
    pub(crate) fn retain(self) -> Answer {
        self.get()?.give();
        Ok(())
    }

    /// One reference of the application less.
    pub(crate) fn release(self) -> Answer {
        self.get()?.take_back()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

    use super::*;

    struct Thing;

    impl Object for Thing {
        const TAG: u32 = 0x7e57;
        const INVALID: Int = -1000;
    }

    #[test]
    fn wrong_handles_are_told() {
        let handle = Live::begin(Thing).unwrap().give();
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
                let handle = Live::begin(Counted(Arc::clone(&dropped), [7; 4])).unwrap().give();
                current.store(handle.0, Ordering::Release);
                let _ = handle.release();
            }
            current.store(ptr::without_provenance_mut(1), Ordering::Release);
        });
        assert_eq!(dropped.load(Ordering::Relaxed), rounds);
    }

    /// Handles of any age, most of them of objects that have gone, in slots that have become others: each look finds nothing,
    /// or an object of the kind that is alive.
    #[test]
    fn threads_that_come_much_too_late_find_objects_of_the_kind_or_nothing() {
        struct Zeroed<const KIND: u32>([u64; 4]);
        impl<const KIND: u32> Object for Zeroed<KIND> {
            const TAG: u32 = KIND;
            const INVALID: Int = -1003;
        }
        impl<const KIND: u32> Drop for Zeroed<KIND> {
            fn drop(&mut self) {
                self.0 = [0; 4];
            }
        }
        type One = Zeroed<0x7e5a>;
        type Other = Zeroed<0x7e5b>;
        let past: Vec<AtomicPtr<Slot>> = (0..200).map(|_| AtomicPtr::default()).collect();
        let rounds = AtomicUsize::new(0);
        let all = 40_000;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while rounds.load(Ordering::Relaxed) < all {
                        for place in &past {
                            let slot = place.load(Ordering::Acquire);
                            if let Ok(object) = Handle::<One>(slot, PhantomData).get() {
                                assert_eq!(object.0, [1; 4]);
                            }
                            if let Ok(object) = Handle::<Other>(slot, PhantomData).get() {
                                assert_eq!(object.0, [2; 4]);
                            }
                        }
                    }
                });
            }
            for round in 0..all {
                let released = if round % 3 == 0 {
                    let handle = Live::<Other>::begin(Zeroed([2; 4])).unwrap().give();
                    past[round % past.len()].store(handle.0, Ordering::Release);
                    handle.release()
                } else {
                    let handle = Live::<One>::begin(Zeroed([1; 4])).unwrap().give();
                    past[round % past.len()].store(handle.0, Ordering::Release);
                    handle.release()
                };
                released.unwrap();
                rounds.store(round + 1, Ordering::Relaxed);
            }
        });
    }

    #[test]
    fn who_only_knows_an_object_does_not_take_another_for_it() {
        let first = Live::begin(Thing).unwrap();
        let (known, handle) = (first.downgrade(), first.handle());
        assert!(known.is_live() && known.upgrade().is_some() && known == first.downgrade());
        assert!(first.into_inner().is_some_and(|last| last.references() == 0), "nothing else held it");
        assert!(!known.is_live() && known.upgrade().is_none() && handle.get().is_err());
        // Other tests take slots too, so it may take some time.
        let next = (0..1_000_000).map(|_| Live::begin(Thing).unwrap()).find(|next| next.handle() == handle);
        let next = next.expect("a slot is taken again");
        assert!(handle.get().is_ok_and(|found| found == next), "as good as it gets");
        assert!(!known.is_live() && known.upgrade().is_none() && known != next.downgrade());
    }

    #[test]
    fn references_and_holders_keep_an_object() {
        let held = Live::begin(Thing).unwrap();
        let handle = held.clone().give();
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
