//! The benchmarks' programs: one run of each.

use std::time::{Duration, Instant};

use super::platform::{Platform, Work};
use super::{BenchError, Benchmark, Sample};
use crate::{Access, Event};

/// Round trips before those that are measured.
const WARM_UP: u64 = 1000;

/// By what a run's time is divided.
pub(super) fn divisor(benchmark: Benchmark, size: u64, n: u64) -> u64 {
    match benchmark {
        Benchmark::KernelImbalance | Benchmark::Both => batches(size, n),
        Benchmark::WorkGroupImbalance => serial_kernels(size, n),
        _ => size,
    }
}

/// Batches of `width` kernels: enough for a time that can be measured, few enough for a run of seconds.
fn batches(width: u64, n: u64) -> u64 {
    n / 10 / width + 10
}

fn serial_kernels(groups: u64, n: u64) -> u64 {
    n / 10 / groups + 10
}

/// A program's kernels with their buffers, made once: runs repeat the same launches, as applications do.
pub(super) enum Prepared<P: Platform> {
    Chain(PingPong<P>),
    Counted(Counted<P>),
    Empty(P::Launch),
}

/// Makes what a program's runs share.
pub(super) fn prepare<P: Platform>(
    platform: &P,
    benchmark: Benchmark,
    size: u64,
) -> Result<Prepared<P>, BenchError> {
    Ok(match benchmark {
        Benchmark::Latency | Benchmark::InOrder | Benchmark::OutOfOrder | Benchmark::Enqueue => {
            Prepared::Chain(PingPong::new(platform)?)
        }
        Benchmark::KernelImbalance => Prepared::Counted(Counted::uneven_kernels(platform, size, 1)?),
        Benchmark::Both => Prepared::Counted(Counted::uneven_kernels(platform, size, size.min(16))?),
        Benchmark::WorkGroupImbalance => Prepared::Counted(Counted::uneven_groups(platform, size)?),
        Benchmark::InOrderParallelReadOnly => {
            Prepared::Counted(Counted::equal_kernels(platform, size, Access::Read)?)
        }
        Benchmark::InOrderParallelReadWrite => {
            Prepared::Counted(Counted::equal_kernels(platform, size, Access::ReadWrite)?)
        }
        Benchmark::EmptyGroups => Prepared::Empty(platform.empty(size)?),
    })
}

/// One run.
pub(super) fn run<P: Platform>(
    platform: &P,
    prepared: &Prepared<P>,
    benchmark: Benchmark,
    size: u64,
    n: u64,
) -> Result<Sample, BenchError> {
    match prepared {
        Prepared::Empty(launch) => empty_groups(platform, launch),
        Prepared::Chain(data) => {
            let length = if benchmark == Benchmark::Latency { size + WARM_UP } else { size };
            let before = data.value(platform, 0)?;
            let sample = match benchmark {
                Benchmark::InOrder => in_order_chain(platform, data, size),
                Benchmark::OutOfOrder => out_of_order_chain(platform, data, size),
                Benchmark::Enqueue => enqueue(platform, data, size),
                _ => latency(platform, data, size),
            }?;
            check(benchmark, data.value(platform, length)?, (before + length) & u64::from(u32::MAX))?;
            Ok(sample)
        }
        Prepared::Counted(data) => {
            let before = data.runs(platform)?;
            let (sample, commands) = match benchmark {
                Benchmark::WorkGroupImbalance => {
                    let kernels = serial_kernels(size, n);
                    (imbalanced_groups(platform, data, kernels), kernels)
                }
                Benchmark::KernelImbalance | Benchmark::Both => {
                    let batches = batches(size, n);
                    (imbalanced_batches(platform, data, batches), batches)
                }
                _ => (in_order_parallel(platform, data), 1),
            };
            let sample = sample?;
            let groups = data.outputs.len() as u64 * data.groups;
            check(benchmark, data.runs(platform)? - before, commands * groups)?;
            Ok(sample)
        }
    }
}

/// Two buffers of one cell, between which a chain goes back and forth, and the kernels for both directions.
pub(super) struct PingPong<P: Platform> {
    cells: [P::Buffer; 2],
    steps: [P::Launch; 2],
}

