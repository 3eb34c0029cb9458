//! A worker's own queue of ready tasks: its owner adds, anyone takes, oldest first.
//!
//! Positions only grow. The owner writes a slot and then moves `tail`; whoever takes reads slots and then moves `head`
//! past them in one exchange. A slot is overwritten only when `head` has passed it, and then that exchange fails, so
//! an exchange that succeeds has read what the owner wrote. No fences are needed.

use crate::shim::{AtomicPtr, AtomicU64, Ordering};
use crate::task::list::TaskList;
use crate::task::{Task, TaskPtr};

/// Slots; a power of two. Small under loom, so that the models see it full.
pub(crate) const CAPACITY: usize = if cfg!(loom) { 4 } else { 256 };

/// Keeps what different threads write on different cache lines.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

/// The queue.
#[derive(Debug)]
pub(crate) struct Ring {
    head: Apart<AtomicU64>,
    tail: Apart<AtomicU64>,
    slots: Box<[AtomicPtr<Task>]>,
}

impl Ring {
    pub(crate) fn new() -> Ring {
        Ring {
            head: Apart(AtomicU64::new(0)),
            tail: Apart(AtomicU64::new(0)),
            slots: (0..CAPACITY).map(|_| AtomicPtr::new(std::ptr::null_mut())).collect(),
        }
    }

    fn slot(&self, position: u64) -> &AtomicPtr<Task> {
        let index = usize::try_from(position % CAPACITY as u64).unwrap_or(0);
        &self.slots[index]
    }

    /// Takes the oldest task. Anyone calls this.
    pub(crate) fn pop(&self) -> Option<TaskPtr> {
        // Acquire: a thief that moved the head has published nothing, but the tail below must not be older.
        let mut head = self.head.0.load(Ordering::Acquire);
        loop {
            // Acquire pairs with the release in `push_list`: the slot and the task behind it are visible.
            let tail = self.tail.0.load(Ordering::Acquire);
            if head >= tail {
                return None;
            }
            let task = self.slot(head).load(Ordering::Relaxed);
            // Release pairs with the owner's acquire of `head`: the slot was read before it is reused.
            match self.head.0.compare_exchange_weak(head, head + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return TaskPtr::new(task),
                Err(now) => head = now,
            }
        }
    }

    /// Adds tasks from the front of a list, as many as there is room for; they are seen all at once, so that a thief
    /// finds the share that the list was laid out for. Only the owner calls this.
    pub(crate) fn push_list(&self, list: &mut TaskList) {
        let tail = self.tail.0.load(Ordering::Relaxed);
        // Acquire pairs with the exchanges in `pop` and `steal`: a slot that was passed is no longer read by its taker.
        let head = self.head.0.load(Ordering::Acquire);
        let end = head + CAPACITY as u64;
        let mut next = tail;
        while next < end
            && let Some(task) = list.pop()
        {
            self.slot(next).store(task.as_ptr(), Ordering::Relaxed);
            next += 1;
        }
        // Release pairs with the acquires of `tail` in `pop` and `steal`.
        self.tail.0.store(next, Ordering::Release);
    }

    /// Moves the share of one of `workers`, which are at least two, from this ring to `mine`, which the caller owns and
    /// which is empty, and returns one more task.
    pub(crate) fn steal(&self, mine: &Ring, workers: usize) -> Option<TaskPtr> {
        // Acquire as in `pop`.
        let mut head = self.head.0.load(Ordering::Acquire);
        loop {
            // Acquire pairs with the release in `push_list`.
            let tail = self.tail.0.load(Ordering::Acquire);
            let there = tail.saturating_sub(head).min(CAPACITY as u64);
            if there == 0 {
                return None;
            }
            let first = self.slot(head).load(Ordering::Relaxed);
            let rest = (there - 1) / (workers as u64).max(2);
            // `mine` has room for half of a ring, nobody sees what is written behind its tail, and the caller has seen
            // its head where its tail is, so what was there has been read.
            let own = mine.tail.0.load(Ordering::Relaxed);
            for step in 0..rest {
                let task = self.slot(head + 1 + step).load(Ordering::Relaxed);
                mine.slot(own + step).store(task, Ordering::Relaxed);
            }
            // Release pairs with the owner's acquire of `head`: the slots were read before they are reused. If one was
            // overwritten meanwhile, the head had moved and this fails.
            let taken = head + 1 + rest;
            match self.head.0.compare_exchange_weak(head, taken, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    TaskPtr::new(first).inspect(|task| task.prefetch());
                    if rest > 0 {
                        // Release as in `push_list`.
                        mine.tail.0.store(own + rest, Ordering::Release);
                    }
                    return TaskPtr::new(first);
                }
                Err(now) => head = now,
            }
        }
    }

    /// The task that is likely to be taken next; it may be gone already, so only its address means anything.
    pub(crate) fn peek(&self) -> Option<TaskPtr> {
        let head = self.head.0.load(Ordering::Relaxed);
        if head >= self.tail.0.load(Ordering::Relaxed) {
            return None;
        }
        TaskPtr::new(self.slot(head).load(Ordering::Relaxed))
    }

    /// About how many tasks are here.
    pub(crate) fn len(&self) -> u64 {
        let head = self.head.0.load(Ordering::Acquire);
        self.tail.0.load(Ordering::Acquire).saturating_sub(head)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
