//! The threads of the host program that wait for slot 0 while another one has it.
//!
//! No wake-up is lost: who waits enters the list, then a fence, then looks whether the slot is free; who leaves the slot
//! gives it up, then a fence, then looks at the list. One of the two sees the other. Mostly nobody waits, which the one who
//! leaves sees without the list's lock.

use std::sync::Arc;

use super::parker::Parker;
use crate::faults;
use crate::shim::{AtomicUsize, Mutex, Ordering, lock};

/// See the module's header.
#[derive(Debug)]
pub(super) struct Waiters {
    list: Mutex<Vec<Arc<Parker>>>,
    /// The list's length, to be read without the lock. Written with it.
    length: AtomicUsize,
}

impl Waiters {
    pub(super) fn new() -> Waiters {
        Waiters { list: Mutex::new(Vec::new()), length: AtomicUsize::new(0) }
    }

    /// Enters a thread, which looks once more, after a fence, before it sleeps. Whether there was memory for it.
    pub(super) fn add(&self, parker: &Arc<Parker>) -> bool {
        let mut list = lock(&self.list);
        let listed = faults::reserve(&mut list, 1).is_ok();
        if listed {
            list.push(Arc::clone(parker));
            // Relaxed, here and below: the fences that the header names order it.
            self.length.store(list.len(), Ordering::Relaxed);
        }
        listed
    }

    /// The thread does not wait any longer, whether or not it was woken.
    pub(super) fn remove(&self, parker: &Arc<Parker>) {
        let mut list = lock(&self.list);
        list.retain(|waiter| !Arc::ptr_eq(waiter, parker));
        self.length.store(list.len(), Ordering::Relaxed);
    }

    /// Wakes all, after a fence. Whether there were any.
    pub(super) fn wake_all(&self) -> bool {
        if self.length.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let mut list = lock(&self.list);
        let all = std::mem::take(&mut *list);
        self.length.store(0, Ordering::Relaxed);
        drop(list);
        all.iter().for_each(|waiter| waiter.unpark());
        !all.is_empty()
    }
}
