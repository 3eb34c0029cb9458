//! Who is told when a task reaches a point: a lock-free list that takes entries until it is closed, once.
//!
//! Entries are intrusive. A waiting task's entries live in that task, which cannot go away before every one of them
//! was delivered (each holds one count of `pending`). Entries for callbacks and threads are boxes that the delivery
//! frees, or passes on: nothing that a delivery does needs memory.

use std::ptr::NonNull;
use std::sync::Arc;

use super::callback::CallbackNotice;
use super::{Task, TaskPtr};
use crate::pool::parker::Parker;
use crate::shim::{AtomicPtr, Ordering, UnsafeCell};

/// What a delivery does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The target waits for one event less.
    Order = 0,
    /// The same, and a failure passes on to the target.
    Depend = 1,
    /// The same, and the target is a join.
    Join = 5,
    /// The target is the next in the queue: it may retire now.
    Chain = 2,
    /// The entry is a [`CallbackNotice`].
    Callback = 3,
    /// The entry is a [`ThreadNotice`].
    Thread = 4,
}

/// The linked part of an entry. The kind is in the low bits of the target, which tasks' alignment leaves free.
#[derive(Debug)]
pub(crate) struct Notice {
    next: UnsafeCell<*mut Notice>,
    target: *mut Task,
}

/// The bits of a target that hold the kind.
const KIND_MASK: usize = 7;

const _: () = assert!(align_of::<Task>() > KIND_MASK);

impl Notice {
    pub(crate) fn new(kind: Kind, target: Option<TaskPtr>) -> Notice {
        let target = target.map_or(std::ptr::null_mut(), TaskPtr::as_ptr);
        Notice {
            next: UnsafeCell::new(std::ptr::null_mut()),
            target: target.map_addr(|address| address | kind as usize),
        }
    }

    fn kind(&self) -> Kind {
        match self.target.addr() & KIND_MASK {
            0 => Kind::Order,
            1 => Kind::Depend,
            2 => Kind::Chain,
            3 => Kind::Callback,
            5 => Kind::Join,
            _ => Kind::Thread,
        }
    }

    fn target(&self) -> Option<TaskPtr> {
        TaskPtr::new(self.target.map_addr(|address| address & !KIND_MASK))
    }
}

/// An entry that wakes a thread.
#[repr(C)]
pub(crate) struct ThreadNotice {
    notice: Notice,
    parker: Arc<Parker>,
}

/// What became of a thread that wants to be woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Registered {
    /// It is woken when the list is closed.
    Yes,
    /// The list was closed.
    Closed,
    /// There is no memory for an entry: the thread has to look by itself.
    NoMemory,
}

/// The list.
#[derive(Debug)]
pub(crate) struct NoticeList {
    head: AtomicPtr<Notice>,
}

/// The head of a closed list.
fn closed() -> *mut Notice {
    std::ptr::without_provenance_mut(1)
}

