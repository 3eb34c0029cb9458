//! A list of ready tasks, linked through the tasks themselves: any number of them moves without an allocation.

use super::{Task, TaskPtr};
use crate::shim::Ordering;

/// First in, first out. Whoever has the list has the scheduler's reference to every task in it.
#[derive(Debug, Default)]
pub(crate) struct TaskList {
    ends: Option<(TaskPtr, TaskPtr)>,
    length: usize,
}

/// Whoever has a task that is ready, alone, may link it.
fn link(from: TaskPtr, to: *mut Task) {
    // SAFETY: the list holds a reference to its tasks.
    unsafe { from.get() }.ready_next.store(to, Ordering::Relaxed);
}

impl TaskList {
    /// A list without tasks.
    pub(crate) const EMPTY: TaskList = TaskList { ends: None, length: 0 };

    /// A list of one task.
    pub(crate) fn of(task: TaskPtr) -> TaskList {
        let mut list = TaskList::EMPTY;
        list.push(task);
        list
    }

    /// The tasks, from first to last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = TaskPtr> + '_ {
        let mut next = self.ends.map(|(first, _)| first);
        std::iter::from_fn(move || {
            let task = next?;
            // SAFETY: the list holds a reference to its tasks.
            next = TaskPtr::new(unsafe { task.get() }.ready_next.load(Ordering::Relaxed));
            Some(task)
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds at the end.
    pub(crate) fn push(&mut self, task: TaskPtr) {
        link(task, std::ptr::null_mut());
        self.ends = match self.ends {
            None => Some((task, task)),
            Some((first, last)) => {
                link(last, task.as_ptr());
                Some((first, task))
            }
        };
        self.length += 1;
    }

    /// Adds at the front.
    pub(crate) fn push_front(&mut self, task: TaskPtr) {
        let (next, last) =
            self.ends.map_or((std::ptr::null_mut(), task), |(first, last)| (first.as_ptr(), last));
        link(task, next);
        self.ends = Some((task, last));
        self.length += 1;
    }

    /// Takes the first.
    pub(crate) fn pop(&mut self) -> Option<TaskPtr> {
        let (first, last) = self.ends?;
        // SAFETY: the list holds a reference to its tasks.
        let next = unsafe { first.get() }.ready_next.load(Ordering::Relaxed);
        self.ends = TaskPtr::new(next).map(|next| (next, last));
        self.length -= 1;
        Some(first)
    }

    /// Adds all of `other` at the end.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the tasks change hands: a list that stays behind would own them too"
    )]
    pub(crate) fn append(&mut self, other: TaskList) {
        let Some((other_first, other_last)) = other.ends else { return };
        self.ends = match self.ends {
            None => Some((other_first, other_last)),
            Some((first, last)) => {
                link(last, other_first.as_ptr());
                Some((first, other_last))
            }
        };
        self.length += other.length;
    }
}
