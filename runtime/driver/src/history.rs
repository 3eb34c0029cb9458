//! What is known of a launch from having executed it: how long it takes, and which of its parts take longest.
//!
//! Whoever executes a launch measures it now and then and asks before the next time. With that, of several commands
//! those that take longest begin first, and so do the parts of a launch whose work-groups differ: what begins last is
//! short, and the workers end together. A launch is cut into up to [`PARTS`] parts of neighbouring pieces.
//!
//! Everything here is an estimate: all accesses are relaxed, and executions of one launch that overlap may spoil each
//! other's figures but nothing else.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Most parts that a launch is cut into.
pub const PARTS: usize = 16;

/// So many executions are measured at first: what one that finds nothing in caches shows is no order.
const FIRST: u32 = 2;

/// And then one of about so many; a power of two.
const INTERVAL: u64 = 16;

/// Parts count as different if the longest takes so many times as long as the shortest, in hundredths.
pub const DIFFERENT: u32 = 125;

/// The same where order costs what is in the workers' caches, or what no worker had there takes longer: half as long again does no
/// harm, as what is cut small balances by itself.
pub const VERY_DIFFERENT: u32 = 200;

/// An order of parts: the number of the part that comes first in the lowest four bits, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOrder(u64);

impl PartOrder {
    /// From first to last.
    pub const NATURAL: PartOrder = PartOrder(0xfedc_ba98_7654_3210);

    /// As a number; never 0.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// What [`Self::to_bits`] gave; `None` for 0.
    #[must_use]
    pub fn from_bits(bits: u64) -> Option<PartOrder> {
        if bits == 0 { None } else { Some(PartOrder(bits)) }
    }

    fn part(self, position: usize) -> u64 {
        (self.0 >> (4 * position)) & 15
    }

    /// Where the piece at `position` of this order lies among `pieces` pieces, and how many follow it in its part,
    /// itself included. `position` is less than `pieces`.
    #[must_use]
    pub fn locate(self, pieces: u64, position: u64) -> (u64, u64) {
        if self == Self::NATURAL {
            let size = part_size(pieces);
            return (position, (size - position % size).min(pieces - position));
        }
        let mut left = position;
        for place in 0..PARTS {
            let (first, length) = part_range(pieces, self.part(place));
            if left < length {
                return (first + left, length - left);
            }
            left -= length;
        }
        // The parts' lengths add up to `pieces`, so this is not reached with a position among them.
        (position, 1)
    }
}

/// What is kept of a time, 0 if none is known, and a new one. A thread that is interrupted takes longer than the work, and so does one
/// that executes a launch for the first time: longer times count little, so that one of them does not change the order of launches or
/// of parts.
fn damped(old: u64, new: u64) -> u64 {
    if old == 0 || new < old { new } else { old + (new - old).min(old) / 8 }
}

fn part_size(pieces: u64) -> u64 {
    pieces.div_ceil(PARTS as u64).max(1)
}

/// The first piece of a part, and how many it has.
fn part_range(pieces: u64, part: u64) -> (u64, u64) {
    let size = part_size(pieces);
    let first = (size * part).min(pieces);
    (first, size.min(pieces - first))
}

/// What executions of one launch, or of equal ones, have shown. What every execution reads comes first, in one cache line.
#[derive(Debug)]
#[repr(C)]
pub struct History {
    /// Nanoseconds of processor time that it takes; 0: not known.
    whole: AtomicU64,
    order: AtomicU64,
    /// The longest of the known times over the shortest, in hundredths.
    ratio: AtomicU32,
    /// Executions that were measured, up to [`FIRST`].
    seen: AtomicU32,
    /// An execution is being measured.
    measuring: AtomicBool,
    /// Nanoseconds that each part took in the execution that is being measured.
    parts: [AtomicU32; PARTS],
    /// Nanoseconds that each part takes for a piece, times 16; 0: not known.
    known: [AtomicU32; PARTS],
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

impl History {
    /// Nothing is known.
    #[must_use]
    pub fn new() -> History {
        History {
            measuring: AtomicBool::new(false),
            seen: AtomicU32::new(0),
            whole: AtomicU64::new(0),
            parts: [const { AtomicU32::new(0) }; PARTS],
            known: [const { AtomicU32::new(0) }; PARTS],
            ratio: AtomicU32::new(100),
            order: AtomicU64::new(PartOrder::NATURAL.to_bits()),
        }
    }

