//! What several workers do together: launches of many pieces, and rows of tasks to be told. Each stands at a place of
//! the board, cut into chunks; every worker that looks for work sees it there, and takes chunks by counting down one
//! number. Nobody passes it on, so all begin at about the same time.
//!
//! A place is free while its `task` is null. Who opens it reserves it by an exchange of that pointer, writes what belongs
//! to the task, and publishes all by putting the number of chunks into `left`. To take a chunk is to count `left` down by one: who
//! found [`MOST`] or less and more than zero has a chunk *of what stands at the place at that moment*, whatever it has
//! looked at before, and sees what its opener wrote. Others have counted below zero, which does nothing: the next opener
//! overwrites it. A chunk is a reference: the task ends, and the place becomes free, only when every chunk was executed
//! and reported ([`Task::finished`]), so who has a chunk that is not reported may read the place and the task. The one who
//! reports the last frees the place first and ends the task then.
//!
//! The board knows nothing of what chunks are; [`Cut`] says which pieces of a launch a chunk has.

use crate::shim::{AtomicPtr, AtomicU64, Ordering};
use crate::task::{Task, TaskPtr};

/// Chunks at one place, at most. What is counted below zero is above this.
pub(crate) const MOST: u64 = 1 << 62;

/// Keeps places on different cache lines.
#[derive(Debug)]
#[repr(align(128))]
struct Place {
    /// Chunks that nobody has taken.
    left: AtomicU64,
    /// Chunks in all.
    chunks: AtomicU64,
    task: AtomicPtr<Task>,
}

/// One chunk, which is the caller's to execute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    pub(crate) place: usize,
    pub(crate) task: TaskPtr,
    pub(crate) chunk: u64,
}

/// The board.
#[derive(Debug)]
pub(crate) struct Board {
    places: Box<[Place]>,
}

fn is_open(left: u64) -> bool {
    (1..=MOST).contains(&left)
}

impl Board {
    /// With a place for each worker: one that opens another launch, or row, has no chunk to take left of the one before,
    /// unless a kernel or a callback of its own waits.
    pub(crate) fn new(workers: usize) -> Board {
        let place = || Place {
            left: AtomicU64::new(0),
            chunks: AtomicU64::new(0),
            task: AtomicPtr::new(std::ptr::null_mut()),
        };
        Board { places: (0..workers).map(|_| place()).collect() }
    }

    /// Takes a free place, from `first` on, for a task that is to be put up there; `None` where there is none.
    pub(crate) fn reserve(&self, first: usize, task: TaskPtr) -> Option<usize> {
        let count = self.places.len();
        (first..first + count).map(|index| index % count).find(|index| {
            let holder = &self.places[*index].task;
            // Acquire pairs with the release in `close`: who had chunks of what stood here has read what is overwritten.
            holder.load(Ordering::Relaxed).is_null()
                && holder
                    .compare_exchange(
                        std::ptr::null_mut(),
                        task.as_ptr(),
                        Ordering::Acquire,
                        Ordering::Relaxed,
                    )
                    .is_ok()
        })
    }

    /// Lets all see the task for which the caller has reserved a place. The scheduler's reference goes to the board, and
    /// from there to whoever reports the last chunk. `chunks` is between 1 and [`MOST`].
    pub(crate) fn publish(&self, index: usize, chunks: u64) {
        let Some(place) = self.places.get(index) else { return };
        place.chunks.store(chunks, Ordering::Relaxed);
        // Release publishes the task, with what was written to it, and the number to whoever takes a chunk. An exchange, so
        // that what was counted below zero before is ordered before it in the models too.
        place.left.swap(chunks, Ordering::Release);
    }

    /// Takes a chunk of what stands at a place.
    pub(crate) fn claim(&self, index: usize) -> Option<Claim> {
        // Only to leave the line alone where there is nothing.
        if !is_open(self.places.get(index)?.left.load(Ordering::Relaxed)) {
            return None;
        }
        self.claim_seen(index)
    }

    /// The same where the caller has just seen chunks: looking once more would fetch the line twice, while all others want it.
    pub(crate) fn claim_seen(&self, index: usize) -> Option<Claim> {
        let place = self.places.get(index)?;
        // Acquire pairs with the exchange in `publish`; the counts between are part of its release sequence.
        let left = place.left.fetch_sub(1, Ordering::Acquire);
        if !is_open(left) {
            return None;
        }
        let chunk = place.chunks.load(Ordering::Relaxed) - left;
        let task = TaskPtr::new(place.task.load(Ordering::Relaxed))?;
        task.prefetch_shared_row();
        Some(Claim { place: index, task, chunk })
    }

    /// Takes a chunk from anywhere, first from the place `first`.
    pub(crate) fn claim_any(&self, first: usize) -> Option<Claim> {
        let count = self.places.len();
        (first..first + count).find_map(|index| self.claim(index % count))
    }

    /// Takes all chunks that are left at a place, of which the caller has one that is not reported. The number of the
    /// first one.
    pub(crate) fn claim_rest(&self, index: usize) -> Option<u64> {
        let place = self.places.get(index)?;
        // What stands here was seen when the caller's chunk was taken.
        let left = place.left.swap(0, Ordering::Relaxed);
        is_open(left).then(|| place.chunks.load(Ordering::Relaxed) - left)
    }

    /// Frees a place. The caller has reported the last chunk.
    pub(crate) fn close(&self, index: usize) {
        if let Some(place) = self.places.get(index) {
            // Release pairs with the acquire in `reserve`.
            place.task.store(std::ptr::null_mut(), Ordering::Release);
        }
    }

