//! Traces recorded from programs at work, which nothing in the allocator was chosen on. The buffers that OpenCL programs
//! made and released through this library, with what their sizes were, are in `traces/*.txt`: `+NUMBER BYTES` and
//! `-NUMBER`, a line each. Buffers of more than 64 MiB, with which some tests try large sizes, are left out.
//!
//! | trace | program |
//! | --- | --- |
//! | `arrays` | the tests of PyOpenCL's arrays |
//! | `algorithms` | the tests of PyOpenCL's scans, sorts, random numbers and elementary functions |
//! | `transfers` | conformance tests of reads, writes, copies, fills, sub-buffers and migrations |
//! | `kernels` | a benchmark of 17 kernels |
//! | `contexts` | conformance tests of several contexts and devices |
//! | `together` | the first four at the same time on one device, each at the speed at which all end together |
//! | `reclaim` | a pool at twice its memory, as device `discrete` runs it: adaptive order, parts of 64 KiB |

use std::collections::HashMap;

use super::Numbers;
use super::traces::{Blocks, Recorder, Trace};
use crate::plan::{Fence, Use};
use crate::policy::Adaptive;
use crate::pool::Pool;

const FILES: [(&str, &str); 5] = [
    ("arrays", include_str!("../../traces/arrays.txt")),
    ("algorithms", include_str!("../../traces/algorithms.txt")),
    ("transfers", include_str!("../../traces/transfers.txt")),
    ("kernels", include_str!("../../traces/kernels.txt")),
    ("contexts", include_str!("../../traces/contexts.txt")),
];

/// A line: a buffer's number, and its size if it is made.
fn line(text: &str) -> Option<(u64, Option<u64>)> {
    if let Some(number) = text.strip_prefix('-') {
        return Some((number.parse().ok()?, None));
    }
    let (number, bytes) = text.strip_prefix('+')?.split_once(' ')?;
    Some((number.parse().ok()?, Some(bytes.parse().ok()?)))
}

/// Replays files into one trace: of each the same share at any time.
fn replay(name: &'static str, files: &[&str]) -> Trace {
    let files: Vec<Vec<_>> = files.iter().map(|file| file.lines().filter_map(line).collect()).collect();
    let longest = files.iter().map(Vec::len).max().unwrap_or(0);
    let mut program = Recorder::default();
    let mut live: HashMap<(usize, u64), u32> = HashMap::new();
    let mut done = vec![0; files.len()];
    for step in 1..=longest {
        for (at, file) in files.iter().enumerate() {
            let until = file.len() * step / longest.max(1);
            for &(number, bytes) in &file[done[at]..until] {
                match bytes {
                    Some(bytes) => {
                        let chunk = program.take(bytes);
                        live.insert((at, number), chunk);
                    }
                    None => {
                        if let Some(chunk) = live.remove(&(at, number)) {
                            program.give(chunk);
                        }
                    }
                }
            }
            done[at] = until;
        }
    }
    program.done(name)
}

/// All of them. In `reclaim` the order of uses is random: it differs from seed to seed.
#[must_use]
pub fn recorded(seed: u64) -> Vec<Trace> {
    let mut traces: Vec<Trace> = FILES.iter().map(|(name, file)| replay(name, &[file])).collect();
    let four: Vec<&str> = FILES[..4].iter().map(|(_, file)| *file).collect();
    traces.push(replay("together", &four));
    traces.push(reclaim(seed));
    traces
}

fn reclaim(seed: u64) -> Trace {
    let mut program = Recorder::default();
    let region: u64 = 64 << 20;
    let Ok(mut pool) = Pool::new(0..region, super::ALIGNMENT, Box::new(Adaptive::new(region))) else {
        return program.done("reclaim");
    };
    let mut numbers = Numbers::new(2026 + seed);
    let mut objects = Vec::new();
    let mut total = 0;
    while total < 2 * region {
        // Images and vectors: some sizes come often.
        let size = match numbers.below(3) {
            0 => numbers.size(16 << 10, 2 << 20),
            1 => (1 + numbers.below(6)) * (1 << 20),
            _ => 640 * 480 * (1 + numbers.below(4)),
        };
        total += size;
        objects.extend(pool.create(size));
    }
    let mut blocks = Blocks::default();
    for step in 0..2000 {
        let at = numbers.below(objects.len() as u64) as usize;
        let set: Vec<Use> = (0..1 + numbers.below(4) as usize)
            .map(|n| Use::write(objects[(at + n) % objects.len()]))
            .collect();
        let fence = Fence(step);
        if pool.reserve(&set, fence).is_err() {
            continue;
        }
        pool.passed(fence);
        blocks.follow(&pool, &mut program);
    }
    program.done("reclaim")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{FirstFit, Tight, fragmentations_recorded};

    #[test]
    fn every_line_is_read_and_what_is_given_back_was_taken() {
        for (name, file) in FILES {
            assert!(file.lines().all(|text| line(text).is_some()), "{name}");
        }
        assert_eq!(recorded(1), recorded(1));
        for trace in recorded(1) {
            trace.assert_taken_before_given();
            assert!(trace.events.len() > 70, "{}: {}", trace.name, trace.events.len());
        }
    }

    #[test]
    fn no_recorded_trace_costs_more_room_than_with_first_fit() {
        let ours = fragmentations_recorded::<Tight>(4);
        for (ours, first) in ours.into_iter().zip(fragmentations_recorded::<FirstFit>(4)) {
            assert!(ours.1 <= first.1, "{}: {:.3} over {:.3}", ours.0, ours.1, first.1);
        }
    }
}
