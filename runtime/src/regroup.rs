//! Launches of few large work-groups that are cut into smaller ones, where no work-item can tell: threads would wait for the
//! one with the longest group, and a group that has begun keeps the code that it began with.
//!
//! In: a launch whose kernel asks nothing of its groups, and what its work-items took before. Out: the same index space in the
//! same groups or smaller ones. To begin a group costs tens of nanoseconds, so only groups that take long are cut, and those of
//! which nothing is known yet while the kernel's code is one made in a hurry, whose launches are made ready anew soon.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use oxcl_driver::Geometry;

/// A group that takes this long is worth cutting.
const LONG: Duration = Duration::from_micros(20);
/// What was cut stays so while a group as it was given takes this part of [`LONG`] at least.
const STILL: u32 = 4;
/// Groups for each thread that a launch is cut into: the scheduler gives out a sixteenth of a thread's share at a time, and
/// smaller parts at the end.
const PER_THREAD: u64 = 32;
/// A cut leaves so many work-items in a group at least, and half as many neighbours along x: lanes for the widest vectors.
const LEAST: u64 = 32;
/// Work-items whose time is kept.
const ITEMS: u128 = 1024;

/// How long a kernel's work-items take: nanoseconds that 1024 of them took in the launch that was looked at last; 0: not known.
#[derive(Debug, Default)]
pub(crate) struct Pace(AtomicU64);

