//! Allocation traces. One is recorded from this crate's own [`Pool`] at work; the others replay what the memory of
//! well-known kinds of program goes through, written down as the loops of those programs. The same code gives the same
//! traces, so none is kept in a file.
//!
//! | trace | who allocates |
//! | --- | --- |
//! | `frames` | an image pipeline: frames of three sizes, a pyramid and two temporaries each, three frames in flight |
//! | `solver` | an iterative solver: matrices that stay, vectors that live for one iteration, blocks refined now and then |
//! | `training` | layers forward and backward: activations live until their layer comes back, gradients shortly, batches vary |
//! | `requests` | a server: sizes over four orders of magnitude, lifetimes without order, a thousand buffers at a time |
//! | `paging` | recorded: what a pool at twice its memory takes from and gives back to its region |

use std::collections::{BTreeMap, HashMap};

use super::Numbers;
use crate::plan::{Fence, Use};
use crate::policy::Lru;
use crate::pool::Pool;

/// One step of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A chunk is taken.
    Allocate {
        /// Its number; numbers are used again.
        chunk: u32,
        /// Its size in bytes.
        size: u64,
    },
    /// A chunk is given back.
    Free {
        /// Its number.
        chunk: u32,
    },
}

/// What a program takes and gives back, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Its name.
    pub name: &'static str,
    /// The steps.
    pub events: Vec<Event>,
    /// One more than the highest chunk number.
    pub chunks: usize,
}

impl Trace {
    /// Holds that a chunk is taken when it is free and given back when it is not.
    #[cfg(test)]
    pub(super) fn assert_taken_before_given(&self) {
        let mut live = vec![false; self.chunks];
        for event in &self.events {
            let (chunk, comes) = match *event {
                Event::Allocate { chunk, size } => (chunk, size > 0),
                Event::Free { chunk } => (chunk, false),
            };
            assert_ne!(live[chunk as usize], comes, "{}", self.name);
            live[chunk as usize] = comes;
        }
    }

    /// The most bytes that are live at one time.
    #[must_use]
    pub fn peak(&self) -> u64 {
        let mut sizes: HashMap<u32, u64> = HashMap::new();
        let (mut live, mut peak) = (0, 0);
        for event in &self.events {
            match *event {
                Event::Allocate { chunk, size } => {
                    let size = size.next_multiple_of(super::ALIGNMENT);
                    sizes.insert(chunk, size);
                    live += size;
                    peak = peak.max(live);
                }
                Event::Free { chunk } => live -= sizes.remove(&chunk).unwrap_or(0),
            }
        }
        peak
    }
}

/// Writes a trace down.
#[derive(Default)]
pub(super) struct Recorder {
    events: Vec<Event>,
    free: Vec<u32>,
    count: u32,
}

impl Recorder {
    pub(super) fn take(&mut self, size: u64) -> u32 {
        let chunk = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.events.push(Event::Allocate { chunk, size });
        chunk
    }

    pub(super) fn give(&mut self, chunk: u32) {
        self.events.push(Event::Free { chunk });
        self.free.push(chunk);
    }

    pub(super) fn done(self, name: &'static str) -> Trace {
        Trace { name, events: self.events, chunks: self.count as usize }
    }
}

/// All traces, as the programs run with a seed: what is random in them differs from seed to seed.
#[must_use]
pub fn traces(seed: u64) -> Vec<Trace> {
    let seed = seed * 5;
    vec![frames(seed), solver(seed + 1), training(seed + 2), requests(seed + 3), paging(seed + 4)]
}

fn frames(seed: u64) -> Trace {
    let mut program = Recorder::default();
    let mut numbers = Numbers::new(seed);
    let mut in_flight: Vec<Vec<u32>> = Vec::new();
    for _ in 0..600 {
        let (width, height) = [(1280, 720), (1920, 1080), (640, 480)][numbers.below(3) as usize];
        let image = width * height * 4;
        let mut frame: Vec<u32> = (0..5).map(|level| program.take(image >> (2 * level))).collect();
        let temporaries = [program.take(image), program.take(width * 4 * (1 + numbers.below(64)))];
        frame.push(program.take(1024 * (1 + numbers.below(256))));
        temporaries.into_iter().for_each(|chunk| program.give(chunk));
        in_flight.push(frame);
        if in_flight.len() > 3 {
            in_flight.remove(0).into_iter().for_each(|chunk| program.give(chunk));
        }
    }
    program.done("frames")
}

