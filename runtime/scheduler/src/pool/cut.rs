//! How a launch of many pieces is cut into chunks for the workers of a pool ([`super::board`]): large ones for three
//! quarters of it, then ever smaller ones, single pieces at last where these are not too short. Of a launch of equal pieces no
//! worker takes more than its share; of an unequal one the last chunks balance.
//!
//! A launch whose pieces are executed in their natural order may be cut so that the first seven eighths have owners: each
//! worker gets neighbouring pieces, the same in each launch of as many. What it writes in one launch it reads or writes in
//! the next, and has it in its caches (affinity scheduling: Markatos and LeBlanc, 1994).

use super::board::{Deal, OWN, OWNERS};

/// Large chunks that an owner has; the others are half as large.
const LARGE: u64 = 6;

/// The last chunks take as many nanoseconds as this, where it is known how long a launch takes: all workers come to one cache line
/// for them, which passes from one to the next in a tenth of that.
const SHORTEST: u64 = 1 << 10;

/// The cut of one launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pieces: u64,
    workers: u64,
    /// Pieces in each of the first chunks.
    largest: u64,
    /// Pieces in each of the last ones.
    least: u64,
    /// Whether the first chunks have owners.
    owned: bool,
}

impl Cut {
    /// Whether there are enough pieces for owners.
    pub(crate) fn may_have_owners(pieces: u64, workers: usize) -> bool {
        // Two pieces at least in each of the first chunks.
        pieces / 16 >= workers as u64 && workers <= OWNERS
    }

    /// Of so many pieces for so many workers; with owners where that is `wanted` and there are enough pieces. All of them take so
    /// many nanoseconds of processor time; 0: not known.
    pub(crate) fn new(pieces: u64, workers: usize, wanted: bool, time: u64) -> Cut {
        let largest = (pieces / (8 * workers as u64)).max(1);
        let owned = wanted && Cut::may_have_owners(pieces, workers);
        let short = if time == 0 { 1 } else { pieces.saturating_mul(SHORTEST).div_ceil(time) };
        // More chunks than workers stay without owners.
        let least = short.clamp(1, (largest / 2).max(1));
        Cut { pieces, workers: workers as u64, largest, least, owned }
    }

    /// How many workers own chunks.
    fn owners(&self) -> usize {
        // No more than `OWNERS`.
        if self.owned { usize::try_from(self.workers).unwrap_or(0) } else { 0 }
    }

    /// How many pieces belong to each owner.
    fn share(&self) -> u64 {
        LARGE * self.largest + (OWN - LARGE) * (self.largest / 2)
    }

    /// Goes through the stages without owners until one stops it: `each` gets the stage's first chunk and first piece, its
    /// number of chunks, and their size.
    fn stages<T>(&self, mut each: impl FnMut(u64, u64, u64, u64) -> Option<T>) -> Option<T> {
        let (mut chunk, mut piece) = (0, 0);
        let (mut size, mut count) = (self.largest, 6 * self.workers);
        if self.owned {
            (chunk, piece) = (OWN * self.workers, self.share() * self.workers);
            (size, count) = (self.largest / 4, 2 * self.workers);
        }
        while size > self.least {
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
        // The last of these may be smaller.
        each(chunk, piece, (self.pieces - piece).div_ceil(self.least), self.least)
    }

    /// Whose the chunks are.
    pub(crate) fn deal(&self) -> Deal {
        let owners = self.owners();
        Deal { owners, each: OWN, free: self.chunks() - OWN * owners as u64 }
    }

    /// How many chunks there are.
    fn chunks(&self) -> u64 {
        let all = |chunk, _, count, size| (size == self.least).then_some(chunk + count);
        self.stages(all).unwrap_or(0)
    }

    /// The first piece of a chunk, and how many it has.
    pub(crate) fn chunk(&self, number: u64) -> (u64, u64) {
        if self.owned && number < OWN * self.workers {
            let (share, own) = (number / OWN * self.share(), number % OWN);
            let half = self.largest / 2;
            return match own.checked_sub(LARGE) {
                None => (share + own * self.largest, self.largest),
                Some(own) => (share + LARGE * self.largest + own * half, half),
            };
        }
        let within = |chunk, piece, count, size: u64| {
            (number < chunk + count).then(|| {
                let first = piece + (number - chunk) * size;
                (first, size.min(self.pieces - first))
            })
        };
        self.stages(within).unwrap_or((self.pieces, 0))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::board::MOST;
    use super::*;

    #[test]
    fn every_piece_is_in_one_chunk() {
        for workers in [2, 3, 4, 15, 16, 64] {
            for pieces in [2, 3, 16, 17, 63, 64, 255, 256, 1000, 4096, 16_384, 1_000_001, u64::MAX] {
                let cut = Cut::new(pieces, workers, false, 0);
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
    fn an_owner_has_neighbouring_pieces_and_the_last_chunks_have_none() {
        for workers in [2, 3, 4, 15, 16, 64, OWNERS] {
            for pieces in [16, 48, 64, 255, 256, 1000, 4096, 16_384, 1_000_001, u64::MAX] {
                let new = |owners| Cut::new(pieces, workers, owners, 0);
                let (cut, plain) = (new(true), new(false));
                assert_eq!(plain.owners(), 0);
                let share = pieces / workers as u64;
                assert_eq!(cut.owners(), if share < 16 { 0 } else { workers }, "{pieces} {workers}");
                if cut.owners() == 0 {
                    assert_eq!(cut.chunks(), plain.chunks());
                    continue;
                }
                let owned = OWN * workers as u64;
                let end = (0..owned).fold(0, |next, number| {
                    let (first, count) = cut.chunk(number);
                    assert!(first == next && count > 0 && count * 8 <= share, "{pieces} {workers} {number}");
                    first + count
                });
                assert!(end >= pieces / 2 && end <= pieces - pieces / 16, "{pieces} {workers} {end}");
                assert_eq!(cut.chunk(owned).0, end);
            }
        }
        assert_eq!(Cut::new(u64::MAX, OWNERS + 1, true, 0).owners(), 0);
    }

    #[test]
    fn the_last_chunks_are_not_too_short_and_more_than_workers_have_no_owner() {
        for workers in [2, 3, 16, 64] {
            for pieces in [16, 255, 256, 1000, 4096, 16_384, 1_000_001] {
                for (time, owners) in [(1, true), (64, false), (200, true), (3000, true), (0, false)] {
                    let cut = Cut::new(pieces, workers, owners, time * pieces);
                    let all: Vec<(u64, u64)> = (0..cut.chunks()).map(|number| cut.chunk(number)).collect();
                    let end = all.iter().fold(0, |next, (first, count)| {
                        assert!(*first == next && *count > 0, "{pieces} {workers} {time}");
                        first + count
                    });
                    assert_eq!(end, pieces);
                    let free = all.len() - OWN as usize * cut.owners();
                    assert!(free > workers || all.len() <= workers, "{pieces} {workers} {time}");
                    let last = all[all.len().saturating_sub(2)].1;
                    let longest = pieces / (8 * workers as u64);
                    assert!(last == 1 || last <= longest && last * time >= SHORTEST.min(longest / 2 * time));
                }
            }
        }
    }
}
