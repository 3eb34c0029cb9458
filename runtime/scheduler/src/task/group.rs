//! Tasks that wait for one task, as a row: telling them touches many records, and a row, unlike a list that goes through
//! the records, says beforehand which. It takes tasks, from one thread at a time, until it is full or closed, once.

use super::{Task, TaskPtr};
use crate::faults;
use crate::queue::EnqueueError;
use crate::shim::{AtomicPtr, AtomicU32, Ordering};

/// No more tasks are taken.
const CLOSED: u32 = 1 << 31;

/// The row; without places it takes nothing.
#[derive(Debug)]
pub(crate) struct Group {
    count: AtomicU32,
    members: Box<[AtomicPtr<Task>]>,
}

/// What became of a task that wants to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joined {
    /// It is told when the row is closed.
    Yes,
    /// There is no place.
    Full,
    /// The row was closed; what came before is seen.
    Closed,
}

impl Group {
    /// Without places.
    pub(crate) fn none() -> Group {
        Group { count: AtomicU32::new(0), members: Box::default() }
    }

    /// With so many places.
    pub(crate) fn new(places: usize) -> Result<Group, EnqueueError> {
        let mut members = Vec::new();
        faults::reserve(&mut members, places)?;
        members.extend((0..places).map(|_| AtomicPtr::new(std::ptr::null_mut())));
        Ok(Group { count: AtomicU32::new(0), members: members.into_boxed_slice() })
    }

    /// Adds a task, which stays where it is until it was told. Called by one thread at a time.
    pub(crate) fn join(&self, task: TaskPtr) -> Joined {
        if self.members.is_empty() {
            return Joined::Full;
        }
        // Acquire pairs with the release half of the swap in `close`, for the case that it is closed.
        let count = self.count.load(Ordering::Acquire);
        if count & CLOSED != 0 {
            return Joined::Closed;
        }
        let Some(place) = self.members.get(count as usize) else { return Joined::Full };
        place.store(task.as_ptr(), Ordering::Relaxed);
        // Release publishes the place and the task to `close`; acquire as above.
        match self.count.compare_exchange(count, count + 1, Ordering::Release, Ordering::Acquire) {
            Ok(_) => Joined::Yes,
            Err(_) => Joined::Closed,
        }
    }

    /// Closes the row and returns the tasks in it, oldest first. Called once.
    pub(crate) fn close(&self) -> impl DoubleEndedIterator<Item = TaskPtr> + '_ {
        let count = if self.members.is_empty() {
            0
        } else {
            // Acquire pairs with the exchanges in `join`; release makes what came before visible to those that find it
            // closed.
            self.count.swap(CLOSED, Ordering::AcqRel)
        };
        let members = self.members.get(..count as usize).unwrap_or_default();
        let tasks = members.iter().filter_map(|place| TaskPtr::new(place.load(Ordering::Relaxed)));
        tasks.clone().for_each(|task| crate::shim::prefetch_to_write(task.as_ptr()));
        tasks
    }
}
