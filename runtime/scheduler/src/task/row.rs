//! Tasks that wait for one task, as a row. A list that goes through the records of those who wait can only be walked by
//! one thread, which fetches each record from another processor's cache before it knows the next one; of a row every
//! thread can take an entry by its number, and the order in which they begin can be chosen without touching a record.
//!
//! A row has room for a task before others see the task that it belongs to, or never. One thread at a time makes room
//! ([`Row::reserve`]) and adds tasks ([`Row::join`]), until it knows that no more come ([`Row::seal`]) or the row is closed,
//! once, by whoever ends the task. From then on it only changes in [`Row::arrange`], which the same thread calls before others
//! see the row. A row that was sealed is in order by then: all workers wait for who ends the task, and nobody for who
//! enqueues. Telling the tasks is not done here.

use std::ops::Range;
use std::sync::OnceLock;

use super::{Task, TaskPtr};
use crate::faults;
use crate::pool::board::{Deal, OWN, OWNERS};
use crate::pool::weight;
use crate::queue::EnqueueError;
use crate::shim::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// No more tasks are taken.
const CLOSED: u32 = 1 << 31;

/// The same, and who adds them puts them into order.
const SEALED: u32 = 1 << 30;

/// That was done, and has moved some.
const ORDERED: u32 = 1 << 29;

/// What is left is the number of entries.
const COUNT: u32 = ORDERED - 1;

/// Entries of the first segment; a power of two.
const FIRST: usize = if cfg!(any(loom, test)) { 2 } else { 16 };

/// So many times as large as the one before is each segment.
const GROWTH: usize = 16;

/// Segments, with 16, 256, 4,096, 65,536 and 1,048,576 entries.
const SEGMENTS: usize = 5;

/// Bytes that processors exchange at once.
const LINE: usize = 64;

/// An entry.
type Entry = AtomicPtr<Task>;

/// So many entries at most are put into order.
const SORTED: usize = weight::MOST;

const _: () = assert!(SORTED <= 1 << u8::BITS);

/// The row. What says how many there are lies in the record, as whoever ends the task writes it while all workers wait; few tasks
/// have more, so the record has only room for the address of that.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Row {
    /// Entries, with what is known of them, or [`CLOSED`].
    count: AtomicU32,
    /// Entries when it was closed.
    length: AtomicU32,
    /// Entries that one worker takes at once. Written before the row is offered.
    share: AtomicU32,
    /// It was sealed when it was closed.
    sealed: AtomicBool,
    /// The entries' places are not those in which they came. Written before the row is offered.
    arranged: AtomicBool,
    entries: OnceLock<Box<Entries>>,
    /// How long the work of all entries takes, about.
    nanoseconds: AtomicU64,
}

/// What is in a row.
#[derive(Debug)]
struct Entries {
    /// The first entries' weights, close together, as they were written by another processor than the one that sorts.
    weights: [AtomicU8; SORTED],
    /// Which entry comes at each place, if they are arranged.
    order: [AtomicU8; SORTED],
    segments: [OnceLock<Box<[Entry]>>; SEGMENTS],
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

/// The segment of an entry, and its place there.
fn locate(mut index: usize) -> (usize, usize) {
    let (mut segment, mut size) = (0, FIRST);
    while index >= size {
        index -= size;
        size *= GROWTH;
        segment += 1;
    }
    (segment, index)
}

impl Entries {
    fn new() -> Entries {
        Entries {
            weights: std::array::from_fn(|_| AtomicU8::new(0)),
            order: std::array::from_fn(|_| AtomicU8::new(0)),
            segments: [const { OnceLock::new() }; SEGMENTS],
        }
    }

    /// Makes room for an entry behind so many.
    fn reserve(&self, count: usize) -> Result<(), EnqueueError> {
        let (segment, _) = locate(count);
        let Some(room) = self.segments.get(segment).filter(|room| room.get().is_none()) else {
            return Ok(());
        };
        let size = FIRST * GROWTH.pow(u32::try_from(segment).unwrap_or(0));
        let mut entries = Vec::new();
        faults::reserve(&mut entries, size)?;
        entries.extend((0..size).map(|_| AtomicPtr::new(std::ptr::null_mut())));
        let _ = room.set(entries.into_boxed_slice());
        Ok(())
    }

