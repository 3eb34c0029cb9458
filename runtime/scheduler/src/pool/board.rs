//! What several workers do together: launches of many pieces, and rows of tasks to be told. Each stands at a place of
//! the board, cut into chunks; every worker that looks for work sees it there, and takes chunks. Nobody passes it on, so
//! all begin at about the same time.
//!
//! The first chunks may have owners ([`Deal`]): up to [`OWN`] for each worker, which takes these before any other. In one
//! launch after the other it has the same pieces, and finds what they read and write in its caches; and workers that begin
//! together do not all wait for one cache line. Whoever has none of its own left takes those of others, and then what belongs
//! to nobody.
//!
//! A place is free while its `task` is null. Who opens it reserves it by an exchange of that pointer, writes what belongs
//! to the task, and publishes all by setting a bit for each chunk that has an owner and by putting the number of the others
//! into `left`. To take a chunk is to clear its bit, or to count `left` down by one: who found the bit set, or [`MOST`] or
//! less and more than zero, has a chunk *of what stands at the place at that moment*, whatever it has looked at before,
//! and sees what its opener wrote. Others have cleared what was clear, or counted below zero, which does nothing: the next
//! opener overwrites it. The chunks without an owner are the last that are taken: whoever counts `left` down has seen no bit
//! set. Only a worker that looked at the bits before they were set takes one earlier, once in a launch, and there are more of
//! these chunks than workers; so as long as there is any chunk `left` says so, and nobody has to look at all bits to know.
//! A chunk is a reference: the task ends, and the place becomes free, only when every chunk was
//! executed and reported ([`Task::finished`]), so who has a chunk that is not reported may read the place and the task.
//! The one who reports the last frees the place first and ends the task then.
//!
//! The board knows nothing of what chunks are; [`Cut`](super::cut::Cut) says which pieces of a launch a chunk has.

use crate::shim::{AtomicPtr, AtomicU64, Ordering};
use crate::task::{Task, TaskPtr};

/// Chunks at one place, at most. What is counted below zero is above this.
pub(crate) const MOST: u64 = 1 << 62;

/// Chunks that one worker owns where chunks have owners.
pub(crate) const OWN: u64 = 8;

/// The bits of one worker's chunks.
const OWN_BITS: u64 = (1 << OWN) - 1;

/// Workers whose chunks' bits share a word, at most.
const TOGETHER: usize = 64 / OWN as usize;

/// Words of a place that workers use at least, if there are so many workers: with fewer they wait for each other when all
/// begin; with more who has nothing left looks through more.
const SPREAD: usize = 4;

/// Words at a place.
const WORDS: usize = 16;

/// Workers that can own chunks, at most: where there are more, nobody does.
pub(crate) const OWNERS: usize = TOGETHER * WORDS;

/// Something with a cache line of its own: what one worker writes is not in the line that others read or write at that time.
#[derive(Debug)]
#[repr(align(64))]
struct Line<T>(T);

/// Keeps places on different pairs of cache lines.
#[derive(Debug)]
#[repr(align(128))]
struct Place {
    /// Chunks without an owner that nobody has taken.
    left: Line<AtomicU64>,
    what: Line<What>,
    /// A bit for each chunk that has an owner and that nobody has taken.
    owned: [Line<AtomicU64>; WORDS],
}

/// What stands at a place.
#[derive(Debug)]
struct What {
    /// Chunks in all.
    chunks: AtomicU64,
    /// Chunks that each owner had; 0: none has an owner.
    each: AtomicU64,
    task: AtomicPtr<Task>,
}

/// One chunk, which is the caller's to execute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    pub(crate) place: usize,
    pub(crate) task: TaskPtr,
    pub(crate) chunk: u64,
}

/// Who owns what is put up: `each` chunks for every one of `owners` workers, at most [`OWN`], and `free` ones for nobody, which
/// are more than there are workers if any have owners. The number of an owned chunk is `OWN * worker + index`; those of the free
/// ones begin at `OWN * owners`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Deal {
    pub(crate) owners: usize,
    pub(crate) each: u64,
    pub(crate) free: u64,
}

impl Deal {
    /// How many chunks there are.
    pub(crate) fn chunks(self) -> u64 {
        self.owners as u64 * self.each + self.free
    }

    /// No chunk has this number or a larger one.
    fn end(self) -> u64 {
        self.owners as u64 * OWN + self.free
    }
}

/// The board.
#[derive(Debug)]
pub(crate) struct Board {
    places: Box<[Place]>,
    /// Words that are used at each place.
    words: usize,
    /// Workers whose chunks' bits share a word.
    together: usize,
}

fn is_open(left: u64) -> bool {
    (1..=MOST).contains(&left)
}

