//! The state of a task in one atomic word. All bits are only ever set, never cleared.
//!
//! | bit | set by | when |
//! | --- | --- | --- |
//! | running | its executor | before the work begins |
//! | executed | the last executor | after the work, and after waiters inside the queue were released |
//! | before-retired | whoever retires the predecessor in the queue, or the enqueuer where there is none | |
//! | complete | the last executor (out-of-order queues, user events), or whoever retires the task (in-order queues) | before anyone is told of the completion |
//! | retired | whoever set the later one of *executed* and *before-retired* | |
//! | early | who registers a callback for a stage before completion | before it gives its reference back |
//! | held | the maker, of a task that cannot end before some user event, as far as it knows | |
//! | rare | the maker, of a task with anything in [`super::Rare`] | |

use crate::shim::{AtomicU32, Ordering};

/// A set of state bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snapshot(u32);

impl Snapshot {
    pub(crate) const NEW: Snapshot = Snapshot(0);
    pub(crate) const RUNNING: Snapshot = Snapshot(1);
    pub(crate) const EXECUTED: Snapshot = Snapshot(4);
    pub(crate) const BEFORE_RETIRED: Snapshot = Snapshot(8);
    pub(crate) const COMPLETE: Snapshot = Snapshot(16);
    pub(crate) const RETIRED: Snapshot = Snapshot(32);
    pub(crate) const EARLY: Snapshot = Snapshot(64);
    pub(crate) const RARE: Snapshot = Snapshot(128);
    pub(crate) const HELD: Snapshot = Snapshot(256);

    pub(crate) fn and(self, other: Snapshot) -> Snapshot {
        Snapshot(self.0 | other.0)
    }

    fn has(self, other: Snapshot) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn is_running(self) -> bool {
        self.has(Snapshot::RUNNING)
    }

    pub(crate) fn is_executed(self) -> bool {
        self.has(Snapshot::EXECUTED)
    }

    pub(crate) fn is_before_retired(self) -> bool {
        self.has(Snapshot::BEFORE_RETIRED)
    }

    pub(crate) fn is_complete(self) -> bool {
        self.has(Snapshot::COMPLETE)
    }

    pub(crate) fn is_retired(self) -> bool {
        self.has(Snapshot::RETIRED)
    }

    /// It waits, or waited, for a user event.
    pub(crate) fn is_held(self) -> bool {
        self.has(Snapshot::HELD)
    }

    /// Something is, or was, in the record's part that few tasks use.
    pub(crate) fn has_rare(self) -> bool {
        self.has(Snapshot::RARE.and(Snapshot::EARLY))
    }

    pub(crate) fn has_early_callbacks(self) -> bool {
        self.has(Snapshot::EARLY)
    }
}

/// The word.
#[derive(Debug)]
pub(crate) struct State(AtomicU32);

impl State {
    pub(crate) fn new(initial: Snapshot) -> State {
        State(AtomicU32::new(initial.0))
    }

    /// Sees everything that whoever set the bits did before.
    pub(crate) fn load(&self) -> Snapshot {
        // Pairs with the release half of `set`.
        Snapshot(self.0.load(Ordering::Acquire))
    }

    /// Sets bits; returns the word before. Of two threads that set different bits one sees the other's.
    pub(crate) fn set(&self, bits: Snapshot) -> Snapshot {
        // Pairs with itself and with `load`.
        Snapshot(self.0.fetch_or(bits.0, Ordering::AcqRel))
    }
}