    /// How long the launch takes, all pieces together; `None` before it was measured.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        let whole = self.whole.load(Ordering::Relaxed);
        (whole != 0).then(|| Duration::from_nanos(whole))
    }

    /// The order in which its parts are best begun: the longest first, if it takes `different` hundredths of the shortest or more
    /// ([`DIFFERENT`], [`VERY_DIFFERENT`]).
    #[must_use]
    pub fn order(&self, different: u32) -> PartOrder {
        if self.ratio.load(Ordering::Relaxed) < different {
            return PartOrder::NATURAL;
        }
        PartOrder(self.order.load(Ordering::Relaxed))
    }

    /// An execution begins, under a number that differs from those before. Whether the caller is to measure it: call
    /// [`Self::part`] for all pieces, then [`Self::end`]; or [`Self::end_whole`]. Usually this only reads.
    #[must_use]
    pub fn begin(&self, number: u64) -> bool {
        // Spread, so that numbers that grow by steps do not meet the same launches only.
        let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (spread.is_multiple_of(INTERVAL) || self.seen.load(Ordering::Relaxed) < FIRST)
            && !self.measuring.load(Ordering::Relaxed)
            && !self.measuring.swap(true, Ordering::Relaxed)
    }

    /// Of `pieces` pieces those from `first` on, all in one part, took `time`.
    pub fn part(&self, pieces: u64, first: u64, time: Duration) {
        let part = usize::try_from(first / part_size(pieces)).unwrap_or(usize::MAX);
        if let Some(sum) = self.parts.get(part) {
            let time = u32::try_from(time.as_nanos()).unwrap_or(u32::MAX);
            let add = |sum: u32| Some(sum.saturating_add(time));
            let _ = sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        }
    }

    /// All pieces of the measured execution have run.
    pub fn end(&self, pieces: u64) {
        // What each part takes for a piece, and its number.
        let mut parts = [(0_u32, 0_usize); PARTS];
        let mut whole = 0;
        let mut used = 0;
        for (number, entry) in parts.iter_mut().enumerate() {
            let time = u64::from(self.parts[number].swap(0, Ordering::Relaxed));
            let (_, length) = part_range(pieces, number as u64);
            whole += time;
            let new = (16 * time).checked_div(length).unwrap_or(0);
            let kept = damped(u64::from(self.known[number].load(Ordering::Relaxed)), new);
            *entry = (u32::try_from(kept).unwrap_or(u32::MAX), number);
            self.known[number].store(entry.0, Ordering::Relaxed);
            used += usize::from(length > 0);
        }
        let known = &mut parts[..used];
        // The longest first; of equal ones the first first.
        known.sort_unstable_by_key(|(time, number)| (u32::MAX - time, *number));
        let longest = known.first().map_or(0, |(time, _)| *time);
        let shortest = known.last().map_or(0, |(time, _)| *time);
        let ratio = (100 * u64::from(longest)).checked_div(u64::from(shortest)).unwrap_or(u64::MAX);
        let numbers = parts.iter().rev().fold(0, |bits, (_, number)| (bits << 4) | *number as u64);
        self.order.store(numbers, Ordering::Relaxed);
        self.ratio.store(u32::try_from(ratio).unwrap_or(u32::MAX), Ordering::Relaxed);
        self.end_whole(Duration::from_nanos(whole));
    }

    /// The measured execution took `time`, all pieces together.
    pub fn end_whole(&self, time: Duration) {
        let new = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
        let old = self.whole.load(Ordering::Relaxed);
        self.whole.store(damped(old, new), Ordering::Relaxed);
        let seen = self.seen.load(Ordering::Relaxed);
        if seen < FIRST {
            self.seen.store(seen + 1, Ordering::Relaxed);
        }
        self.measuring.store(false, Ordering::Relaxed);
    }

