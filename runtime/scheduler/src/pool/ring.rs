//! A worker's own queue of ready tasks: its owner adds, anyone takes, oldest first.
//!
//! Positions only grow. The owner writes a slot and then moves `tail`; whoever takes reads slots and then moves `head`
//! past them in one exchange. A slot is overwritten only when `head` has passed it, and then that exchange fails, so
//! an exchange that succeeds has read what the owner wrote. No fences are needed.

use crate::shim::{AtomicPtr, AtomicU64, Ordering};
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

    /// Adds a task; gives it back where the ring is full. Only the owner calls this.
    pub(crate) fn push(&self, task: TaskPtr) -> Result<(), TaskPtr> {
        let tail = self.tail.0.load(Ordering::Relaxed);
        // Acquire pairs with the exchange in `take`: a slot that was passed is no longer read by its taker.
        let head = self.head.0.load(Ordering::Acquire);
        if tail - head >= CAPACITY as u64 {
            return Err(task);
        }
        self.slot(tail).store(task.as_ptr(), Ordering::Relaxed);
        // Release pairs with the acquire of `tail` in `take`.
        self.tail.0.store(tail + 1, Ordering::Release);
        Ok(())
    }

    /// Takes the oldest task. Anyone calls this.
    pub(crate) fn pop(&self) -> Option<TaskPtr> {
        // Acquire: a thief that moved the head has published nothing, but the tail below must not be older.
        let mut head = self.head.0.load(Ordering::Acquire);
        loop {
            // Acquire pairs with the release in `push`: the slot and the task behind it are visible.
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

    /// Moves about half of this ring to `mine`, which the caller owns and which is empty, and returns one more task.
    pub(crate) fn steal(&self, mine: &Ring) -> Option<TaskPtr> {
        let first = self.pop()?;
        let take = self.len() / 2;
        for _ in 0..take.min(CAPACITY as u64 / 2) {
            let Some(task) = self.pop() else { break };
            if mine.push(task).is_err() {
                // `mine` was empty and takes half of its capacity; nobody but the caller adds to it.
                debug_assert!(false, "an empty ring takes half of its capacity");
                break;
            }
        }
        Some(first)
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
