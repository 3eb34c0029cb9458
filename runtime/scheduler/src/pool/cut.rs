//! How a launch of many pieces is cut into chunks for the workers of a pool ([`super::board`]): large ones for three
//! quarters of it, then ever smaller ones, single pieces at last. Of a launch of equal pieces no worker takes more than its
//! share; of an unequal one the last chunks balance.
//!
//! A launch whose pieces are executed in their natural order may be cut so that the first seven eighths have owners: each
//! worker gets neighbouring pieces, the same in each launch of as many. What it writes in one launch it reads or writes in
//! the next, and has it in its caches (affinity scheduling: Markatos and LeBlanc, 1994).

use super::board::{OWN, OWNERS};

/// Large chunks that an owner has; the others are half as large.
const LARGE: u64 = 6;

/// The cut of one launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pieces: u64,
    workers: u64,
    /// Pieces in each of the first chunks.
    largest: u64,
    /// Whether the first chunks have owners.
    owned: bool,
}

impl Cut {
    /// Of so many pieces for so many workers; with owners where that is `wanted` and there are enough pieces.
    pub(crate) fn new(pieces: u64, workers: usize, wanted: bool) -> Cut {
        let largest = (pieces / (8 * workers as u64)).max(1);
        Cut { pieces, workers: workers as u64, largest, owned: wanted && largest > 1 && workers <= OWNERS }
    }

    /// How many workers own chunks.
    pub(crate) fn owners(&self) -> usize {
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
        if self.owned && number < OWN * self.workers {
            let (share, own) = (number / OWN * self.share(), number % OWN);
            let half = self.largest / 2;
            return match own.checked_sub(LARGE) {
                None => (share + own * self.largest, self.largest),
                Some(own) => (share + LARGE * self.largest + own * half, half),
            };
        }
        let within = |chunk, piece, count, size| {
            (number < chunk + count).then(|| (piece + (number - chunk) * size, size))
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
                let cut = Cut::new(pieces, workers, false);
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
                let (cut, plain) = (Cut::new(pieces, workers, true), Cut::new(pieces, workers, false));
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
        assert_eq!(Cut::new(u64::MAX, OWNERS + 1, true).owners(), 0);
    }
}
