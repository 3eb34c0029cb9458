//! Entering a task into the lists of those it waits for, and into its queue's chain. Once there is room for the entries
//! nothing here can fail.

use std::ptr::NonNull;
use std::sync::Arc;

use super::plan::Planned;
use super::{EnqueueError, QueueShared};
use crate::faults;
use crate::shim::UnsafeCell;
use crate::task::notice::{Kind, Notice};
use crate::task::row::Joined;
use crate::task::state::Snapshot;
use crate::task::{Fresh, INLINE_NOTICES, Role, Task, TaskPtr, TaskRef};

/// Begins the chain along which the queue retires: all before the task have retired.
pub(super) fn lead(queue: &Arc<QueueShared>, task: &mut Fresh) {
    task.queue_alive = UnsafeCell::new(Some(Arc::clone(queue)));
    task.mark(Snapshot::BEFORE_RETIRED);
}

/// Appends a task to the chain.
pub(super) fn chain(queue: &Arc<QueueShared>, before: &TaskRef, at: TaskPtr) {
    // SAFETY: the scheduler's reference is held.
    let task = unsafe { at.get() };
    let entry = fill(&task.chain_notice, Notice::new(Kind::Chain, Some(at)));
    // SAFETY: the entry stays in the task, which retires after it was delivered.
    if !unsafe { before.retired.push(entry) } {
        // SAFETY: nobody retires the task before the bit below is set.
        task.queue_alive.with_mut(|alive| unsafe { *alive = Some(Arc::clone(queue)) });
        task.state.set(Snapshot::BEFORE_RETIRED);
    }
}

/// Makes the entries that do not fit into the record.
pub(super) fn room_for_notices(task: &mut Fresh, waits: usize) -> Result<(), EnqueueError> {
    let beyond = waits.saturating_sub(1 + INLINE_NOTICES);
    if beyond > 0 {
        let mut more = Vec::new();
        faults::reserve(&mut more, beyond)?;
        more.extend((0..beyond).map(|_| UnsafeCell::new(Notice::new(Kind::Order, None))));
        task.rare_mut().more_notices = more.into_boxed_slice();
    }
    Ok(())
}

/// Fills in an entry of a task that is being enqueued.
fn fill(cell: &UnsafeCell<Notice>, notice: Notice) -> NonNull<Notice> {
    // SAFETY: the entry is in no list yet, and only the enqueuer uses it.
    cell.with_mut(|slot| unsafe { *slot = notice });
    cell.with_mut(NonNull::new).unwrap_or(NonNull::dangling())
}

/// The entry for the wait number `index`.
fn entry(task: &Task, index: usize) -> &UnsafeCell<Notice> {
    match index.checked_sub(1) {
        None => &task.first_notice,
        Some(index) => {
            task.notices.get(index).unwrap_or_else(|| &task.rare.more_notices[index - INLINE_NOTICES])
        }
    }
}

/// Enters a task with everything that it is planned to wait for; returns how much of that is over already.
pub(super) fn enter(at: TaskPtr, plan: &[Planned]) -> u32 {
    // SAFETY: the task cannot end before its enqueuer gives its count of `pending` back.
    let task = unsafe { at.get() };
    let mut over = 0;
    for (index, planned) in plan.iter().enumerate() {
        // SAFETY: the planner holds a reference, as it still holds the queue's lock.
        let other = unsafe { planned.task.get() };
        // Only joins have rows, and a row lies in a cache line that nothing else here touches.
        let has_row = planned.depends && !planned.retired && other.role == Role::Join;
        let joined = if has_row { other.rare.row.join(at) } else { Joined::Full };
        let waits = match joined {
            Joined::Yes => true,
            Joined::Closed => false,
            Joined::Full => {
                let kind = match (planned.depends, task.role) {
                    (true, Role::Join) => Kind::Join,
                    (true, _) => Kind::Depend,
                    (false, _) => Kind::Order,
                };
                let entry = fill(entry(task, index), Notice::new(kind, Some(at)));
                let list = if planned.retired { &other.retired } else { &other.executed };
                // SAFETY: the entry stays in the task, which is not freed before all its entries were delivered.
                unsafe { list.push(entry) }
            }
        };
        if !waits {
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
