//! How long something must be that has room for so much in every cycle, when some of it cannot be early and some not late.
//!
//! What comes `head` cycles after the beginning or later, and is followed by `tail` cycles or more, must fit between. So for
//! every set of places, every head and every tail the length is at least head + tail + what there is of it over the places.

use std::collections::BTreeSet;

/// Sets of places (buses, units) that are looked at, at most.
const MOST_SETS: usize = 48;
/// Heads that are looked at, at most.
const MOST_HEADS: usize = 48;

/// Something that takes a place in one cycle each for every set of one of its ways: any place of that set.
#[derive(Debug, Clone)]
pub(super) struct Need {
    pub(super) ways: Vec<Vec<u64>>,
    pub(super) head: i64,
    pub(super) tail: i64,
}

impl Need {
    /// Something that takes any one place of a set.
    pub(super) fn one(places: u64, head: i64, tail: i64) -> Self {
        Self { ways: vec![vec![places]], head, tail }
    }

    /// How many places of a set it takes for certain.
    fn within(&self, set: u64) -> i64 {
        let of = |way: &Vec<u64>| way.iter().filter(|places| **places & !set == 0).count();
        i64::try_from(self.ways.iter().map(of).min().unwrap_or(0)).unwrap_or(0)
    }
}

/// The least number of cycles that has room for all of it.
pub(super) fn least_length(needs: &[Need]) -> i64 {
    let mut by_tail: Vec<&Need> = needs.iter().collect();
    by_tail.sort_by_key(|n| std::cmp::Reverse(n.tail));
    sets(needs).into_iter().map(|set| within(&by_tail, set)).max().unwrap_or(0)
}

/// The same for one set of places; the needs come with the longest tails first.
fn within(by_tail: &[&Need], set: u64) -> i64 {
    let places = i64::from(set.count_ones());
    let inside: Vec<(i64, i64, i64)> =
        by_tail.iter().map(|n| (n.within(set), n.head, n.tail)).filter(|(count, ..)| *count > 0).collect();
    let heads: BTreeSet<i64> = inside.iter().map(|n| n.1).collect();
    let step = heads.len().div_ceil(MOST_HEADS).max(1);
    let mut least = 0;
    for head in heads.into_iter().step_by(step) {
        let mut sum = 0;
        for (count, own, tail) in &inside {
            if *own >= head {
                sum += count;
                least = least.max(head + tail + (sum + places - 1) / places);
            }
        }
    }
    least
}

/// The sets that matter: those named, and unions of them.
fn sets(needs: &[Need]) -> BTreeSet<u64> {
    let named: BTreeSet<u64> =
        needs.iter().flat_map(|n| &n.ways).flatten().copied().filter(|set| *set != 0).collect();
    let mut all: BTreeSet<u64> = named.iter().copied().take(MOST_SETS).collect();
    all.extend(named.iter().copied().reduce(|a, b| a | b));
    for one in &named {
        let joined: Vec<u64> = all.iter().map(|other| one | other).collect();
        for set in joined {
            if all.len() < MOST_SETS {
                all.insert(set);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Need, least_length};

    #[test]
    fn what_cannot_be_early_waits() {
        let early = [Need::one(1, 0, 0), Need::one(1, 0, 0), Need::one(3, 0, 0), Need::one(2, 0, 0)];
        assert_eq!(least_length(&early), 2);
        let late = [Need::one(1, 0, 0), Need::one(1, 4, 2), Need::one(1, 4, 2)];
        assert_eq!(least_length(&late), 8);
        let either = Need { ways: vec![vec![1, 1, 1], vec![2]], head: 0, tail: 0 };
        assert_eq!(least_length(std::slice::from_ref(&either)), 1);
        assert_eq!(least_length(&[either, Need::one(2, 0, 0), Need::one(2, 0, 0)]), 2);
    }
}
