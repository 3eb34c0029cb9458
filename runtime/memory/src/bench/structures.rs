//! Candidate structures for the order of reclaim, least recently used first, under the load of a full pool: nine of ten
//! steps use a random resident object, one reclaims the first candidate and brings another object in.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::time::Instant;

use super::Numbers;
use crate::policy::list::IndexList;

/// A measured structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// What it is.
    pub name: &'static str,
    /// Whether it gives exactly the order of use.
    pub exact: bool,
    /// Nanoseconds a step.
    pub ns: f64,
}

trait Order: Default {
    /// The object is used now, and resident from now on.
    fn used(&mut self, object: u32, now: u64);
    /// Takes the first candidate out.
    fn reclaim(&mut self) -> Option<u32>;
}

impl Order for IndexList {
    fn used(&mut self, object: u32, _now: u64) {
        if self.room(object).is_ok() {
            self.push_back(object);
        }
    }

    fn reclaim(&mut self) -> Option<u32> {
        let first = self.front()?;
        self.remove(first);
        Some(first)
    }
}

fn stamp(stamps: &mut Vec<u64>, object: u32) -> &mut u64 {
    if object as usize >= stamps.len() {
        stamps.resize(object as usize + 1, 0);
    }
    &mut stamps[object as usize]
}

/// Pairs of last use and object in a balanced tree.
#[derive(Default)]
struct Tree {
    order: BTreeSet<(u64, u32)>,
    stamps: Vec<u64>,
}

impl Order for Tree {
    fn used(&mut self, object: u32, now: u64) {
        let old = std::mem::replace(stamp(&mut self.stamps, object), now);
        self.order.remove(&(old, object));
        self.order.insert((now, object));
    }

    fn reclaim(&mut self) -> Option<u32> {
        self.order.pop_first().map(|(_, object)| object)
    }
}

/// A heap with an entry for every use; outdated ones are passed over.
#[derive(Default)]
struct Heap {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    stamps: Vec<u64>,
}

impl Order for Heap {
    fn used(&mut self, object: u32, now: u64) {
        *stamp(&mut self.stamps, object) = now;
        self.heap.push(Reverse((now, object)));
    }

    fn reclaim(&mut self) -> Option<u32> {
        loop {
            let Reverse((at, object)) = self.heap.pop()?;
            let last = stamp(&mut self.stamps, object);
            if *last == at {
                *last = 0;
                return Some(object);
            }
        }
    }
}

/// The last use of each object in an array that is searched.
#[derive(Default)]
struct Array(Vec<u64>);

impl Order for Array {
    fn used(&mut self, object: u32, now: u64) {
        *stamp(&mut self.0, object) = now;
    }

    fn reclaim(&mut self) -> Option<u32> {
        let resident = self.0.iter().enumerate().filter(|(_, at)| **at > 0);
        let object = resident.min_by_key(|(_, at)| **at).map(|(object, _)| object as u32)?;
        self.0[object as usize] = 0;
        Some(object)
    }
}

/// Two bit vectors, resident and used since the hand passed: second chance, which only comes near the order of use.
#[derive(Default)]
struct Clock {
    resident: Vec<u64>,
    used: Vec<u64>,
    hand: u32,
}

impl Order for Clock {
    fn used(&mut self, object: u32, _now: u64) {
        let word = object as usize / 64;
        if word >= self.resident.len() {
            self.resident.resize(word + 1, 0);
            self.used.resize(word + 1, 0);
        }
        self.resident[word] |= 1 << (object % 64);
        self.used[word] |= 1 << (object % 64);
    }

    fn reclaim(&mut self) -> Option<u32> {
        // Twice round meets every object after its bit was cleared.
        for _ in 0..=2 * self.resident.len() {
            let word = self.hand as usize / 64 % self.resident.len().max(1);
            let ahead = u64::MAX << (self.hand % 64);
            let idle = self.resident.get(word)? & !self.used[word] & ahead;
            let passed = if idle == 0 { ahead } else { ahead & !(u64::MAX << idle.trailing_zeros()) };
            self.used[word] &= !passed;
            if idle != 0 {
                self.hand = word as u32 * 64 + idle.trailing_zeros();
                self.resident[word] &= !(1 << (self.hand % 64));
                return Some(self.hand);
            }
            self.hand = (word as u32 + 1) * 64 % (self.resident.len() as u32 * 64);
        }
        None
    }
}

fn measure<O: Order>(name: &'static str, exact: bool, objects: u32, steps: u64) -> Structure {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let mut numbers = Numbers::new(11);
        let mut order = O::default();
        let mut resident: Vec<u32> = (0..objects).collect();
        let mut places: Vec<u32> = resident.clone();
        let mut now = 0;
        for &object in &resident {
            now += 1;
            order.used(object, now);
        }
        let choices: Vec<u64> = (0..steps).map(|_| numbers.below(u64::from(objects) * 10)).collect();
        let begin = Instant::now();
        for choice in choices {
            now += 1;
            let at = (choice / 10) as usize;
            if choice % 10 != 0 {
                order.used(resident[at], now);
            } else if let Some(gone) = order.reclaim() {
                // The owner id goes to the next object, as ids do.
                let place = places[gone as usize];
                resident[place as usize] = gone;
                places[gone as usize] = place;
                order.used(gone, now);
            }
        }
        best = best.min(begin.elapsed().as_secs_f64() * 1e9 / steps as f64);
    }
    Structure { name, exact, ns: best }
}

/// All candidates with `objects` resident objects.
#[must_use]
pub fn reclaim_structures(objects: u32) -> Vec<Structure> {
    let steps = 200_000;
    vec![
        measure::<IndexList>("linked-list", true, objects, steps),
        measure::<Clock>("bit-vector-clock", false, objects, steps),
        measure::<Tree>("balanced-tree", true, objects, steps),
        measure::<Heap>("lazy-heap", true, objects, steps),
        measure::<Array>("array-scan", true, objects, steps / 10),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order<O: Order>() -> Vec<u32> {
        let mut order = O::default();
        for (now, object) in [3, 1, 4, 70, 5, 1, 3].into_iter().enumerate() {
            order.used(object, now as u64 + 1);
        }
        let mut gone: Vec<u32> = std::iter::from_fn(|| order.reclaim()).collect();
        order.used(9, 100);
        gone.extend(order.reclaim());
        gone
    }

    #[test]
    fn exact_structures_agree_and_the_clock_loses_nobody() {
        let expected = [4, 70, 5, 1, 3, 9];
        assert_eq!(order::<IndexList>(), expected);
        assert_eq!(order::<Tree>(), expected);
        assert_eq!(order::<Heap>(), expected);
        assert_eq!(order::<Array>(), expected);
        let mut clock = order::<Clock>();
        clock.sort_unstable();
        assert_eq!(clock, [1, 3, 4, 5, 9, 70]);
    }
}