    fn entry(&self, index: usize) -> Option<&Entry> {
        let (segment, index) = locate(index);
        self.segments.get(segment)?.get()?.get(index)
    }

    /// Sorts so many entries, if they are few enough. Whether that has moved any.
    fn sort(&self, count: usize) -> bool {
        if !(2..=SORTED).contains(&count) {
            return false;
        }
        // By counting: comparisons that nobody can foresee took two microseconds.
        let mut ranks = [0_u8; SORTED];
        let mut next = [0_u8; 1 << u8::BITS];
        let (mut falls, mut before, mut least, mut most) = (true, 0, u8::MAX, 0);
        for (rank, weight) in ranks.iter_mut().zip(&self.weights).take(count) {
            *rank = u8::MAX - weight.load(Ordering::Relaxed);
            falls &= *rank >= before;
            before = *rank;
            (least, most) = (least.min(before), most.max(before));
            next[usize::from(before)] = next[usize::from(before)].wrapping_add(1);
        }
        if falls {
            return false;
        }
        // From how many there are of a rank to where the first of them goes.
        let mut first = 0_u8;
        for place in &mut next[usize::from(least)..=usize::from(most)] {
            first = first.wrapping_add(std::mem::replace(place, first));
        }
        for (number, rank) in (0..=u8::MAX).zip(&ranks[..count]) {
            let place = &mut next[usize::from(*rank)];
            if let Some(order) = self.order.get(usize::from(*place)) {
                order.store(number, Ordering::Relaxed);
            }
            *place = place.wrapping_add(1);
        }
        true
    }

    /// Has what [`Entries::sort`] reads and writes of so many entries brought to this processor.
    fn prefetch(&self, count: usize) {
        for line in (0..count).step_by(LINE) {
            crate::shim::prefetch(self.weights.as_ptr().wrapping_add(line));
            crate::shim::prefetch_to_write(self.order.as_ptr().wrapping_add(line));
        }
    }
}

impl Row {
    /// Without room for any task.
    pub(crate) fn new() -> Row {
        Row {
            count: AtomicU32::new(0),
            length: AtomicU32::new(0),
            share: AtomicU32::new(1),
            sealed: AtomicBool::new(false),
            arranged: AtomicBool::new(false),
            entries: OnceLock::new(),
            nanoseconds: AtomicU64::new(0),
        }
    }

    /// Makes room for one task more. Where a row has as many entries as it can have, it takes no more. Called by one
    /// thread at a time.
    pub(crate) fn reserve(&self) -> Result<(), EnqueueError> {
        // Only the caller adds tasks, so only [`CLOSED`] may be missed, and then the room is not used.
        let count = self.count.load(Ordering::Relaxed);
        if count & !COUNT != 0 {
            return Ok(());
        }
        if let Some(entries) = self.entries.get() {
            return entries.reserve(count as usize);
        }
        let entries = faults::try_box(Entries::new()).map_err(|_| EnqueueError::OutOfHostMemory)?;
        entries.reserve(0)?;
        let _ = self.entries.set(entries);
        Ok(())
    }

    /// Adds a task, which stays where it is until it was told. Called by one thread at a time.
    pub(crate) fn join(&self, task: TaskPtr) -> Joined {
        // Acquire pairs with the release half of the swap in `close`, for the case that it is closed.
        let count = self.count.load(Ordering::Acquire);
        if count & CLOSED != 0 {
            return Joined::Closed;
        }
        if count & SEALED != 0 {
            return Joined::Full;
        }
        let Some(entries) = self.entries.get() else { return Joined::Full };
        let Some(entry) = entries.entry(count as usize) else { return Joined::Full };
        // SAFETY: the caller is enqueueing the task, which cannot end before that is done.
        let weight = unsafe { task.get() }.weight.load(Ordering::Relaxed);
        entry.store(task.as_ptr(), Ordering::Relaxed);
        if let Some(place) = entries.weights.get(count as usize) {
            place.store(weight, Ordering::Relaxed);
        }
        let before = self.nanoseconds.load(Ordering::Relaxed);
        self.nanoseconds.store(before + weight::nanoseconds(weight), Ordering::Relaxed);
        // Release publishes the entry and the task to `close`; acquire as above.
        match self.count.compare_exchange(count, count + 1, Ordering::Release, Ordering::Acquire) {
            Ok(_) => Joined::Yes,
            Err(_) => Joined::Closed,
        }
    }