fn solver(seed: u64) -> Trace {
    let mut program = Recorder::default();
    let mut numbers = Numbers::new(seed);
    let mut blocks: Vec<u32> = (0..40).map(|_| program.take(numbers.size(16 << 10, 2 << 20))).collect();
    for iteration in 0..2000 {
        let vectors: Vec<u32> =
            (0..6).map(|at| program.take((64 << 10) * (1 + (iteration + at) % 7))).collect();
        let scalars = program.take(256);
        if iteration % 10 == 9 {
            // A block is refined: the finer one is there before the coarser one goes.
            let at = numbers.below(blocks.len() as u64) as usize;
            let finer = program.take(numbers.size(16 << 10, 2 << 20));
            program.give(std::mem::replace(&mut blocks[at], finer));
        }
        program.give(scalars);
        vectors.into_iter().rev().for_each(|chunk| program.give(chunk));
    }
    program.done("solver")
}

fn training(seed: u64) -> Trace {
    let mut program = Recorder::default();
    let mut numbers = Numbers::new(seed);
    let widths: Vec<u64> = (0..48).map(|_| numbers.size(4 << 10, 256 << 10)).collect();
    widths.iter().for_each(|width| {
        program.take(width * 3);
    });
    for _ in 0..60 {
        let batch = 1 + numbers.below(8);
        let mut activations = Vec::new();
        for width in &widths {
            let workspace = program.take(width * batch / 2 + 4096);
            activations.push(program.take(width * batch));
            program.give(workspace);
        }
        let mut gradient = program.take(widths[47] * batch);
        for (layer, activation) in activations.into_iter().enumerate().rev() {
            let weights = program.take(widths[layer] * 3);
            let next = program.take(widths[layer] * batch);
            program.give(std::mem::replace(&mut gradient, next));
            program.give(activation);
            program.give(weights);
        }
        program.give(gradient);
    }
    program.done("training")
}

fn requests(seed: u64) -> Trace {
    let mut program = Recorder::default();
    let mut numbers = Numbers::new(seed);
    let mut live: Vec<u32> = Vec::new();
    for step in 0..20_000u64 {
        // The load swells and falls.
        let wanted = 700 + (step / 1000 % 4) * 100;
        if (live.len() as u64) < wanted {
            live.push(program.take(numbers.size(512, 1 << 20)));
        } else {
            let at = numbers.below(live.len() as u64) as usize;
            program.give(live.swap_remove(at));
        }
    }
    program.done("requests")
}

/// The blocks of a pool, as chunks of a recording: by address, with owner, size and chunk number.
#[derive(Default)]
pub(super) struct Blocks(BTreeMap<u64, (u32, u64, u32)>);

impl Blocks {
    /// Records what the pool has taken from its region and given back since the last time.
    pub(super) fn follow(&mut self, pool: &Pool, program: &mut Recorder) {
        let now: BTreeMap<u64, (u32, u64)> =
            pool.blocks().map(|block| (block.address, (block.owner.owner(), block.size))).collect();
        self.0.retain(|address, (owner, size, chunk)| {
            let stays = now.get(address) == Some(&(*owner, *size));
            if !stays {
                program.give(*chunk);
            }
            stays
        });
        for (address, (owner, size)) in now {
            self.0.entry(address).or_insert_with(|| (owner, size, program.take(size)));
        }
    }
}

fn paging(seed: u64) -> Trace {
    let mut program = Recorder::default();
    let mut numbers = Numbers::new(seed);
    let region: u64 = 32 << 20;
    let Ok(pool) = Pool::new(0..region, super::ALIGNMENT, Box::new(Lru::new())) else {
        return program.done("paging");
    };
    let mut pool = pool.with_granule(u64::MAX);
    let mut objects = Vec::new();
    let mut total = 0;
    while total < 2 * region {
        let size = numbers.size(64 << 10, 4 << 20);
        total += size;
        objects.extend(pool.create(size));
    }
    let mut blocks = Blocks::default();
    for step in 0..3000 {
        let set: Vec<Use> =
            (0..3).map(|_| Use::write(objects[numbers.below(objects.len() as u64) as usize])).collect();
        let fence = Fence(step);
        if pool.reserve(&set, fence).is_err() {
            continue;
        }
        pool.passed(fence);
        blocks.follow(&pool, &mut program);
    }
    program.done("paging")
}