impl Board {
    /// With a place for each worker: one that opens another launch, or row, has no chunk to take left of the one before,
    /// unless a kernel or a callback of its own waits.
    pub(crate) fn new(workers: usize) -> Board {
        let place = || Place {
            left: Line(AtomicU64::new(0)),
            what: Line(What {
                chunks: AtomicU64::new(0),
                each: AtomicU64::new(0),
                task: AtomicPtr::new(std::ptr::null_mut()),
            }),
            owned: std::array::from_fn(|_| Line(AtomicU64::new(0))),
        };
        let together = workers.div_ceil(SPREAD).clamp(1, TOGETHER);
        let words = workers.div_ceil(together).min(WORDS);
        Board { places: (0..workers).map(|_| place()).collect(), words, together }
    }

    /// The words of a place that are used.
    fn owned<'a>(&self, place: &'a Place) -> &'a [Line<AtomicU64>] {
        &place.owned[..self.words]
    }

    /// Takes a free place, from `first` on, for a task that is to be put up there; `None` where there is none. What
    /// [`Board::publish`] writes comes to this processor meanwhile, as others have it.
    pub(crate) fn reserve(&self, first: usize, task: TaskPtr) -> Option<usize> {
        let count = self.places.len();
        let found = (first..first + count).map(|index| index % count).find(|index| {
            let holder = &self.places[*index].what.0.task;
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
        });
        if let Some(place) = found.and_then(|index| self.places.get(index)) {
            self.prefetch_words(place);
            crate::shim::prefetch_to_write(std::ptr::from_ref(&place.left));
        }
        found
    }

    /// Has what is written where a worker opens a task brought to its processor, but for what all look at again and again.
    pub(crate) fn prefetch_place(&self, index: usize) {
        if let Some(place) = self.places.get(index) {
            crate::shim::prefetch_to_write(std::ptr::from_ref(&place.what));
            self.prefetch_words(place);
        }
    }

    fn prefetch_words(&self, place: &Place) {
        for word in self.owned(place) {
            crate::shim::prefetch_to_write(std::ptr::from_ref(word));
        }
    }

    /// Lets all see the task for which the caller has reserved a place. The scheduler's reference goes to the board, and
    /// from there to whoever reports the last chunk. There are between 1 and [`MOST`] chunks.
    pub(crate) fn publish(&self, index: usize, deal: Deal) {
        let Some(place) = self.places.get(index) else { return };
        place.what.0.chunks.store(deal.end(), Ordering::Relaxed);
        place.what.0.each.store(deal.each, Ordering::Relaxed);
        // Each release publishes the task, with what was written to it, and the number to whoever takes a chunk. Exchanges, so
        // that what was cleared or counted below zero before is ordered before them in the models too. Who takes a chunk before
        // the others are published has one that is not reported, so the place stays as it is.
        let each = u64::MAX / OWN_BITS * (OWN_BITS >> (OWN - deal.each));
        let mut rest = deal.owners;
        for word in self.owned(place) {
            let here = rest.min(self.together);
            if here == 0 {
                break;
            }
            word.0.swap(each & (u64::MAX >> (64 - OWN as usize * here)), Ordering::Release);
            rest -= here;
        }
        place.left.0.swap(deal.free, Ordering::Release);
    }

    /// Takes a chunk of what stands at a place, for the worker `slot`.
    pub(crate) fn claim(&self, index: usize, slot: usize) -> Option<Claim> {
        // Only to leave the line alone where there is nothing.
        if !is_open(self.places.get(index)?.left.0.load(Ordering::Relaxed)) {
            return None;
        }
        self.claim_seen(index, slot)
    }

    /// The same for a worker that has a chunk of what stands there, which it has not reported: it does not look whether there is
    /// one left before it has looked for its own.
    pub(crate) fn claim_next(&self, index: usize, slot: usize) -> Option<Claim> {
        let place = self.places.get(index)?;
        let is_left = || is_open(place.left.0.load(Ordering::Relaxed));
        let chunk =
            self.take_owned(place, slot).or_else(|| if is_left() { take_free(place) } else { None })?;
        self.claimed(index, chunk)
    }

    /// The same where the caller has just seen chunks: looking once more would fetch the line twice, while all others want it.
    pub(crate) fn claim_seen(&self, index: usize, slot: usize) -> Option<Claim> {
        let place = self.places.get(index)?;
        // What is read here is read below in any case. Where it is an earlier opener's, only time is lost.
        if place.what.0.each.load(Ordering::Relaxed) != 0 {
            self.prefetch(place, slot);
        }
        let chunk = self.take_owned(place, slot).or_else(|| take_free(place))?;
        self.claimed(index, chunk)
    }

    /// A chunk that was taken.
    fn claimed(&self, index: usize, chunk: u64) -> Option<Claim> {
        let task = TaskPtr::new(self.places.get(index)?.what.0.task.load(Ordering::Relaxed))?;
        task.prefetch_shared_row();
        Some(Claim { place: index, task, chunk })
    }

    /// Has the word with the bits of a worker's chunks brought to its processor, which is about to clear one of them: who reads
    /// it first fetches it twice.
    fn prefetch(&self, place: &Place, slot: usize) {
        if let Some(word) = self.owned(place).get(slot / self.together) {
            crate::shim::prefetch_to_write(std::ptr::from_ref(word));
        }
    }

    /// Takes a chunk that has an owner: the worker's own first one, or another's last one; the next worker's first, so that
    /// not all come to the same.
    fn take_owned(&self, place: &Place, slot: usize) -> Option<u64> {
        let words = self.owned(place);
        let (own, turn) = (slot / self.together, slot % self.together * OWN as usize);
        let mut seen = words.get(own)?.0.load(Ordering::Relaxed);
        while (seen >> turn) & OWN_BITS != 0 {
            let bit = turn + ((seen >> turn) & OWN_BITS).trailing_zeros() as usize;
            if take_bit(&words[own], bit, &mut seen) {
                return Some(self.number(own, bit));
            }
        }
        (own..own + words.len()).map(|index| index % words.len()).find_map(|index| {
            let mut seen = words[index].0.load(Ordering::Relaxed);
            while seen != 0 {
                let turned = seen.rotate_right(turn as u32);
                let first = turned.trailing_zeros() as usize / OWN as usize * OWN as usize;
                let last = ((turned >> first) & OWN_BITS).ilog2() as usize;
                let bit = (turn + first + last) % 64;
                if take_bit(&words[index], bit, &mut seen) {
                    return Some(self.number(index, bit));
                }
            }
            None
        })
    }

    /// The number of the chunk of a bit of a word.
    fn number(&self, word: usize, bit: usize) -> u64 {
        OWN * (self.together * word) as u64 + bit as u64
    }

    /// Takes a chunk from anywhere, for the worker `slot`, first from the place that is its own.
    pub(crate) fn claim_any(&self, slot: usize) -> Option<Claim> {
        let count = self.places.len();
        (slot..slot + count).find_map(|index| self.claim(index % count, slot))
    }

    /// Takes all chunks that are left at a place, of which the caller has one that is not reported: `each` gets those that had
    /// owners. The number of the first one of the others.
    pub(crate) fn claim_rest(&self, index: usize, mut each: impl FnMut(u64)) -> Option<u64> {
        let place = self.places.get(index)?;
        // What stands here was seen when the caller's chunk was taken; what is not published yet is left to all.
        for (number, word) in self.owned(place).iter().enumerate() {
            let mut taken =
                if word.0.load(Ordering::Relaxed) == 0 { 0 } else { word.0.swap(0, Ordering::Relaxed) };
            while taken != 0 {
                each(self.number(number, taken.trailing_zeros() as usize));
                taken &= taken - 1;
            }
        }
        let left = place.left.0.swap(0, Ordering::Relaxed);
        is_open(left).then(|| place.what.0.chunks.load(Ordering::Relaxed) - left)
    }

    /// Frees a place. The caller has reported the last chunk.
    pub(crate) fn close(&self, index: usize) {
        if let Some(place) = self.places.get(index) {
            // Release pairs with the acquire in `reserve`.
            place.what.0.task.store(std::ptr::null_mut(), Ordering::Release);
        }
    }

    /// Whether chunks are left at a place.
    pub(crate) fn has_chunks(&self, index: usize) -> bool {
        // Acquire as in `Inject::len`: it is asked by those who are about to sleep.
        self.places.get(index).is_some_and(|place| is_open(place.left.0.load(Ordering::Acquire)))
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
        let sum = self.places.iter().fold(0_u64, |sum, place| {
            let left = place.left.0.load(Ordering::Relaxed);
            let owned =
                self.owned(place).iter().map(|word| u64::from(word.0.load(Ordering::Relaxed).count_ones()));
            let all = owned.sum::<u64>().saturating_add(if is_open(left) { left } else { 0 });
            sum.saturating_add(all)
        });
        usize::try_from(sum).unwrap_or(usize::MAX)
    }
}

