//! Measurements of this crate: the allocator's speed and fragmentation beside first fit on a list, and the candidate
//! structures for the order of reclaim. `oxcl bench memory` and `cargo bench -p oxcl-memory` run them; the latter puts an
//! allocator from elsewhere beside them. Nothing here knows a device.

mod first_fit;
mod recorded;
mod structures;
mod traces;

use std::time::Instant;

use crate::bufalloc::{BufAlloc, Chunk, Strategy};

pub use first_fit::FirstFit;
pub use recorded::recorded;
pub use structures::{Structure, reclaim_structures};
pub use traces::{Event, Trace, traces};

/// Alignment of all measured allocations.
pub const ALIGNMENT: u64 = 256;

/// An allocator over a region that begins at address 0, as the measurements use it.
pub trait Allocator {
    /// What it takes to free a chunk.
    type Chunk: Copy;

    /// An allocator of `size` bytes.
    fn over(size: u64) -> Self;

    /// Takes a chunk.
    fn take(&mut self, size: u64) -> Option<Self::Chunk>;

    /// Gives it back.
    fn give(&mut self, chunk: Self::Chunk);
}

/// [`BufAlloc`] that fills holes first.
#[derive(Debug)]
pub struct Tight(BufAlloc);

/// [`BufAlloc`] that takes from the untouched end first.
#[derive(Debug)]
pub struct Wasteful(BufAlloc);

fn bufalloc(size: u64, strategy: Strategy) -> BufAlloc {
    BufAlloc::new(0, size.max(ALIGNMENT), ALIGNMENT, strategy).expect("the measured regions are not empty")
}

impl Allocator for Tight {
    type Chunk = Chunk;

    fn over(size: u64) -> Self {
        Self(bufalloc(size, Strategy::Tight))
    }

    fn take(&mut self, size: u64) -> Option<Chunk> {
        self.0.allocate(size).ok()
    }

    fn give(&mut self, chunk: Chunk) {
        let freed = self.0.free(chunk);
        debug_assert_eq!(freed, Ok(()), "traces free what they took");
    }
}

impl Allocator for Wasteful {
    type Chunk = Chunk;

    fn over(size: u64) -> Self {
        Self(bufalloc(size, Strategy::Wasteful))
    }

    fn take(&mut self, size: u64) -> Option<Chunk> {
        self.0.allocate(size).ok()
    }

    fn give(&mut self, chunk: Chunk) {
        let freed = self.0.free(chunk);
        debug_assert_eq!(freed, Ok(()), "traces free what they took");
    }
}

/// Numbers that look random and are the same in every run.
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// Numbers of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }

    /// The next size: between `least` and `most`, every order of magnitude as likely as every other.
    pub fn size(&mut self, least: u64, most: u64) -> u64 {
        let octaves = u64::from(most.ilog2() - least.ilog2()) + 1;
        let floor = least.max(1) << self.below(octaves);
        (floor + self.below(floor)).min(most)
    }
}

/// Nanoseconds of one allocation and one free while `live` chunks of mixed sizes are allocated: a random chunk goes and
/// another one of another size comes, in a region that is three quarters full.
#[must_use]
pub fn allocate_and_free<A: Allocator>(live: usize, rounds: u64) -> f64 {
    let mut numbers = Numbers::new(7);
    let sizes: Vec<u64> = (0..4096).map(|_| numbers.size(256, 64 << 10)).collect();
    let mean = sizes.iter().sum::<u64>() / sizes.len() as u64;
    let mut region = A::over(mean * live as u64 / 3 * 4);
    let mut chunks: Vec<A::Chunk> = Vec::with_capacity(live);
    while chunks.len() < live {
        let Some(chunk) = region.take(sizes[chunks.len() % sizes.len()]) else { break };
        chunks.push(chunk);
    }
    let victims: Vec<usize> = (0..4096).map(|_| numbers.below(chunks.len() as u64) as usize).collect();
    let mut measure = |rounds: u64| {
        let begin = Instant::now();
        for round in 0..rounds as usize {
            let victim = victims[round % victims.len()];
            region.give(chunks[victim]);
            // The sizes go round with another period than the victims, so that pairs do not repeat.
            let size = sizes[(round + round / sizes.len()) % sizes.len()];
            chunks[victim] = match region.take(size) {
                Some(chunk) => chunk,
                // Too full for this size: what was just freed is there for the least one.
                None => region.take(256).expect("a chunk of the least size was just freed"),
            };
        }
        begin.elapsed().as_secs_f64() * 1e9 / rounds as f64
    };
    // The first run brings the region into its usual state.
    measure(rounds);
    (0..5).map(|_| measure(rounds)).fold(f64::INFINITY, f64::min)
}

