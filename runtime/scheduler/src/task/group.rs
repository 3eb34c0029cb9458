//! Tasks that wait for one task, as a row: telling them touches many records, and a row, unlike a list that goes through
//! the records, says beforehand which. It takes tasks, from one thread at a time, until it is full or closed, once.

use super::{Task, TaskPtr};
use crate::faults;
use crate::queue::EnqueueError;
use crate::shim::{AtomicPtr, AtomicU32, Ordering};

/// No more tasks are taken.
const CLOSED: u32 = 1 << 31;

/// Places beside the count; more are allocated.
const FEW: usize = 4;

/// The row; without places it takes nothing.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Group {
    count: AtomicU32,
    places: u32,
    few: [AtomicPtr<Task>; FEW],
    more: Box<[AtomicPtr<Task>]>,
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
        let few = std::array::from_fn(|_| AtomicPtr::new(std::ptr::null_mut()));
        Group { count: AtomicU32::new(0), places: 0, few, more: Box::default() }
    }

    /// With so many places.
    pub(crate) fn new(places: u32) -> Result<Group, EnqueueError> {
        let beyond = (places as usize).saturating_sub(FEW);
        let mut more = Vec::new();
        faults::reserve(&mut more, beyond)?;
        more.extend((0..beyond).map(|_| AtomicPtr::new(std::ptr::null_mut())));
        Ok(Group { places, more: more.into_boxed_slice(), ..Group::none() })
    }

    /// Whether it has no places.
    pub(crate) fn takes_none(&self) -> bool {
        self.places == 0
    }

    /// Adds a task, which stays where it is until it was told. Called by one thread at a time.
    pub(crate) fn join(&self, task: TaskPtr) -> Joined {
        if self.places == 0 {
            return Joined::Full;
        }
        // Acquire pairs with the release half of the swap in `close`, for the case that it is closed.
        let count = self.count.load(Ordering::Acquire);
        if count & CLOSED != 0 {
            return Joined::Closed;
        }
        if count >= self.places {
            return Joined::Full;
        }
        let at = count as usize;
        let Some(place) = self.few.get(at).or_else(|| self.more.get(at - FEW)) else { return Joined::Full };
        place.store(task.as_ptr(), Ordering::Relaxed);
        // Release publishes the place and the task to `close`; acquire as above.
        match self.count.compare_exchange(count, count + 1, Ordering::Release, Ordering::Acquire) {
            Ok(_) => Joined::Yes,
            Err(_) => Joined::Closed,
        }
    }

    /// Closes the row and returns the tasks in it, oldest first. Called once.
    pub(crate) fn close(&self) -> impl DoubleEndedIterator<Item = TaskPtr> + '_ {
        let count = if self.places == 0 {
            0
        } else {
            // Acquire pairs with the exchanges in `join`; release makes what came before visible to those that find it
            // closed.
            self.count.swap(CLOSED, Ordering::AcqRel) as usize
        };
        let task = |place: &AtomicPtr<Task>| TaskPtr::new(place.load(Ordering::Relaxed));
        let (few, more) = (count.min(FEW), count.saturating_sub(FEW));
        let few = self.few.get(..few).unwrap_or_default();
        let tasks = few.iter().chain(self.more.get(..more).unwrap_or_default()).filter_map(task);
        tasks.clone().for_each(|task| crate::shim::prefetch_to_write(task.as_ptr()));
        tasks
    }
}