impl<P: Platform> PingPong<P> {
    fn new(platform: &P) -> Result<PingPong<P>, BenchError> {
        let cells = [platform.cells(1)?, platform.cells(1)?];
        let [a, b] = &cells;
        let steps = [platform.increment(a, b)?, platform.increment(b, a)?];
        Ok(PingPong { cells, steps })
    }

    /// The kernel number `i` of the chain.
    fn step(&self, i: u64) -> &P::Launch {
        &self.steps[usize::from(!i.is_multiple_of(2))]
    }

    /// What a chain of `n` kernels leaves behind.
    fn value(&self, platform: &P, n: u64) -> Result<u64, BenchError> {
        let side = usize::from(!n.is_multiple_of(2));
        Ok(platform.read(&self.cells[side])?.first().map_or(0, |cell| u64::from(*cell)))
    }
}

/// Launches of the kernel `work`, which count their groups' runs.
pub(super) struct Counted<P: Platform> {
    input: P::Buffer,
    outputs: Vec<P::Buffer>,
    launches: Vec<P::Launch>,
    groups: u64,
}

impl<P: Platform> Counted<P> {
    fn new(
        platform: &P,
        flags: Access,
        groups: u64,
        uneven: bool,
        elements: impl Iterator<Item = u64>,
    ) -> Result<Counted<P>, BenchError> {
        let input = platform.input(flags)?;
        let mut outputs = Vec::new();
        let mut launches = Vec::new();
        for elements in elements {
            let to = platform.cells(2 * groups)?;
            launches.push(platform.work(&Work { input: &input, to: &to, elements, groups, uneven })?);
            outputs.push(to);
        }
        Ok(Counted { input, outputs, launches, groups })
    }

    /// Kernels of `groups` groups each, whose work grows from 1/width to the whole. With several groups the group's
    /// number multiplies it.
    fn uneven_kernels(platform: &P, width: u64, groups: u64) -> Result<Counted<P>, BenchError> {
        let most = platform.elements();
        let elements = (1..=width).map(|kernel| (most * kernel / width / groups).max(1));
        Counted::new(platform, Access::Read, groups, groups > 1, elements)
    }

    /// One kernel whose groups' work grows with their number.
    fn uneven_groups(platform: &P, groups: u64) -> Result<Counted<P>, BenchError> {
        let elements = (platform.elements() / groups).max(1);
        Counted::new(platform, Access::ReadWrite, groups, true, std::iter::once(elements))
    }

    /// Kernels of one group that all do the same.
    fn equal_kernels(platform: &P, count: u64, flags: Access) -> Result<Counted<P>, BenchError> {
        let elements = platform.elements();
        Counted::new(platform, flags, 1, false, (0..count).map(|_| elements))
    }

    /// How often each group has run, in all.
    fn runs(&self, platform: &P) -> Result<u64, BenchError> {
        let mut sum = 0;
        for output in &self.outputs {
            let cells = platform.read(output)?;
            let counts = cells.iter().take(usize::try_from(self.groups).unwrap_or(usize::MAX));
            sum += counts.map(|count| u64::from(*count)).sum::<u64>();
        }
        Ok(sum)
    }
}

fn check(benchmark: Benchmark, found: u64, expected: u64) -> Result<(), BenchError> {
    if found == expected {
        Ok(())
    } else {
        Err(BenchError::WrongResult { benchmark: benchmark.name(), found, expected })
    }
}

/// A kernel waits for nothing but its buffers and, the first, the gate.
fn in_order_chain<P: Platform>(platform: &P, data: &PingPong<P>, n: u64) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let gate = platform.gate()?;
    let waits = [gate.event().clone()];
    for i in 0..n {
        platform.enqueue_silently(&queue, data.step(i), if i == 0 { &waits } else { &[] })?;
    }
    let begin = Instant::now();
    gate.complete();
    platform.flush(&queue)?;
    platform.finish(&queue)?;
    Ok(Sample::Total(begin.elapsed()))
}