/// How much more than the trace's live bytes the allocator needs: the smallest region in which the whole trace succeeds,
/// over the most bytes that are live at one time, less one. Regions are tried in steps of 1/256.
#[must_use]
pub fn fragmentation<A: Allocator>(trace: &Trace) -> f64 {
    let peak = trace.peak();
    let step = (peak / 256).max(ALIGNMENT);
    let steps = (0..=512).find(|steps| runs::<A>(trace, peak + steps * step)).unwrap_or(512);
    (steps * step) as f64 / peak as f64
}

/// The mean fragmentation of each trace over the first `seeds` seeds. A single run says little: which sizes meet where is
/// chance.
#[must_use]
pub fn fragmentations<A: Allocator>(seeds: u64) -> Vec<(&'static str, f64)> {
    means::<A>(seeds, traces)
}

/// The same for the traces that nothing was chosen on.
#[must_use]
pub fn fragmentations_recorded<A: Allocator>(seeds: u64) -> Vec<(&'static str, f64)> {
    means::<A>(seeds, recorded)
}

fn means<A: Allocator>(seeds: u64, traces: impl Fn(u64) -> Vec<Trace>) -> Vec<(&'static str, f64)> {
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    let mut first: Vec<Trace> = Vec::new();
    for seed in 0..seeds.max(1) {
        for (at, trace) in traces(seed).into_iter().enumerate() {
            // What is the same for every seed is looked at once.
            let same = first.get(at) == Some(&trace);
            let known = sums.get(at).map(|sum| sum.1 / seed.max(1) as f64);
            let share = known.filter(|_| same).unwrap_or_else(|| fragmentation::<A>(&trace));
            match sums.get_mut(at) {
                Some(sum) => sum.1 += share,
                None => {
                    sums.push((trace.name, share));
                    first.push(trace);
                }
            }
        }
    }
    sums.iter_mut().for_each(|sum| sum.1 /= seeds.max(1) as f64);
    sums
}

/// Whether the whole trace succeeds in a region of `size` bytes.
fn runs<A: Allocator>(trace: &Trace, size: u64) -> bool {
    let mut region = A::over(size);
    let mut chunks: Vec<Option<A::Chunk>> = vec![None; trace.chunks];
    for event in &trace.events {
        match *event {
            Event::Allocate { chunk, size } => match region.take(size) {
                Some(taken) => chunks[chunk as usize] = Some(taken),
                None => return false,
            },
            Event::Free { chunk } => {
                if let Some(taken) = chunks[chunk as usize].take() {
                    region.give(taken);
                }
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_the_same_every_time_and_free_what_they_took() {
        assert_eq!(traces(3), traces(3));
        for trace in traces(3) {
            trace.assert_taken_before_given();
            assert!(trace.peak() > 1 << 20, "{}", trace.name);
        }
    }

    #[test]
    fn no_trace_costs_more_room_than_with_first_fit() {
        for (ours, first) in fragmentations::<Tight>(4).into_iter().zip(fragmentations::<FirstFit>(4)) {
            assert!(ours.1 <= first.1, "{}: {:.3} over {:.3}", ours.0, ours.1, first.1);
        }
    }

    #[test]
    fn every_allocator_survives_the_speed_measurement() {
        assert!(allocate_and_free::<Tight>(100, 1000) > 0.0);
        assert!(allocate_and_free::<Wasteful>(100, 1000) > 0.0);
        assert!(allocate_and_free::<FirstFit>(100, 1000) > 0.0);
    }
}