    /// Whether chunks are left at a place.
    pub(crate) fn has_chunks(&self, index: usize) -> bool {
        // Acquire as in `Inject::len`: it is asked by those who are about to sleep.
        self.places.get(index).is_some_and(|place| is_open(place.left.load(Ordering::Acquire)))
    }

    /// Whether chunks are left anywhere.
    pub(crate) fn has_work(&self) -> bool {
        self.open_place().is_some()
    }

    /// A place where chunks are left.
    pub(crate) fn open_place(&self) -> Option<usize> {
        (0..self.places.len()).find(|index| self.has_chunks(*index))
    }

    /// How many chunks are left, about.
    pub(crate) fn left(&self) -> usize {
        let left = self.places.iter().map(|place| place.left.load(Ordering::Relaxed));
        let sum = left.filter(|left| is_open(*left)).fold(0, u64::saturating_add);
        usize::try_from(sum).unwrap_or(usize::MAX)
    }
}

/// How a launch of many pieces is cut for so many workers: large chunks for three quarters of it, then ever smaller ones,
/// single pieces at last. Of a launch of equal pieces no worker takes more than its share; of an unequal one the last
/// chunks balance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pieces: u64,
    workers: u64,
    /// Pieces in each of the first chunks.
    largest: u64,
}

impl Cut {
    /// Of so many pieces for so many workers.
    pub(crate) fn new(pieces: u64, workers: usize) -> Cut {
        let workers = workers as u64;
        Cut { pieces, workers, largest: (pieces / (8 * workers)).max(1) }
    }

    /// Goes through the stages until one stops it: `each` gets the stage's first chunk and first piece, its number of
    /// chunks, and their size.
    fn stages<T>(&self, mut each: impl FnMut(u64, u64, u64, u64) -> Option<T>) -> Option<T> {
        let (mut chunk, mut piece) = (0, 0);
        let (mut size, mut count) = (self.largest, 6 * self.workers);
        while size > 1 {
            if let Some(found) = each(chunk, piece, count, size) {
                return Some(found);
            }
            chunk += count;
            piece += count * size;
            // What is left is at least what 2 * workers chunks of this size have, so that half of it is for those of
            // half the size.
            size /= 2;
            count = 2 * self.workers;
        }
        each(chunk, piece, self.pieces - piece, 1)
    }

    /// How many chunks there are.
    pub(crate) fn chunks(&self) -> u64 {
        let all = |chunk, _, count, size| (size == 1).then_some(chunk + count);
        self.stages(all).unwrap_or(0)
    }

    /// The first piece of a chunk, and how many it has.
    pub(crate) fn chunk(&self, number: u64) -> (u64, u64) {
        let within = |chunk, piece, count, size| {
            (number < chunk + count).then(|| (piece + (number - chunk) * size, size))
        };
        self.stages(within).unwrap_or((self.pieces, 0))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::{Fresh, Role};
    use oxcl_driver::EventId;

    #[test]
    fn every_piece_is_in_one_chunk() {
        for workers in [2, 3, 4, 15, 16, 64] {
            for pieces in [2, 3, 16, 17, 63, 64, 255, 256, 1000, 4096, 16_384, 1_000_001, u64::MAX] {
                let cut = Cut::new(pieces, workers);
                let chunks = cut.chunks();
                assert!((1..=MOST).contains(&chunks), "{pieces} {workers}");
                if pieces > 1 << 32 {
                    continue;
                }
                let (mut next, mut size) = (0, u64::MAX);
                for number in 0..chunks {
                    let (first, count) = cut.chunk(number);
                    assert_eq!(first, next, "{pieces} {workers}");
                    // Chunks grow smaller, and none is more than a fraction of a worker's share.
                    assert!(
                        count > 0 && count <= size && (count == 1 || count * 8 * workers as u64 <= pieces)
                    );
                    (next, size) = (first + count, count);
                }
                assert_eq!((next, size), (pieces, 1), "{pieces} {workers}");
            }
        }
    }

    #[test]
    fn a_place_is_taken_once_and_chunks_come_in_order() {
        let task = |number| Fresh::new(Role::OutOfOrder, EventId(number)).unwrap().share(1);
        let board = Board::new(2);
        let (one, two, three) = (task(1), task(2), task(3));
        assert!(!board.has_work() && board.claim_any(0).is_none());
        assert_eq!(board.reserve(1, one.ptr()), Some(1));
        assert_eq!(board.reserve(1, two.ptr()), Some(0));
        assert_eq!(board.reserve(0, three.ptr()), None);
        assert!(!board.has_work());
        board.publish(1, 2);
        board.publish(0, 5);
        assert_eq!(board.left(), 7);
        let chunks: Vec<u64> = std::iter::from_fn(|| board.claim(1)).map(|claim| claim.chunk).collect();
        assert_eq!(chunks, [0, 1]);
        let claim = board.claim_any(1).unwrap();
        assert_eq!((claim.place, claim.task, claim.chunk), (0, two.ptr(), 0));
        assert_eq!(board.claim_rest(0), Some(1));
        assert_eq!(board.claim_rest(0), None);
        assert!(!board.has_work());
        // The place is free only when the last chunk was reported.
        assert_eq!(board.reserve(1, three.ptr()), None);
        board.close(1);
        assert_eq!(board.reserve(0, three.ptr()), Some(1));
        board.publish(1, 1);
        assert_eq!(board.claim(1).map(|claim| claim.chunk), Some(0));
    }
}