    /// How long the work of all tasks takes that have joined, about.
    pub(crate) fn nanoseconds(&self) -> u64 {
        self.nanoseconds.load(Ordering::Relaxed)
    }

    /// Closes the row. How many tasks are in it. Called once.
    pub(crate) fn close(&self) -> u32 {
        let Some(entries) = self.entries.get() else { return 0 };
        // Acquire pairs with the exchanges in `join`; release makes what came before visible to those that find it
        // closed.
        let found = self.count.swap(CLOSED, Ordering::AcqRel);
        // Other threads read these after the row was published to them. Where it is being sorted in this moment the tasks begin as
        // they came.
        self.sealed.store(found & SEALED != 0, Ordering::Relaxed);
        self.arranged.store(found & ORDERED != 0, Ordering::Relaxed);
        self.length.store(found & COUNT, Ordering::Relaxed);
        let count = found & COUNT;
        if found & SEALED == 0 && (2..=SORTED).contains(&(count as usize)) {
            // It is sorted soon.
            entries.prefetch(count as usize);
        }
        count
    }

    /// No more tasks are added. Called by the thread that adds them, if it knows: what comes all the same is refused as where
    /// there is no room.
    pub(crate) fn seal(&self) {
        let Some(entries) = self.entries.get() else { return };
        let count = self.count.load(Ordering::Relaxed);
        // Nothing is read of what others wrote: the caller has added all entries. Acquire for a row that was closed.
        let seal = || {
            self.count.compare_exchange(count, count | SEALED, Ordering::Relaxed, Ordering::Acquire).is_ok()
        };
        if count & !COUNT == 0 && seal() && entries.sort(count as usize) {
            // Release passes the order on to `close`. Where the row was closed meanwhile, it is not used.
            self.count.fetch_or(ORDERED, Ordering::Release);
        }
    }

    /// Tasks in a closed row.
    pub(crate) fn len(&self) -> u32 {
        self.length.load(Ordering::Relaxed)
    }

    /// How an arranged row is dealt out to so many workers: the first half to owners, where there are enough tasks, as these all begin
    /// at the same time, and know what comes next.
    fn deal(&self, workers: usize) -> Deal {
        let share = self.share.load(Ordering::Relaxed);
        let chunks = u64::from(self.len().div_ceil(share));
        let half = 2 * workers as u64;
        // More chunks than workers stay without owners.
        let owners = if chunks > half && workers <= OWNERS { workers } else { 0 };
        let each = if owners > 0 { (chunks / half).min(OWN) } else { 0 };
        Deal { owners, each, free: chunks - each * owners as u64 }
    }

    /// The tasks of a chunk of a row that was arranged for so many workers, as places. The owners' first chunks come first, then their
    /// second ones there and back, so that what one owns takes about as long as what another owns.
    pub(crate) fn chunk(&self, number: u64, workers: usize) -> Range<u32> {
        let (length, share) = (self.len(), self.share.load(Ordering::Relaxed));
        let Deal { owners, each, .. } = self.deal(workers);
        let owners = owners as u64;
        let index = match number.checked_sub(OWN * owners) {
            Some(free) => each * owners + free,
            None => {
                let (owner, turn) = (number / OWN, number % OWN);
                turn * owners + if turn.is_multiple_of(2) { owner } else { owners - 1 - owner }
            }
        };
        let first = u32::try_from(index).unwrap_or(u32::MAX).saturating_mul(share).min(length);
        first..first.saturating_add(share).min(length)
    }

