//! How far the execution of a command reaches back in its in-order queue: which commands before it have been executed
//! whenever it has, because it waits for them, or for what waits for them.
//!
//! A device that orders commands itself waits until a command has been executed. An event of an in-order queue is
//! complete only when all commands before it have been executed too, so such a device may wait for it by itself only if
//! the command reaches back to the queue's beginning; else the host says when it is complete. Commands of other queues are
//! not looked through: what reaches back only through them counts as not reaching.

use super::plan::Planned;
use crate::queue::EnqueueError;
use crate::task::{Executor, Role, Task};

/// Commands of one queue, by their positions in it: when the last has been executed, so have all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Reach {
    /// How far the command at `position` reaches back that waits for these, or for `all` before it.
    pub(super) fn of(position: u64, all: bool, waits: &mut [Reach]) -> Reach {
        let mut first = if all { 0 } else { position };
        // What does not reach to the gap left by those after it leaves the gap open, and so do all before it.
        waits.sort_unstable_by_key(|reach| std::cmp::Reverse(reach.last));
        for reach in waits.iter() {
            if reach.last + 1 >= first {
                first = first.min(reach.first);
            }
        }
        Reach { first, last: position }
    }
}

/// What a command of an in-order queue of such a device is planned to wait for in that queue.
#[derive(Debug, Default)]
pub(super) struct Reaches {
    /// The queue is one of those.
    wanted: bool,
    of: Vec<Reach>,
}

impl Reaches {
    /// For the next command.
    pub(super) fn clear(&mut self, wanted: bool) {
        self.wanted = wanted;
        self.of.clear();
    }

    /// The command waits for one of its own queue, until it is `retired` or only executed, or would if that were not over.
    pub(super) fn note(&mut self, task: &Task, retired: bool) -> Result<(), EnqueueError> {
        // Hidden tasks are not in the queue.
        if !self.wanted || task.role != Role::InOrder {
            return Ok(());
        }
        let reach = task.reach();
        let retired = retired || task.state.load().is_retired();
        crate::faults::reserve(&mut self.of, 1)?;
        self.of.push(if retired { Reach { first: 0, ..reach } } else { reach });
        Ok(())
    }

    /// How far the command reaches back that is next in the queue, at this position, behind a queue that is `over` or not;
    /// `None` where nobody asks.
    pub(super) fn of(&mut self, position: u64, over: bool) -> Option<Reach> {
        self.wanted.then(|| Reach::of(position, over, &mut self.of))
    }
}

/// Whether a device may wait by itself for what is planned: that it was executed is all that the plan asks for.
pub(super) fn is_for_device(planned: &Planned, task: &Task) -> bool {
    !planned.retired
        || (task.role == Role::InOrder
            && task.executor == Executor::OrderingDriver
            && task.reach().first == 0)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Reach;

    fn of(position: u64, waits: &[(u64, u64)]) -> u64 {
        let mut waits: Vec<Reach> =
            waits.iter().map(|(first, last)| Reach { first: *first, last: *last }).collect();
        Reach::of(position, false, &mut waits).first
    }

    #[test]
    fn a_command_reaches_back_without_a_gap_only() {
        assert_eq!(of(0, &[]), 0);
        assert_eq!(of(3, &[]), 3);
        assert_eq!(of(3, &[(0, 2)]), 0);
        assert_eq!(of(3, &[(0, 1)]), 3, "the third may still run");
        assert_eq!(of(4, &[(0, 0), (3, 3), (1, 2)]), 0);
        assert_eq!(of(4, &[(0, 0), (3, 3), (2, 2)]), 2);
        assert_eq!(of(9, &[(5, 8), (4, 7), (0, 3)]), 0);
        assert_eq!(Reach::of(7, true, &mut []).first, 0);
    }
}
