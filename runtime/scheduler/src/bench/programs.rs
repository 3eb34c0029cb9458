//! The benchmarks' programs: one run of each.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use oxcl_driver::{Driver, NullDriver};

use super::kernels::{Cells, ELEMENTS, Empty, Increment, Work, cells};
use super::{BenchError, Benchmark, Sample};
use crate::{Access, Command, Event, Queue, QueueProperties, ResourceId, Scheduler, Touch};

/// Round trips between two reads of the percentiles' clock are measured one by one.
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

fn queue(scheduler: &Scheduler, out_of_order: bool) -> Result<Queue, BenchError> {
    let driver: Arc<dyn Driver> = Arc::new(NullDriver::new());
    Ok(scheduler.queue(driver, QueueProperties { out_of_order, profiling: false })?)
}

/// One run.
pub(super) fn run(
    scheduler: &Scheduler,
    benchmark: Benchmark,
    size: u64,
    n: u64,
) -> Result<Sample, BenchError> {
    match benchmark {
        Benchmark::Latency => latency(scheduler, size),
        Benchmark::InOrder => in_order_chain(scheduler, size),
        Benchmark::OutOfOrder => out_of_order_chain(scheduler, size),
        Benchmark::KernelImbalance => imbalanced_batches(scheduler, size, batches(size, n), 1),
        Benchmark::Both => imbalanced_batches(scheduler, size, batches(size, n), size.min(16)),
        Benchmark::WorkGroupImbalance => imbalanced_groups(scheduler, size, serial_kernels(size, n)),
        Benchmark::InOrderParallelReadOnly => in_order_parallel(scheduler, size, Access::Read),
        Benchmark::InOrderParallelReadWrite => in_order_parallel(scheduler, size, Access::ReadWrite),
        Benchmark::Enqueue => enqueue(scheduler, size),
        Benchmark::EmptyGroups => empty_groups(scheduler, size),
    }
}

/// Two buffers of one cell, between which a chain goes back and forth.
struct PingPong {
    cells: [Cells; 2],
    resources: [ResourceId; 2],
}

impl PingPong {
    fn new(scheduler: &Scheduler) -> PingPong {
        PingPong { cells: [cells(1), cells(1)], resources: [scheduler.resource(), scheduler.resource()] }
    }

    /// The kernel number `i` of the chain and what it touches.
    fn step(&self, i: u64) -> (Arc<Increment>, [Touch; 2]) {
        let (from, to) = if i.is_multiple_of(2) { (0, 1) } else { (1, 0) };
        let launch = Increment { from: Arc::clone(&self.cells[from]), to: Arc::clone(&self.cells[to]) };
        let touch = |side: usize, access| Touch { resource: self.resources[side], start: 0, end: 4, access };
        (Arc::new(launch), [touch(from, Access::Read), touch(to, Access::Write)])
    }

