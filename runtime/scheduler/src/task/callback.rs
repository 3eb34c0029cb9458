//! Functions to be called when a task reaches a point, and lists of them. All memory that a call needs is had when the
//! function is registered: when the point is reached nothing can fail any more.

use std::fmt;
use std::ptr::NonNull;

use oxcl_driver::EventId;
use oxcl_driver::error::Outcome;

use super::notice::{Kind, Notice};
use crate::event::Stage;
use crate::faults::try_box;
use crate::queue::EnqueueError;

/// A function to call with the event and how it ended.
type Callback = Box<dyn FnOnce(EventId, &Outcome) + Send>;

/// A function, as an entry in a task's list or in a [`Callbacks`].
#[repr(C)]
pub(crate) struct CallbackNotice {
    notice: Notice,
    next: Option<NonNull<CallbackNotice>>,
    call: Callback,
    /// Of those that wait for a stage before completion: which.
    pub(crate) stage: Stage,
    /// Filled in at the delivery.
    pub(crate) ended: Option<(EventId, Outcome)>,
}

impl CallbackNotice {
    /// Calls the function.
    pub(crate) fn call(self, event: EventId, outcome: &Outcome) {
        (self.call)(event, outcome);
    }
}

/// A function that can be registered for an event's end without needing memory then.
pub struct Prepared(pub(crate) Box<CallbackNotice>);

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}

impl Prepared {
    /// Gets the memory.
    ///
    /// # Errors
    /// [`EnqueueError::OutOfHostMemory`], and the function is dropped.
    pub fn new(call: impl FnOnce(EventId, &Outcome) + Send + 'static) -> Result<Prepared, EnqueueError> {
        let call = try_box(call).map_err(|_| EnqueueError::OutOfHostMemory)?;
        let notice = Notice::new(Kind::Callback, None);
        let callback = CallbackNotice { notice, next: None, call, stage: Stage::Complete, ended: None };
        try_box(callback).map(Prepared).map_err(|_| EnqueueError::OutOfHostMemory)
    }
}

/// Functions that are in no task's list of entries: first in, first out.
#[derive(Debug, Default)]
pub(crate) struct Callbacks {
    ends: Option<(NonNull<CallbackNotice>, NonNull<CallbackNotice>)>,
}

// SAFETY: the list owns its entries, and functions are Send.
unsafe impl Send for Callbacks {}

impl Callbacks {
    pub(crate) const EMPTY: Callbacks = Callbacks { ends: None };

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_none()
    }

    /// Adds at the end.
    pub(crate) fn push(&mut self, callback: Box<CallbackNotice>) {
        let mut callback = callback;
        callback.next = None;
        let at = NonNull::from(Box::leak(callback));
        self.append(Callbacks { ends: Some((at, at)) });
    }

    /// Adds at the front.
    pub(crate) fn push_front(&mut self, callback: Box<CallbackNotice>) {
        let rest = std::mem::take(self);
        self.push(callback);
        self.append(rest);
    }

    /// Adds all of `other` at the end.
    pub(crate) fn append(&mut self, mut other: Callbacks) {
        let Some((first, last)) = other.ends.take() else { return };
        self.ends = Some(match self.ends {
            None => (first, last),
            Some((head, mut tail)) => {
                // SAFETY: the entry is this list's own.
                unsafe { tail.as_mut() }.next = Some(first);
                (head, last)
            }
        });
    }

    /// Takes the first.
    pub(crate) fn pop(&mut self) -> Option<Box<CallbackNotice>> {
        let (first, last) = self.ends?;
        // SAFETY: the entry is a leaked box, this list's own, and leaves it here.
        let callback = unsafe { Box::from_raw(first.as_ptr()) };
        self.ends = callback.next.map(|next| (next, last));
        Some(callback)
    }
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn a_list_keeps_the_order_and_drops_what_is_left() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let callback = |number: u64| {
            let seen = Arc::clone(&seen);
            Prepared::new(move |_, _| seen.lock().unwrap().push(number)).unwrap().0
        };
        let (mut list, mut more) = (Callbacks::EMPTY, Callbacks::EMPTY);
        list.push(callback(2));
        list.push_front(callback(1));
        more.push(callback(3));
        more.push(callback(4));
        list.append(more);
        list.append(Callbacks::EMPTY);
        list.push(callback(5));
        while let Some(callback) = list.pop() {
            callback.call(EventId(1), &Ok(()));
        }
        assert!(list.is_empty());
        assert_eq!(*seen.lock().unwrap(), [1, 2, 3, 4, 5]);
        list.push(callback(6));
        list.push(callback(7));
        drop(list);
        assert_eq!(Arc::strong_count(&seen), 1);
    }

    #[test]
    fn each_part_of_a_function_may_find_no_memory() {
        for refused in 0..2 {
            let held = Arc::new(());
            let holds = Arc::clone(&held);
            crate::faults::refuse_after(Some(refused));
            assert!(Prepared::new(move |_, _| drop(holds)).is_err());
            assert!(crate::faults::refuse_after(None));
            assert_eq!(Arc::strong_count(&held), 1);
        }
    }
}