    /// Has the task brought to this processor that is likely to be next for the worker `slot`, which has taken this chunk with the
    /// tasks at `here`: the first one of its own next chunk, or one of those that are taken when all workers take one more.
    pub(crate) fn prefetch_next(&self, number: u64, here: &Range<u32>, slot: usize, workers: usize) {
        let owns = number / OWN == slot as u64 && number % OWN + 1 < self.deal(workers).each;
        let place = if owns {
            self.chunk(number + 1, workers).start
        } else {
            let ahead = u32::try_from(workers).unwrap_or(u32::MAX).saturating_mul(here.end - here.start);
            here.end.saturating_add(ahead).saturating_sub(1)
        };
        self.at(place).inspect(|task| task.prefetch());
    }

    /// Puts a closed row that is about to be offered to `workers` into order: the tasks that take longest first, and as
    /// many at once as take a little while. The caller is the only one who sees the row.
    pub(crate) fn arrange(&self, workers: usize) -> Deal {
        let count = self.len() as usize;
        let most = (count / (2 * workers)).clamp(1, weight::SHARE_AT_MOST) as u64;
        let share = (count as u64 * weight::SHARE / self.nanoseconds().max(1)).clamp(1, most);
        self.share.store(u32::try_from(share).unwrap_or(1), Ordering::Relaxed);
        if !self.sealed.load(Ordering::Relaxed)
            && let Some(entries) = self.entries.get()
        {
            self.arranged.store(entries.sort(count), Ordering::Relaxed);
        }
        self.deal(workers)
    }

    /// The task at a place of a closed row; `None` behind its end.
    pub(crate) fn at(&self, place: u32) -> Option<TaskPtr> {
        if place >= self.len() {
            return None;
        }
        let entries = self.entries.get()?;
        let mut index = place;
        if self.arranged.load(Ordering::Relaxed) {
            index = entries.order.get(place as usize)?.load(Ordering::Relaxed).into();
        }
        TaskPtr::new(entries.entry(index as usize)?.load(Ordering::Relaxed))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::{Fresh, Role, TaskRef};
    use oxcl_driver::EventId;

    fn task(number: u64, weight: u8) -> TaskRef {
        let mut task = Fresh::new(Role::OutOfOrder, EventId(number)).unwrap();
        task.weight = AtomicU8::new(weight);
        task.share(1)
    }

    /// A closed row of tasks with these weights, arranged, as their numbers; and the tasks.
    fn arranged(weights: &[u8], workers: usize) -> (Row, Vec<u64>, Vec<TaskRef>) {
        let row = Row::new();
        let tasks: Vec<TaskRef> = (0..).zip(weights).map(|(number, weight)| task(number, *weight)).collect();
        for task in &tasks {
            row.reserve().unwrap();
            assert_eq!(row.join(task.ptr()), Joined::Yes);
        }
        assert_eq!(row.close() as usize, weights.len());
        row.arrange(workers);
        // SAFETY: the tasks are kept.
        let numbers = (0..row.len()).map(|place| unsafe { row.at(place).unwrap().get() }.id.0).collect();
        (row, numbers, tasks)
    }

    #[test]
    fn the_longest_come_first_and_equal_ones_stay_in_their_order() {
        assert_eq!(arranged(&[10, 20, 30, 20], 4).1, [2, 1, 3, 0]);
        assert_eq!(arranged(&[5; 40], 4).1, Vec::from_iter(0..40));
        let falling: Vec<u8> = (0..200).rev().collect();
        assert_eq!(arranged(&falling, 4).1, Vec::from_iter(0..200));
        let rising: Vec<u8> = (0..200).collect();
        assert_eq!(arranged(&rising, 4).1, Vec::from_iter((0..200).rev()));
        // Too many to sort.
        let many: Vec<u8> = (0..=255).chain(0..=255).collect();
        assert_eq!(arranged(&many, 4).1, Vec::from_iter(0..512));
    }

    #[test]
    fn long_tasks_are_taken_one_by_one_and_short_ones_together() {
        let share = |weight, count, workers| {
            let (row, ..) = arranged(&vec![weight; count], workers);
            row.chunk(0, workers).len()
        };
        assert_eq!(share(weight::of_work(16_000), 1000, 4), 1);
        assert!(share(0, 1000, 4) > 1);
        // Each worker takes several times.
        assert_eq!(share(0, 16, 8), 1);
    }

    #[test]
    fn every_task_is_in_one_chunk_and_owners_have_as_much_as_each_other() {
        for workers in [2, 3, 16, OWNERS, OWNERS + 1] {
            for count in [1, 2, 15, 16, 33, 64, 200, 256, 700] {
                let weights: Vec<u8> = (0..count).map(|number| (number % 200) as u8).collect();
                let (row, _, _tasks) = arranged(&weights, workers);
                let deal = row.arrange(workers);
                assert!(deal.owners == 0 || (deal.owners == workers && deal.free > workers as u64));
                let owned = (0..OWN * deal.owners as u64).filter(|chunk| chunk % OWN < deal.each);
                let free = OWN * deal.owners as u64..;
                let mut places: Vec<u32> = Vec::new();
                let mut sums = vec![0; workers];
                for chunk in owned.chain(free.take(usize::try_from(deal.free).unwrap())) {
                    let range = row.chunk(chunk, workers);
                    assert!(!range.is_empty());
                    if chunk < OWN * deal.owners as u64 {
                        sums[usize::try_from(chunk / OWN).unwrap()] += range.clone().sum::<u32>();
                    }
                    places.extend(range);
                }
                if deal.each.is_multiple_of(2) && row.chunk(0, workers).len() == 1 {
                    assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
                }
                places.sort_unstable();
                assert_eq!(places, (0..count).collect::<Vec<_>>(), "{workers} {count}");
            }
        }
    }

    #[test]
    fn a_sealed_row_is_in_order_and_takes_no_more() {
        let row = Row::new();
        let tasks: Vec<TaskRef> = (0..5_u8).map(|number| task(number.into(), number)).collect();
        row.seal();
        for task in &tasks[..4] {
            row.reserve().unwrap();
            assert_eq!(row.join(task.ptr()), Joined::Yes);
        }
        row.seal();
        row.reserve().unwrap();
        assert_eq!(row.join(tasks[4].ptr()), Joined::Full);
        row.seal();
        assert_eq!(row.close(), 4);
        row.arrange(2);
        // SAFETY: the tasks are kept.
        let numbers: Vec<u64> = (0..4).map(|place| unsafe { row.at(place).unwrap().get() }.id.0).collect();
        assert_eq!(numbers, [3, 2, 1, 0]);
        row.seal();
        assert_eq!(row.len(), 4);
    }

    #[test]
    fn what_has_no_room_or_comes_late_is_refused() {
        let row = Row::new();
        let (first, second) = (task(1, 0), task(2, 0));
        assert_eq!(row.join(first.ptr()), Joined::Full);
        row.reserve().unwrap();
        assert_eq!(row.join(first.ptr()), Joined::Yes);
        assert_eq!(row.close(), 1);
        assert_eq!(row.join(second.ptr()), Joined::Closed);
        row.reserve().unwrap();
        assert_eq!(row.len(), 1);
    }
}

#[cfg(all(test, loom))]
mod models {
    use std::sync::Arc;

