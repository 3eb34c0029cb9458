//! Entering a task into the lists of those it waits for, and into its queue's chain. Nothing here can fail.

use std::ptr::NonNull;
use std::sync::Arc;

use super::QueueShared;
use super::plan::Planned;
use crate::task::notice::{Kind, Notice};
use crate::task::state::Snapshot;
use crate::task::{INLINE_NOTICES, Task, TaskPtr, TaskRef};

/// Appends a task to the chain along which the queue retires.
pub(super) fn chain(queue: &Arc<QueueShared>, before: Option<TaskRef>, at: TaskPtr) {
    // SAFETY: the scheduler's reference is held.
    let task = unsafe { at.get() };
    let chained = before.is_some_and(|before| {
        // The last entry is the chain's: the others are for what the command waits for.
        let entry = entry(task, notice_count(task) - 1, Notice::new(Kind::Chain, Some(at)));
        // SAFETY: the entry stays in the task, which retires after it was delivered.
        unsafe { before.retired.push(entry) }
    });
    if !chained {
        // SAFETY: nobody retires the task before the bit below is set.
        task.queue_alive.with_mut(|alive| unsafe { *alive = Some(Arc::clone(queue)) });
        task.state.set(Snapshot::BEFORE_RETIRED);
    }
}
/// Number of entries that a task has room for.
fn notice_count(task: &Task) -> usize {
    INLINE_NOTICES + task.more_notices.len()
}

/// Fills in the entry number `index` of a task that is being enqueued.
fn entry(task: &Task, index: usize, notice: Notice) -> NonNull<Notice> {
    let cell = match task.notices.get(index) {
        Some(cell) => cell,
        None => &task.more_notices[index - INLINE_NOTICES],
    };
    // SAFETY: the entry is in no list yet, and only the enqueuer uses it.
    cell.with_mut(|slot| unsafe { *slot = notice });
    cell.with_mut(NonNull::new).unwrap_or(NonNull::dangling())
}

/// Enters a task with everything that it is planned to wait for; returns how much of that is over already.
pub(super) fn enter(at: TaskPtr, plan: &[Planned]) -> u32 {
    // SAFETY: the task cannot end before its enqueuer gives its count of `pending` back.
    let task = unsafe { at.get() };
    let mut over = 0;
    for (index, planned) in plan.iter().enumerate() {
        let kind = if planned.depends { Kind::Depend } else { Kind::Order };
        let entry = entry(task, index, Notice::new(kind, Some(at)));
        // SAFETY: the planner holds a reference, as it still holds the queue's lock.
        let other = unsafe { planned.task.get() };
        let list = if planned.retired { &other.retired } else { &other.executed };
        // SAFETY: the entry stays in the task, which is not freed before all its entries were delivered.
        if !unsafe { list.push(entry) } {
            over += 1;
            if planned.depends
                && let Some(cause) = other.cause()
            {
                task.blame(&cause);
            }
        }
    }
    over
}