impl NoticeList {
    pub(crate) fn new() -> NoticeList {
        NoticeList { head: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Adds an entry; false where the list was closed, and then the adder sees all that happened before.
    ///
    /// # Safety
    /// The entry stays where it is until it was delivered, and is in no other list.
    pub(crate) unsafe fn push(&self, notice: NonNull<Notice>) -> bool {
        // Pairs with the release half of the swap in `close`, for the case that it is closed.
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            if head == closed() {
                return false;
            }
            // SAFETY: the entry is the caller's until the exchange below publishes it.
            let entry = unsafe { notice.as_ref() };
            // SAFETY: as above: nobody else reads `next` yet.
            entry.next.with_mut(|next| unsafe { *next = head });
            // Release publishes the entry to `close`; acquire on failure as for the load above.
            match self.head.compare_exchange_weak(head, notice.as_ptr(), Ordering::Release, Ordering::Acquire)
            {
                Ok(_) => return true,
                Err(now) => head = now,
            }
        }
    }

    /// Adds a callback; gives it back where the list was closed.
    pub(crate) fn push_callback(&self, callback: Box<CallbackNotice>) -> Result<(), Box<CallbackNotice>> {
        let raw = NonNull::from(Box::leak(callback));
        // SAFETY: the box is leaked until its delivery, or taken back just below; the entry is its first field.
        if unsafe { self.push(raw.cast()) } {
            return Ok(());
        }
        // SAFETY: the list did not take it, so this is still the only pointer to the leaked box.
        Err(unsafe { Box::from_raw(raw.as_ptr()) })
    }

    /// Adds a thread to wake.
    pub(crate) fn push_thread(&self, parker: Arc<Parker>) -> Registered {
        let notice = ThreadNotice { notice: Notice::new(Kind::Thread, None), parker };
        let Ok(boxed) = crate::faults::try_box(notice) else { return Registered::NoMemory };
        let raw = NonNull::from(Box::leak(boxed));
        // SAFETY: the box is leaked until its delivery, or taken back just below.
        if unsafe { self.push(raw.cast()) } {
            return Registered::Yes;
        }
        // SAFETY: the list did not take it, so this is still the only pointer to the leaked box.
        drop(unsafe { Box::from_raw(raw.as_ptr()) });
        Registered::Closed
    }

    /// Has the entry that will be delivered first brought to this processor: the list is closed soon.
    #[inline]
    pub(crate) fn prefetch(&self) {
        let head = self.head.load(Ordering::Relaxed);
        if !head.is_null() {
            crate::shim::prefetch(head);
        }
    }

    /// Has the count that the newest entry's delivery writes brought to this processor, as the list is closed next: all that wait
    /// with it for one task write the same.
    ///
    /// # Safety
    /// Only the caller closes the list.
    #[inline]
    pub(crate) unsafe fn prefetch_target(&self) {
        // Acquire pairs with the pushes.
        let head = NonNull::new(self.head.load(Ordering::Acquire)).filter(|head| head.as_ptr() != closed());
        // SAFETY: entries stay until they are delivered, which only the caller does.
        if let Some(target) = head.and_then(|head| unsafe { head.as_ref() }.target()) {
            target.prefetch_count();
        }
    }

    /// Closes the list and returns its entries, newest first. Called once.
    pub(crate) fn close(&self) -> Entries {
        // Acquire pairs with the pushes; release makes what came before visible to those who find it closed.
        let head = self.head.swap(closed(), Ordering::AcqRel);
        debug_assert!(head != closed(), "a list is closed once");
        Entries { next: head }
    }
}

/// The entries of a closed list.
#[derive(Debug)]
pub(crate) struct Entries {
    next: *mut Notice,
}

impl Entries {
    /// Has the record of the queue's next task brought to this processor, if its entry for the queue's chain is the first
    /// one, as it mostly is: reading the entry alone would fetch only one of the two lines that are written next. Where that is.
    #[inline]
    pub(crate) fn prefetch_chained(&self) -> Option<TaskPtr> {
        if self.next.is_null() {
            return None;
        }
        let record = self.next.cast::<u8>().wrapping_sub(std::mem::offset_of!(Task, chain_notice));
        let next = TaskPtr::new(record.cast())?;
        next.prefetch();
        Some(next)
    }
}

/// What to deliver.
pub(crate) enum Delivery {
    Order(TaskPtr),
    Depend(TaskPtr),
    Join(TaskPtr),
    Chain(TaskPtr),
    Callback(Box<CallbackNotice>),
    Thread(Arc<Parker>),
}

impl Iterator for Entries {
    type Item = Delivery;

    /// Once an item was returned, nothing here touches its entry again: delivering it may free it.
    fn next(&mut self) -> Option<Delivery> {
        loop {
            let at = NonNull::new(self.next)?;
            // SAFETY: the entry is not delivered yet, so it is still where `push` was promised it stays.
            let entry = unsafe { at.as_ref() };
            // SAFETY: the list is closed, so nobody writes `next` any more.
            self.next = entry.next.with(|next| unsafe { *next });
            // The next entry is on another task's cache line, and is delivered right after this one.
            if !self.next.is_null() {
                crate::shim::prefetch_to_write(self.next);
            }
            let delivery = match (entry.kind(), entry.target()) {
                (Kind::Order, Some(target)) => Delivery::Order(target),
                (Kind::Depend, Some(target)) => Delivery::Depend(target),
                (Kind::Join, Some(target)) => {
                    target.prefetch_row();
                    Delivery::Join(target)
                }
                (Kind::Chain, Some(target)) => Delivery::Chain(target),
                // SAFETY: an entry of this kind is the first field of a leaked box of that `repr(C)` type.
                (Kind::Callback, _) => Delivery::Callback(unsafe { Box::from_raw(at.as_ptr().cast()) }),
                (Kind::Thread, _) => {
                    // SAFETY: as above.
                    let boxed: Box<ThreadNotice> = unsafe { Box::from_raw(at.as_ptr().cast()) };
                    Delivery::Thread(boxed.parker)
                }
                // A task entry without a target is never made.
                (_, None) => continue,
            };
            return Some(delivery);
        }
    }
}