    /// The measured execution failed, and says nothing.
    pub fn give_up(&self) {
        for sum in &self.parts {
            sum.store(0, Ordering::Relaxed);
        }
        self.measuring.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(pieces: u64, time: impl Fn(u64) -> u64) -> History {
        let history = History::new();
        assert!(history.begin(1));
        for piece in 0..pieces {
            history.part(pieces, piece, Duration::from_nanos(time(piece)));
        }
        history.end(pieces);
        history
    }

    fn walk(order: PartOrder, pieces: u64) -> Vec<u64> {
        (0..pieces).map(|position| order.locate(pieces, position).0).collect()
    }

    #[test]
    fn every_piece_comes_once_in_any_order() {
        for pieces in [1, 2, 4, 15, 16, 17, 31, 40, 255, 256, 1000] {
            for history in [
                measured(pieces, |piece| 100 + piece),
                measured(pieces, |piece| 5000 - piece),
                measured(pieces, |piece| 100 + (piece * 7919) % 1013),
            ] {
                let order = history.order(DIFFERENT);
                let mut seen = walk(order, pieces);
                for position in 0..pieces {
                    let (first, follow) = order.locate(pieces, position);
                    for step in 0..follow {
                        assert_eq!(order.locate(pieces, position + step), (first + step, follow - step));
                    }
                }
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..pieces), "{pieces} {order:?}");
            }
        }
    }

    #[test]
    fn what_takes_longest_comes_first_and_equal_parts_stay_in_order() {
        assert_eq!(walk(measured(4, |piece| 1000 * (piece + 1)).order(DIFFERENT), 4), [3, 2, 1, 0]);
        assert_eq!(
            walk(measured(5, |piece| [10, 90, 50, 20, 70][piece as usize]).order(DIFFERENT), 5),
            [1, 4, 2, 3, 0]
        );
        assert_eq!(measured(64, |_| 100).order(DIFFERENT), PartOrder::NATURAL);
        assert_eq!(measured(64, |piece| 100 + piece % 4).order(DIFFERENT), PartOrder::NATURAL);
    }

    #[test]
    fn an_execution_that_is_disturbed_or_the_first_one_is_no_order() {
        let execute = |history: &History, late: u64, time: u64| {
            history.measuring.store(true, Ordering::Relaxed);
            for piece in 0..64 {
                let time = if piece / 4 == late { time } else { 100 };
                history.part(64, piece, Duration::from_nanos(time));
            }
            history.end(64);
        };
        let history = History::new();
        // Pages are made in the first one.
        execute(&history, 3, 900);
        assert_ne!(history.order(VERY_DIFFERENT), PartOrder::NATURAL);
        assert!(history.begin(1), "it is seen again at once");
        execute(&history, 5, 100);
        assert_eq!(history.order(DIFFERENT), PartOrder::NATURAL);
        // The thread that executes a part is interrupted.
        execute(&history, 7, 5000);
        assert_eq!(history.order(DIFFERENT), PartOrder::NATURAL);
        // A part that takes longer from now on.
        for _ in 0..8 {
            execute(&history, 9, 170);
        }
        assert_eq!(history.order(DIFFERENT).part(0), 9);
        assert_eq!(history.order(VERY_DIFFERENT), PartOrder::NATURAL);
    }

    #[test]
    fn some_executions_are_measured_and_spikes_are_damped() {
        let history = History::new();
        assert_eq!(history.time(), None);
        assert!(history.begin(7));
        // Other executions while this one is measured.
        assert!(!(0..100).any(|number| history.begin(number)));
        history.end_whole(Duration::from_nanos(1000));
        assert_eq!(history.time(), Some(Duration::from_nanos(1000)));
        assert!(history.begin(8));
        history.end_whole(Duration::from_nanos(1000));
        let due = |number: &u64| {
            let due = history.begin(*number);
            history.measuring.store(false, Ordering::Relaxed);
            due
        };
        for step in [1, 16, 17, 256] {
            let count = (0..1600 * step).step_by(usize::try_from(step).unwrap()).filter(due).count();
            assert!((50..200).contains(&count), "{step}: {count}");
        }
        history.end_whole(Duration::from_nanos(9000));
        assert_eq!(history.time(), Some(Duration::from_nanos(1125)));
        history.end_whole(Duration::from_nanos(900));
        assert_eq!(history.time(), Some(Duration::from_nanos(900)));
    }
}
