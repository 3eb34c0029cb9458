//! Commands that take longest first, as far as earlier executions have shown how long they take: then what begins last
//! is short, and the workers end together.
//!
//! A task's weight is read from its launch's history when it is enqueued. Weights are classes: nothing here looks into
//! the launches, whose memory other workers may be writing.

use std::time::Duration;

use oxcl_driver::Launch;

use crate::shim::Ordering;
use crate::task::list::TaskList;
use crate::task::{Executor, TaskPtr};

/// Lists that are longer stay as they are: so many commands balance by their number.
pub(crate) const MOST: usize = 256;

/// Lists up to this length are sorted in a small place, which is made in no time.
const FEW: usize = 16;

/// Classes for each doubling of the time.
const STEPS: u64 = 13;

/// The binary logarithm of the nanoseconds from which on there are classes: what ends a batch may be as short as this.
const SHORTEST: u32 = 6;

/// Too short for a class.
const LIGHT: u8 = 0;
/// The weight of work of which nothing is known: it may be long.
pub(crate) const UNKNOWN: u8 = u8::MAX;

/// Nanoseconds of work that a worker takes at once from the queue that all share.
const AT_ONCE: u64 = 64 << 10;

/// Nanoseconds of short tasks that a worker takes at once from a row, and how many of them at most.
pub(crate) const SHARE: u64 = 2 << 10;
pub(crate) const SHARE_AT_MOST: usize = 16;

/// Nanoseconds of work that wait for one task and are reason enough to wake one worker beforehand.
pub(crate) const EXPECTED: u64 = 16 << 10;

/// Nanoseconds that a worker has to do with a command, however short its work is.
const OVERHEAD: u64 = 512;

/// Workers among which a list is dealt out, at most.
const HANDS: usize = 16;

/// Less than 64 nanoseconds, then [`STEPS`] for each doubling, up to 30 milliseconds.
fn class(time: Duration) -> u8 {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let Some(bits @ SHORTEST..) = nanoseconds.checked_ilog2() else { return LIGHT };
    let above = nanoseconds - (1 << bits);
    let step = above.checked_mul(STEPS).map_or(STEPS - 1, |steps| steps >> bits);
    let class = u64::from(bits - SHORTEST) * STEPS + step + 1;
    u8::try_from(class).unwrap_or(UNKNOWN).min(UNKNOWN - 1)
}

/// The weight of a launch that is being enqueued.
pub(crate) fn of(launch: &dyn Launch) -> u8 {
    launch.history().and_then(|history| history.time()).map_or(UNKNOWN, class)
}

/// The weight of so much work.
pub(crate) fn of_work(nanoseconds: u64) -> u8 {
    class(Duration::from_nanos(nanoseconds))
}

/// Whether several workers can have a part of a ready task: it has many pieces, or a row.
pub(super) fn is_for_many(task: TaskPtr) -> bool {
    // SAFETY: whoever has a list of ready tasks has a reference to each.
    let task = unsafe { task.get() };
    task.groups > 1 || task.executor == Executor::Row
}

fn weight(task: TaskPtr) -> u8 {
    // SAFETY: whoever has a list of ready tasks has a reference to each.
    unsafe { task.get() }.weight.load(Ordering::Relaxed)
}

/// Decides how many tasks a worker takes at once from the queue that all share. It executes them in a row while others
/// execute what comes after them and cannot retire; so they are as many as take some tens of microseconds.
#[derive(Default)]
pub(super) struct Enough {
    nanoseconds: u64,
}

impl Enough {
    /// The worker takes this task. Whether that is enough.
    pub(super) fn after(&mut self, task: TaskPtr) -> bool {
        if is_for_many(task) {
            return true;
        }
        self.nanoseconds += nanoseconds(weight(task));
        self.nanoseconds >= AT_ONCE
    }
}

/// How long a worker has to do with work of this weight, about: what belongs to each command takes half a microsecond.
pub(crate) fn nanoseconds(weight: u8) -> u64 {
    match weight {
        LIGHT => OVERHEAD,
        UNKNOWN => 4096,
        class => (1 << ((u64::from(class) - 1) / STEPS + u64::from(SHORTEST))).max(OVERHEAD),
    }
}

/// How long work of this weight takes, about; 0 if that is not known.
pub(super) fn known(weight: u8) -> u64 {
    if weight == UNKNOWN { 0 } else { nanoseconds(weight) }
}

/// How many workers, of up to `most`, it is worth to wake at once for these tasks: waking one costs the caller some
/// microseconds, and it begins some tens of microseconds later.
pub(super) fn worth_waking(list: &TaskList, most: usize) -> usize {
    let enough = most as u64 * AT_ONCE;
    let mut work = 0;
    for task in list.iter() {
        work += nanoseconds(weight(task));
        if work >= enough {
            return most;
        }
    }
    workers_for(work, most)
}

