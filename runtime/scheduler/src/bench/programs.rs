//! The benchmarks' programs: one run of each.

use std::time::{Duration, Instant};

use super::platform::{ELEMENTS, Platform, Work};
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

/// One run.
pub(super) fn run<P: Platform>(
    platform: &P,
    benchmark: Benchmark,
    size: u64,
    n: u64,
) -> Result<Sample, BenchError> {
    match benchmark {
        Benchmark::Latency => latency(platform, size),
        Benchmark::InOrder => in_order_chain(platform, size),
        Benchmark::OutOfOrder => out_of_order_chain(platform, size),
        Benchmark::KernelImbalance => imbalanced_batches(platform, benchmark, size, batches(size, n), 1),
        Benchmark::Both => imbalanced_batches(platform, benchmark, size, batches(size, n), size.min(16)),
        Benchmark::WorkGroupImbalance => imbalanced_groups(platform, size, serial_kernels(size, n)),
        Benchmark::InOrderParallelReadOnly => in_order_parallel(platform, benchmark, size, Access::Read),
        Benchmark::InOrderParallelReadWrite => {
            in_order_parallel(platform, benchmark, size, Access::ReadWrite)
        }
        Benchmark::Enqueue => enqueue(platform, size),
        Benchmark::EmptyGroups => empty_groups(platform, size),
    }
}

/// Two buffers of one cell, between which a chain goes back and forth, and the kernels for both directions.
struct PingPong<P: Platform> {
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

    fn check(&self, platform: &P, benchmark: Benchmark, n: u64) -> Result<(), BenchError> {
        let side = usize::from(!n.is_multiple_of(2));
        let found = platform.read(&self.cells[side])?.first().map_or(0, |cell| u64::from(*cell));
        check(benchmark, found, n)
    }
}

fn check(benchmark: Benchmark, found: u64, expected: u64) -> Result<(), BenchError> {
    if found == expected {
        Ok(())
    } else {
        Err(BenchError::WrongResult { benchmark: benchmark.name(), found, expected })
    }
}

/// How often each group of `outputs` has run, in all.
fn counted<P: Platform>(platform: &P, outputs: &[P::Buffer], groups: u64) -> Result<u64, BenchError> {
    let mut sum = 0;
    for output in outputs {
        let cells = platform.read(output)?;
        let counts = cells.iter().take(usize::try_from(groups).unwrap_or(usize::MAX));
        sum += counts.map(|count| u64::from(*count)).sum::<u64>();
    }
    Ok(sum)
}

/// A kernel waits for nothing but its buffers and, the first, the gate.
fn in_order_chain<P: Platform>(platform: &P, n: u64) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let data = PingPong::new(platform)?;
    let gate = platform.gate()?;
    let waits = [gate.event().clone()];
    for i in 0..n {
        platform.enqueue_silently(&queue, data.step(i), if i == 0 { &waits } else { &[] })?;
    }
    let begin = Instant::now();
    gate.complete();
    platform.flush(&queue)?;
    platform.finish(&queue)?;
    let time = begin.elapsed();
    data.check(platform, Benchmark::InOrder, n)?;
    Ok(Sample::Total(time))
}

/// The kernels go to two queues in turn, and each waits for the event of the one before.
fn out_of_order_chain<P: Platform>(platform: &P, n: u64) -> Result<Sample, BenchError> {
    let queues = [platform.queue(true)?, platform.queue(true)?];
    let data = PingPong::new(platform)?;
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
    let time = begin.elapsed();
    data.check(platform, Benchmark::OutOfOrder, n)?;
    Ok(Sample::Total(time))
}