impl Pace {
    fn note(&self, time: Duration, items: u64) {
        let pace = (time.as_nanos() * ITEMS / u128::from(items.max(1))).max(1);
        // Relaxed, here and below: an estimate that guards nothing.
        self.0.store(u64::try_from(pace).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn of(&self, items: u64) -> Option<Duration> {
        let pace = u128::from(self.0.load(Ordering::Relaxed));
        let time = pace * u128::from(items) / ITEMS;
        (pace != 0).then(|| Duration::from_nanos(u64::try_from(time).unwrap_or(u64::MAX)))
    }
}

/// A launch that may be cut, as it was made ready.
#[derive(Debug)]
pub(crate) struct Cutting {
    pace: Arc<Pace>,
    /// Work-items of the launch.
    items: u64,
    /// What all its groups take at most, if it was not cut, or at least.
    limit: Duration,
    is_cut: bool,
}

impl Cutting {
    /// The index space as it is cut for so many threads, and what there is to remember of that if it can be cut. `unknown`: cut where
    /// nothing is known of the kernel's time. No work-item can tell how `given` is cut, and its groups are all alike.
    pub(crate) fn choose(
        given: &Geometry,
        threads: u64,
        pace: &Arc<Pace>,
        unknown: impl FnOnce() -> bool,
    ) -> (Geometry, Option<Self>) {
        let local = smaller(given.global, given.local, threads);
        if local == given.local {
            return (*given, None);
        }
        let is_cut = pace.of(given.group_items()).map_or_else(unknown, |time| time >= LONG);
        let groups = std::array::from_fn(|dimension| given.global[dimension] / local[dimension]);
        let geometry = if is_cut { Geometry { groups, local, ..*given } } else { *given };
        let groups = given.group_count();
        let items = groups.saturating_mul(given.group_items());
        let limit = if is_cut { LONG / STILL } else { LONG };
        let limit = limit.saturating_mul(u32::try_from(groups).unwrap_or(u32::MAX));
        (geometry, Some(Self { pace: Arc::clone(pace), items, limit, is_cut }))
    }

    /// Keeps what the launch has taken, all groups together, for the next one of the kernel.
    pub(crate) fn note(&self, time: Duration) {
        self.pace.note(time, self.items);
    }

    /// Whether a launch that takes so long would be cut in the same way now.
    pub(crate) fn holds(&self, time: Duration) -> bool {
        (time >= self.limit) == self.is_cut
    }
}

/// The local size that `global` is cut by, `local` or smaller, so that all threads have work to the end. `local` divides
/// `global`; so does the result.
fn smaller(global: [u64; 3], mut local: [u64; 3], threads: u64) -> [u64; 3] {
    let wanted = threads.saturating_mul(PER_THREAD);
    let product = |sizes: [u64; 3]| sizes.iter().fold(1_u64, |product, &size| product.saturating_mul(size));
    let mut groups = product(std::array::from_fn(|d| global[d] / local[d].max(1)));
    while groups > 0 && groups < wanted && product(local) >= 2 * LEAST {
        // What lies farthest apart in memory is parted first.
        let half = |d: &usize| local[*d].is_multiple_of(2) && (*d > 0 || local[0] >= LEAST);
        let Some(dimension) = [2, 1, 0].into_iter().find(half) else { break };
        local[dimension] /= 2;
        groups *= 2;
    }
    local
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_large_groups_are_cut_and_others_are_left() {
        assert_eq!(smaller([2048, 1, 1], [256, 1, 1], 2), [32, 1, 1], "64 groups for two threads");
        assert_eq!(smaller([2048, 1, 1], [256, 1, 1], 1), [64, 1, 1]);
        assert_eq!(smaller([1 << 20, 1, 1], [256, 1, 1], 16), [256, 1, 1]);
        assert_eq!(smaller([256, 256, 1], [16, 16, 1], 16), [16, 8, 1]);
        assert_eq!(smaller([64, 64, 1], [16, 16, 1], 16), [16, 2, 1]);
        assert_eq!(smaller([8, 256, 1], [8, 32, 1], 2), [8, 4, 1]);
        assert_eq!(smaller([32, 32, 32], [4, 4, 4], 64), [4, 4, 2]);
        assert_eq!(smaller([4096, 1, 1], [4096, 1, 1], 64), [32, 1, 1]);
        assert_eq!(smaller([1000, 1, 1], [125, 1, 1], 2), [125, 1, 1], "an odd size");
        assert_eq!(smaller([24, 1, 1], [24, 1, 1], 2), [24, 1, 1], "small already");
        assert_eq!(smaller([0, 1, 1], [64, 1, 1], 2), [64, 1, 1], "nothing to do");
        assert_eq!(smaller([64, 1, 1], [64, 1, 1], u64::MAX), [32, 1, 1]);
    }

    #[test]
    fn cut_sizes_divide_what_they_were() {
        for x in [1, 2, 7, 48, 64, 97, 256] {
            for y in [1, 3, 17, 32] {
                for threads in [1, 2, 7, 64] {
                    let local = smaller([4 * x, 2 * y, 2], [x, y, 2], threads);
                    assert!([x, y, 2].iter().zip(local).all(|(given, cut)| given.is_multiple_of(cut)));
                }
            }
        }
    }

    #[test]
    fn what_a_group_takes_decides_and_a_launch_says_when_that_has_changed() {
        let given = Geometry {
            work_dim: 1,
            groups: [8, 1, 1],
            local: [256, 1, 1],
            global: [2048, 1, 1],
            offset: [5, 0, 0],
        };
        let pace = Arc::<Pace>::default();
        let choose = |unknown| Cutting::choose(&given, 2, &pace, || unknown);
        let (cut, first) = choose(true);
        assert_eq!((cut.groups, cut.local, cut.offset), ([64, 1, 1], [32, 1, 1], [5, 0, 0]));
        let (whole, _) = choose(false);
        assert_eq!(whole, given);
        // 8 groups of 30 us.
        let (first, long) = (first.unwrap(), Duration::from_micros(240));
        assert!(first.holds(long));
        first.note(long);
        let (cut, second) = choose(false);
        assert_eq!(cut.groups, [64, 1, 1]);
        let (second, short) = (second.unwrap(), Duration::from_micros(30));
        assert!(second.holds(Duration::from_micros(80)), "a third as long is no reason to change");
        assert!(!second.holds(short));
        second.note(short);
        let (whole, third) = choose(true);
        assert_eq!(whole, given);
        let third = third.unwrap();
        assert!(third.holds(Duration::from_micros(100)));
        assert!(!third.holds(Duration::from_micros(200)));
        third.note(Duration::from_micros(200));
        assert_eq!(choose(false).0.groups, [64, 1, 1]);
    }
}