    use loom::thread;
    use oxcl_driver::EventId;

    use super::*;
    use crate::task::{Fresh, Role, TaskRef};

    /// A row is closed while it is being sealed: each of its tasks is at one place, whoever comes first, and in order where it was
    /// sealed before.
    #[test]
    fn models_row_that_is_sealed_and_closed() {
        loom::model(|| {
            let row = Arc::new(Row::new());
            let tasks: Vec<TaskRef> = (0..2_u8)
                .map(|number| {
                    let mut task = Fresh::new(Role::OutOfOrder, EventId(number.into())).unwrap();
                    task.weight = AtomicU8::new(number);
                    task.share(1)
                })
                .collect();
            for task in &tasks {
                row.reserve().unwrap();
                assert_eq!(row.join(task.ptr()), Joined::Yes);
            }
            let theirs = Arc::clone(&row);
            let enqueuer = thread::spawn(move || theirs.seal());
            assert_eq!(row.close(), 2);
            row.arrange(2);
            // SAFETY: the tasks are kept.
            let found: Vec<u64> = (0..2).map(|place| unsafe { row.at(place).unwrap().get() }.id.0).collect();
            assert!(found == [0, 1] || found == [1, 0], "{found:?}");
            enqueuer.join().unwrap();
        });
    }
}