/// Batches of `width` kernels with `groups` work-groups each; the kernels' work grows from 1/width to the whole.
fn imbalanced_batches<P: Platform>(
    platform: &P,
    benchmark: Benchmark,
    width: u64,
    batches: u64,
    groups: u64,
) -> Result<Sample, BenchError> {
    let queue = platform.queue(true)?;
    let input = platform.input(Access::Read)?;
    let mut outputs = Vec::new();
    let mut launches = Vec::new();
    for kernel in 1..=width {
        let to = platform.cells(2 * groups)?;
        // With several groups the group's number multiplies the work.
        let elements = (ELEMENTS / width * kernel / groups).max(1);
        let work = Work { input: &input, to: &to, elements, groups, uneven: groups > 1 };
        launches.push(platform.work(&work)?);
        outputs.push(to);
    }
    let gate = platform.gate()?;
    let mut before: Vec<Event> = vec![gate.event().clone()];
    for _ in 0..batches {
        let mut events = Vec::with_capacity(launches.len());
        for launch in &launches {
            events.push(platform.enqueue(&queue, launch, &before)?);
        }
        before = events;
    }
    let begin = Instant::now();
    gate.complete();
    platform.flush(&queue)?;
    platform.finish(&queue)?;
    let time = begin.elapsed();
    check(benchmark, counted(platform, &outputs, groups)?, width * groups * batches)?;
    Ok(Sample::Total(time))
}

/// Serial kernels of `groups` work-groups whose work grows with their number.
fn imbalanced_groups<P: Platform>(platform: &P, groups: u64, kernels: u64) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let input = platform.input(Access::ReadWrite)?;
    let to = platform.cells(2 * groups)?;
    let elements = (ELEMENTS / groups).max(1);
    let launch = platform.work(&Work { input: &input, to: &to, elements, groups, uneven: true })?;
    let gate = platform.gate()?;
    let waits = [gate.event().clone()];
    for i in 0..kernels {
        platform.enqueue_silently(&queue, &launch, if i == 0 { &waits } else { &[] })?;
    }
    let begin = Instant::now();
    gate.complete();
    platform.flush(&queue)?;
    platform.finish(&queue)?;
    let time = begin.elapsed();
    check(Benchmark::WorkGroupImbalance, counted(platform, &[to], groups)?, groups * kernels)?;
    Ok(Sample::Total(time))
}

/// One write of a buffer, then kernels that read it and write one of their own, in one in-order queue.
fn in_order_parallel<P: Platform>(
    platform: &P,
    benchmark: Benchmark,
    n: u64,
    flags: Access,
) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let input = platform.input(flags)?;
    let mut outputs = Vec::new();
    let mut launches = Vec::new();
    for _ in 0..n {
        let to = platform.cells(2)?;
        let work = Work { input: &input, to: &to, elements: ELEMENTS, groups: 1, uneven: false };
        launches.push(platform.work(&work)?);
        outputs.push(to);
    }
    let gate = platform.gate()?;
    platform.overwrite(&queue, &input, &[gate.event().clone()])?;
    for launch in &launches {
        platform.enqueue_silently(&queue, launch, &[])?;
    }
    let begin = Instant::now();
    gate.complete();
    platform.flush(&queue)?;
    platform.finish(&queue)?;
    let time = begin.elapsed();
    check(benchmark, counted(platform, &outputs, 1)?, n)?;
    Ok(Sample::Total(time))
}

/// Launches one kernel and waits for it, many times.
fn latency<P: Platform>(platform: &P, n: u64) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let data = PingPong::new(platform)?;
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
    data.check(platform, Benchmark::Latency, n + WARM_UP)?;
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    Ok(Sample::RoundTrip { p50: at(50), p99: at(99) })
}

/// Enqueues a chain behind a gate; only the enqueueing is measured.
fn enqueue<P: Platform>(platform: &P, n: u64) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let data = PingPong::new(platform)?;
    let gate = platform.gate()?;
    let waits = [gate.event().clone()];
    let begin = Instant::now();
    for i in 0..n {
        platform.enqueue_silently(&queue, data.step(i), if i == 0 { &waits } else { &[] })?;
    }
    let time = begin.elapsed();
    gate.complete();
    platform.finish(&queue)?;
    data.check(platform, Benchmark::Enqueue, n)?;
    Ok(Sample::Total(time))
}

/// One launch of many empty groups; the best of a few within the run, as one takes microseconds.
fn empty_groups<P: Platform>(platform: &P, groups: u64) -> Result<Sample, BenchError> {
    let queue = platform.queue(false)?;
    let launch = platform.empty(groups)?;
    let mut best = Duration::MAX;
    for _ in 0..50 {
        let begin = Instant::now();
        platform.enqueue_silently(&queue, &launch, &[])?;
        platform.finish(&queue)?;
        best = best.min(begin.elapsed());
    }
    Ok(Sample::Total(best))
}