    fn check(&self, benchmark: Benchmark, n: u64) -> Result<(), BenchError> {
        let side = usize::from(!n.is_multiple_of(2));
        let found = u64::from(self.cells[side].first().map_or(0, |cell| cell.load(Ordering::Relaxed)));
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

/// A kernel waits for nothing but its buffers and, the first, the gate.
fn in_order_chain(scheduler: &Scheduler, n: u64) -> Result<Sample, BenchError> {
    let q = queue(scheduler, false)?;
    let data = PingPong::new(scheduler);
    let gate = scheduler.user_event()?;
    let waits = [gate.event().clone()];
    for i in 0..n {
        let (launch, touches) = data.step(i);
        let waits = if i == 0 { &waits[..] } else { &[] };
        q.enqueue_silently(Command { work: Some(launch), touches: &touches, waits, ..Command::default() })?;
    }
    let begin = Instant::now();
    gate.complete();
    q.flush()?;
    q.finish()?;
    let time = begin.elapsed();
    data.check(Benchmark::InOrder, n)?;
    Ok(Sample::Total(time))
}

/// The kernels go to two queues in turn, and each waits for the event of the one before.
fn out_of_order_chain(scheduler: &Scheduler, n: u64) -> Result<Sample, BenchError> {
    let queues = [queue(scheduler, true)?, queue(scheduler, true)?];
    let data = PingPong::new(scheduler);
    let gate = scheduler.user_event()?;
    let mut before = gate.event().clone();
    for i in 0..n {
        let (launch, touches) = data.step(i);
        let waits = [before];
        let q = &queues[usize::from(!i.is_multiple_of(2))];
        before = q.enqueue(Command {
            work: Some(launch),
            touches: &touches,
            waits: &waits,
            ..Command::default()
        })?;
    }
    let begin = Instant::now();
    gate.complete();
    for q in &queues {
        q.flush()?;
    }
    for q in &queues {
        q.finish()?;
    }
    let time = begin.elapsed();
    data.check(Benchmark::OutOfOrder, n)?;
    Ok(Sample::Total(time))
}

fn input() -> Arc<[f32]> {
    std::iter::repeat_n(1.0, usize::try_from(ELEMENTS).unwrap_or(0)).collect()
}

/// Batches of `width` kernels with `groups` work-groups each; the kernels' work grows from 1/width to the whole.
fn imbalanced_batches(
    scheduler: &Scheduler,
    width: u64,
    batches: u64,
    groups: u64,
) -> Result<Sample, BenchError> {
    let q = queue(scheduler, true)?;
    let input = input();
    let group_count = usize::try_from(groups).unwrap_or(1);
    let outputs: Vec<Cells> = (0..width).map(|_| cells(group_count)).collect();
    let gate = scheduler.user_event()?;
    let mut before: Vec<Event> = vec![gate.event().clone()];
    for _ in 0..batches {
        let mut events = Vec::with_capacity(outputs.len());
        for (kernel, to) in (1u64..).zip(&outputs) {
            let launch = Work {
                input: Arc::clone(&input),
                to: Arc::clone(to),
                // With several groups the group's number multiplies the work.
                elements: (ELEMENTS / width * kernel / groups).max(1),
                groups,
                uneven: groups > 1,
            };
            events.push(q.enqueue(Command {
                work: Some(Arc::new(launch)),
                waits: &before,
                ..Command::default()
            })?);
        }
        before = events;
    }
    let begin = Instant::now();
    gate.complete();
    q.flush()?;
    q.finish()?;
    let time = begin.elapsed();
    let found =
        outputs.iter().flat_map(|to| to.iter()).map(|cell| u64::from(cell.load(Ordering::Relaxed))).sum();
    check(Benchmark::KernelImbalance, found, width * groups * batches)?;
    Ok(Sample::Total(time))
}

/// Serial kernels of `groups` work-groups whose work grows with their number.
fn imbalanced_groups(scheduler: &Scheduler, groups: u64, kernels: u64) -> Result<Sample, BenchError> {
    let q = queue(scheduler, false)?;
    let input = input();
    let to = cells(usize::try_from(groups).unwrap_or(1));
    let resources = [scheduler.resource(), scheduler.resource()];
    let gate = scheduler.user_event()?;
    let waits = [gate.event().clone()];
    for i in 0..kernels {
        let elements = (ELEMENTS / groups).max(1);
        let launch = Work { input: Arc::clone(&input), to: Arc::clone(&to), elements, groups, uneven: true };
        let (from, out) = if i.is_multiple_of(2) { (0, 1) } else { (1, 0) };
        let touches =
            [Touch::whole(resources[from], Access::Read), Touch::whole(resources[out], Access::Write)];
        let waits = if i == 0 { &waits[..] } else { &[] };
        let work = Some(Arc::new(launch) as _);
        q.enqueue_silently(Command { work, touches: &touches, waits, ..Command::default() })?;
    }
    let begin = Instant::now();
    gate.complete();
    q.flush()?;
    q.finish()?;
    let time = begin.elapsed();
    let found = to.iter().map(|cell| u64::from(cell.load(Ordering::Relaxed))).sum();
    check(Benchmark::WorkGroupImbalance, found, groups * kernels)?;
    Ok(Sample::Total(time))
}

/// One write of a buffer, then kernels that read it and write one of their own, in one in-order queue. The buffer's
/// flags allow `flags`; that the kernels only read it is what the compiler has found out.
fn in_order_parallel(scheduler: &Scheduler, n: u64, flags: Access) -> Result<Sample, BenchError> {
    let q = queue(scheduler, false)?;
    let input = input();
    let shared = scheduler.resource();
    let outputs: Vec<(ResourceId, Cells)> = (0..n).map(|_| (scheduler.resource(), cells(1))).collect();
    let gate = scheduler.user_event()?;
    let waits = [gate.event().clone()];
    let write = Work { input: Arc::clone(&input), to: cells(1), elements: 1, groups: 1, uneven: false };
    let touch = [Touch::whole(shared, Access::Write)];
    q.enqueue_silently(Command {
        work: Some(Arc::new(write)),
        touches: &touch,
        waits: &waits,
        ..Command::default()
    })?;
    let facts = Access::Read;
    // What a kernel may do to a buffer is what the flags and its own facts allow both.
    let access = if flags == Access::Read { flags } else { facts };
    for (resource, to) in &outputs {
        let launch = Work {
            input: Arc::clone(&input),
            to: Arc::clone(to),
            elements: ELEMENTS,
            groups: 1,
            uneven: false,
        };
        let touches = [Touch::whole(shared, access), Touch::whole(*resource, Access::Write)];
        q.enqueue_silently(Command {
            work: Some(Arc::new(launch)),
            touches: &touches,
            ..Command::default()
        })?;
    }
    let begin = Instant::now();
    gate.complete();
    q.flush()?;
    q.finish()?;
    let time = begin.elapsed();
    let found = outputs.iter().map(|(_, to)| u64::from(to[0].load(Ordering::Relaxed))).sum();
    check(Benchmark::InOrderParallelReadWrite, found, n)?;
    Ok(Sample::Total(time))
}

/// Launches one kernel and waits for it, many times.
fn latency(scheduler: &Scheduler, n: u64) -> Result<Sample, BenchError> {
    let q = queue(scheduler, false)?;
    let data = PingPong::new(scheduler);
    let mut times = Vec::with_capacity(usize::try_from(n).unwrap_or(0));
    for i in 0..n + WARM_UP {
        let begin = Instant::now();
        let (launch, touches) = data.step(i);
        q.enqueue_silently(Command { work: Some(launch), touches: &touches, ..Command::default() })?;
        q.finish()?;
        let time = begin.elapsed();
        if i >= WARM_UP {
            times.push(time);
        }
    }
    data.check(Benchmark::Latency, n + WARM_UP)?;
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    Ok(Sample::RoundTrip { p50: at(50), p99: at(99) })
}

/// Enqueues a chain behind a gate; only the enqueueing is measured.
fn enqueue(scheduler: &Scheduler, n: u64) -> Result<Sample, BenchError> {
    let q = queue(scheduler, false)?;
    let data = PingPong::new(scheduler);
    let gate = scheduler.user_event()?;
    let waits = [gate.event().clone()];
    let begin = Instant::now();
    for i in 0..n {
        let (launch, touches) = data.step(i);
        let waits = if i == 0 { &waits[..] } else { &[] };
        q.enqueue_silently(Command { work: Some(launch), touches: &touches, waits, ..Command::default() })?;
    }
    let time = begin.elapsed();
    gate.complete();
    q.finish()?;
    data.check(Benchmark::Enqueue, n)?;
    Ok(Sample::Total(time))
}

/// One launch of many empty groups; the best of a few within the run, as one takes microseconds.
fn empty_groups(scheduler: &Scheduler, groups: u64) -> Result<Sample, BenchError> {
    let q = queue(scheduler, false)?;
    let mut best = Duration::MAX;
    for _ in 0..50 {
        let begin = Instant::now();
        q.enqueue_silently(Command { work: Some(Arc::new(Empty { groups })), ..Command::default() })?;
        q.finish()?;
        best = best.min(begin.elapsed());
    }
    Ok(Sample::Total(best))
}