/// The same for so much work.
pub(super) fn workers_for(nanoseconds: u64, most: usize) -> usize {
    usize::try_from(nanoseconds / AT_ONCE).map_or(most, |workers| workers.min(most))
}

/// Whether some tasks are known to take longer than others, and the list is short enough to care.
fn is_uneven(list: &TaskList) -> bool {
    if !(2..=MOST).contains(&list.len()) {
        return false;
    }
    let mut weights = list.iter().map(weight);
    let first = weights.next();
    !weights.all(|weight| Some(weight) == first)
}

/// The same tasks, those that take longest first; equal ones stay in their order.
fn sort(list: TaskList) -> TaskList {
    if list.len() <= FEW { sort_first::<FEW>(list) } else { sort_first::<MOST>(list) }
}

/// Sorts the first `N`.
fn sort_first<const N: usize>(mut list: TaskList) -> TaskList {
    let mut tasks = [const { None }; N];
    let count = list.len().min(N);
    for entry in &mut tasks[..count] {
        *entry = list.pop().map(|task| (UNKNOWN - weight(task), task));
    }
    let tasks = &mut tasks[..count];
    tasks.sort_by_key(|entry| entry.map(|(rank, _)| rank));
    let mut sorted = TaskList::EMPTY;
    for (_, task) in tasks.iter().flatten() {
        sorted.push(*task);
    }
    sorted.append(list);
    sorted
}

/// The same tasks for a queue from which workers take a few at a time.
pub(super) fn longest_first(list: TaskList) -> TaskList {
    if is_uneven(&list) { sort(list) } else { list }
}

/// The same tasks for a worker that executes the first one now and keeps the others where `workers - 1` others take half
/// of them at a time: each half takes about as long as the other. They are dealt out like cards, there and back, and
/// the first hand, which is the worker's own, comes last.
pub(super) fn deal(list: TaskList, workers: usize) -> TaskList {
    if workers == 1 || !is_uneven(&list) {
        return list;
    }
    let mut list = sort(list);
    let count = workers.min(HANDS);
    let mut hands = [const { TaskList::EMPTY }; HANDS];
    let first = list.pop();
    for position in 1.. {
        let Some(task) = list.pop() else { break };
        let (round, place) = (position / count, position % count);
        hands[if round.is_multiple_of(2) { place } else { count - 1 - place }].push(task);
    }
    let [own, others @ ..] = hands;
    let mut dealt = TaskList::EMPTY;
    if let Some(first) = first {
        dealt.push(first);
    }
    for hand in others {
        dealt.append(hand);
    }
    dealt.append(own);
    dealt
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::shim::AtomicU8;
    use crate::task::{Fresh, Role, TaskRef};
    use oxcl_driver::EventId;

    #[test]
    fn classes_grow_with_the_time() {
        let of = |nanoseconds| class(Duration::from_nanos(nanoseconds));
        assert_eq!((of(0), of(63), of(64), of(68), of(69), of(128)), (LIGHT, LIGHT, 1, 1, 2, 14));
        assert!(of(20_000_000) < of(22_000_000) && of(u64::MAX) < UNKNOWN);
        assert!((0..60_000).all(|nanoseconds| of(nanoseconds) <= of(nanoseconds + 1)));
    }

    fn tasks(weights: &[u8]) -> Vec<TaskRef> {
        let task = |(number, weight): (u64, &u8)| {
            let mut task = Fresh::new(Role::OutOfOrder, EventId(number)).unwrap();
            task.weight = AtomicU8::new(*weight);
            task.share(1)
        };
        (0..).zip(weights).map(task).collect()
    }

    fn list(tasks: &[TaskRef]) -> TaskList {
        let mut list = TaskList::default();
        tasks.iter().for_each(|task| list.push(task.ptr()));
        list
    }

    fn numbers(list: &TaskList) -> Vec<u64> {
        // SAFETY: the tests keep the tasks.
        list.iter().map(|task| unsafe { task.get() }.id.0).collect()
    }

    #[test]
    fn heavy_tasks_come_first_and_are_dealt_out_evenly() {
        let tasks = tasks(&[10, 20, 30, 40, 50, 60, 70, 78]);
        assert_eq!(numbers(&longest_first(list(&tasks))), [7, 6, 5, 4, 3, 2, 1, 0]);
        // First 7 at once; another worker takes half of the rest: 6, 5, 2, 1. This one keeps 4, 3, 0.
        assert_eq!(numbers(&deal(list(&tasks), 2)), [7, 6, 5, 2, 1, 4, 3, 0]);
        assert_eq!(numbers(&deal(list(&tasks), 1)), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(deal(list(&tasks), 100).len(), 8);
    }

    #[test]
    fn equal_tasks_stay_in_their_order() {
        let tasks = tasks(&[5; 6]);
        assert_eq!(numbers(&deal(list(&tasks), 4)), [0, 1, 2, 3, 4, 5]);
        assert_eq!(numbers(&longest_first(list(&tasks))), [0, 1, 2, 3, 4, 5]);
    }
}