/// Takes a chunk that belongs to nobody.
fn take_free(place: &Place) -> Option<u64> {
    // Acquire pairs with the exchange in `publish`; the counts between are part of its release sequence.
    let left = place.left.0.fetch_sub(1, Ordering::Acquire);
    is_open(left).then(|| place.what.0.chunks.load(Ordering::Relaxed) - left)
}

/// Takes the chunk of a bit of a word; false if another has it. `seen` is what is left then.
fn take_bit(word: &Line<AtomicU64>, bit: usize, seen: &mut u64) -> bool {
    let mask = 1 << bit;
    // Acquire pairs with the exchange in `publish`; what was cleared between is part of its release sequence.
    let before = word.0.fetch_and(!mask, Ordering::Acquire);
    *seen = before & !mask;
    before & mask != 0
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::{Fresh, Role};
    use oxcl_driver::EventId;

    fn free(free: u64) -> Deal {
        Deal { owners: 0, each: 0, free }
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
        board.publish(1, free(2));
        board.publish(0, free(5));
        assert_eq!(board.left(), 7);
        let chunks: Vec<u64> = std::iter::from_fn(|| board.claim(1, 0)).map(|claim| claim.chunk).collect();
        assert_eq!(chunks, [0, 1]);
        let claim = board.claim_any(1).unwrap();
        assert_eq!((claim.place, claim.task, claim.chunk), (0, two.ptr(), 0));
        let none = |chunk| panic!("{chunk} has an owner");
        assert_eq!(board.claim_rest(0, none), Some(1));
        assert_eq!(board.claim_rest(0, none), None);
        assert!(!board.has_work());
        // The place is free only when the last chunk was reported.
        assert_eq!(board.reserve(1, three.ptr()), None);
        board.close(1);
        assert_eq!(board.reserve(0, three.ptr()), Some(1));
        board.publish(1, free(1));
        assert_eq!(board.claim(1, 0).map(|claim| claim.chunk), Some(0));
    }

    #[test]
    fn workers_take_their_own_chunks_first_and_then_those_of_others() {
        let task = Fresh::new(Role::OutOfOrder, EventId(1)).unwrap().share(1);
        let workers = 20;
        let board = Board::new(workers);
        let owned = OWN * workers as u64;
        let deal = Deal { owners: workers, each: OWN, free: 21 };
        let all = || std::iter::from_fn(|| board.claim(3, 7)).map(|claim| claim.chunk);
        assert_eq!(board.reserve(3, task.ptr()), Some(3));
        board.publish(3, deal);
        assert_eq!(board.left(), usize::try_from(owned).unwrap() + 21);
        let own: Vec<u64> = all().take(8).collect();
        assert_eq!(own, (56..64).collect::<Vec<_>>());
        // The next worker's last one.
        assert_eq!(all().next(), Some(71));
        assert_eq!(board.claim(3, 8).map(|claim| claim.chunk), Some(64));
        assert_eq!(board.claim(3, 19).map(|claim| claim.chunk), Some(152));
        let mut rest: Vec<u64> = all().collect();
        // What has no owner comes last, in order.
        assert_eq!(rest[rest.len() - 21..], (owned..owned + 21).collect::<Vec<_>>());
        rest.sort_unstable();
        let left = |chunk: &u64| !(56..64).contains(chunk) && ![64, 71, 152].contains(chunk);
        assert_eq!(rest, (0..owned + 21).filter(left).collect::<Vec<_>>());
        assert!(!board.has_work());
        board.close(3);
        // After a failure the rest is taken at once.
        assert_eq!(board.reserve(3, task.ptr()), Some(3));
        board.publish(3, deal);
        assert_eq!(board.claim(3, 0).map(|claim| claim.chunk), Some(0));
        let mut taken = Vec::new();
        assert_eq!(board.claim_rest(3, |chunk| taken.push(chunk)), Some(owned));
        assert_eq!(taken, (1..owned).collect::<Vec<_>>());
        assert!(!board.has_work() && board.claim(3, 5).is_none());
    }

    #[test]
    fn each_worker_may_own_fewer() {
        let task = Fresh::new(Role::OutOfOrder, EventId(1)).unwrap().share(1);
        for workers in [2, 3, 5, 16, 33, OWNERS] {
            for each in [1, 2, 7] {
                let board = Board::new(workers);
                let deal = Deal { owners: workers, each, free: workers as u64 + 1 };
                assert_eq!(board.reserve(0, task.ptr()), Some(0));
                board.publish(0, deal);
                assert_eq!(board.left() as u64, deal.chunks());
                for slot in 0..workers {
                    let first = board.claim(0, slot).map(|claim| claim.chunk);
                    assert_eq!(first, Some(OWN * slot as u64));
                }
                let mut all: Vec<u64> = (0..workers as u64).map(|slot| OWN * slot).collect();
                all.extend(std::iter::from_fn(|| board.claim(0, 1)).map(|claim| claim.chunk));
                all.sort_unstable();
                let owned = (0..OWN * workers as u64).filter(|chunk| chunk % OWN < each);
                assert_eq!(all, owned.chain(deal.end() - deal.free..deal.end()).collect::<Vec<_>>());
                board.close(0);
            }
        }
    }
}