/// The kernels go to two queues in turn, and each waits for the event of the one before.
fn out_of_order_chain<P: Platform>(platform: &P, data: &PingPong<P>, n: u64) -> Result<Sample, BenchError> {
    let queues = [platform.queue(true)?, platform.queue(true)?];
    let gate = platform.gate()?;
    let mut before = gate.event().clone();
    for i in 0..n {
        let queue = &queues[usize::from(!i.is_multiple_of(2))];
        before = platform.enqueue(queue, data.step(i), &[before])?;
    }
    let begin = Instant::now();
    gate.complete();
    for queue in &queues {
        platform.flush(queue)?;
    }
    for queue in &queues {
        platform.finish(queue)?;
    }
    Ok(Sample::Total(begin.elapsed()))
}

/// Every kernel of a batch waits for all kernels of the batch before.
fn imbalanced_batches<P: Platform>(
    platform: &P,
    data: &Counted<P>,
    batches: u64,
) -> Result<Sample, BenchError> {
    let queue = platform.queue(true)?;
    let gate = platform.gate()?;
    let mut before: Vec<Event> = vec![gate.event().clone()];
    for _ in 0..batches {
        let mut events = Vec::with_capacity(data.launches.len());
        for launch in &data.launches {
            events.push(platform.enqueue(&queue, launch, &before)?);
        }
        before = events;
    }
    let begin = Instant::now();
    gate.complete();
    platform.flush(&queue)?;
    platform.finish(&queue)?;
    Ok(Sample::Total(begin.elapsed()))
}

/// The same kernel again and again, in an in-order queue; it writes what it has written before.
fn imbalanced_groups<P: Platform>(
    platform: &P,
    data: &Counted<P>,
    kernels: u64,
) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let gate = platform.gate()?;
    let waits = [gate.event().clone()];
    for i in 0..kernels {
        for launch in &data.launches {
            platform.enqueue_silently(&queue, launch, if i == 0 { &waits } else { &[] })?;
        }
    }
    let begin = Instant::now();
    gate.complete();
    platform.flush(&queue)?;
    platform.finish(&queue)?;
    Ok(Sample::Total(begin.elapsed()))
}

/// One write of a buffer, then kernels that read it and write one of their own, in one in-order queue.
fn in_order_parallel<P: Platform>(platform: &P, data: &Counted<P>) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let gate = platform.gate()?;
    platform.overwrite(&queue, &data.input, &[gate.event().clone()])?;
    for launch in &data.launches {
        platform.enqueue_silently(&queue, launch, &[])?;
    }
    let begin = Instant::now();
    gate.complete();
    platform.flush(&queue)?;
    platform.finish(&queue)?;
    Ok(Sample::Total(begin.elapsed()))
}

/// Launches one kernel and waits for it, many times.
fn latency<P: Platform>(platform: &P, data: &PingPong<P>, n: u64) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let mut times = Vec::with_capacity(usize::try_from(n).unwrap_or(0));
    for i in 0..n + WARM_UP {
        let begin = Instant::now();
        platform.enqueue_silently(&queue, data.step(i), &[])?;
        platform.finish(&queue)?;
        let time = begin.elapsed();
        if i >= WARM_UP {
            times.push(time);
        }
    }
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    Ok(Sample::RoundTrip { p50: at(50), p99: at(99) })
}

/// Enqueues a chain behind a gate; only the enqueueing is measured.
fn enqueue<P: Platform>(platform: &P, data: &PingPong<P>, n: u64) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let gate = platform.gate()?;
    let waits = [gate.event().clone()];
    let begin = Instant::now();
    for i in 0..n {
        platform.enqueue_silently(&queue, data.step(i), if i == 0 { &waits } else { &[] })?;
    }
    let time = begin.elapsed();
    gate.complete();
    platform.finish(&queue)?;
    Ok(Sample::Total(time))
}

/// One launch of many empty groups; the best of a few within the run, as one takes microseconds.
fn empty_groups<P: Platform>(platform: &P, launch: &P::Launch) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let mut best = Duration::MAX;
    for _ in 0..50 {
        let begin = Instant::now();
        platform.enqueue_silently(&queue, launch, &[])?;
        platform.finish(&queue)?;
        best = best.min(begin.elapsed());
    }
    Ok(Sample::Total(best))
}
