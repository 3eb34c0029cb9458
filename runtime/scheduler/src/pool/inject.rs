//! Ready tasks that belong to no worker: what host threads and drivers make ready, and what overflows a ring.

use crate::shim::{AtomicU64, AtomicUsize, Mutex, Ordering, lock};
use crate::task::TaskPtr;
use crate::task::list::TaskList;

/// The shared queue, first in, first out.
#[derive(Debug)]
pub(crate) struct Inject {
    tasks: Mutex<TaskList>,
    /// The list's length, to be read without the lock. Written with it.
    length: AtomicUsize,
    /// How often something was taken, so that a watcher sees whether the queue stands still. Written with the lock.
    takes: AtomicU64,
}

impl Inject {
    pub(crate) fn new() -> Inject {
        Inject {
            tasks: Mutex::new(TaskList::default()),
            length: AtomicUsize::new(0),
            takes: AtomicU64::new(0),
        }
    }

    /// Adds tasks; returns how many are there now.
    pub(crate) fn push(&self, tasks: TaskList) -> usize {
        let mut mine = lock(&self.tasks);
        mine.append(tasks);
        let length = mine.len();
        // Release pairs with the acquire in `len`: a worker that decides not to sleep finds the tasks.
        self.length.store(length, Ordering::Release);
        length
    }

    /// Takes up to `most` tasks, until one is `enough`.
    pub(crate) fn take(&self, most: usize, mut enough: impl FnMut(TaskPtr) -> bool) {
        if self.len() == 0 {
            return;
        }
        let mut mine = lock(&self.tasks);
        for _ in 0..most {
            let Some(task) = mine.pop() else { break };
            if enough(task) {
                break;
            }
        }
        self.length.store(mine.len(), Ordering::Release);
        self.takes.store(self.takes.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// How many are there.
    pub(crate) fn len(&self) -> usize {
        self.length.load(Ordering::Acquire)
    }

    /// Counts takes; equal numbers at two times mean that nothing was taken between.
    pub(crate) fn takes(&self) -> u64 {
        self.takes.load(Ordering::Relaxed)
    }
}
