//! Random programs and random task graphs: whatever overlaps, the results are those of a serial machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Random, Work, command, in_order, out_of_order, scheduler, work};
use crate::{ALL_BANDS, Access, Command, Event, Facts, Fence, Scheduler, Touch};

/// Memory that commands read and write without synchronisation of their own.
type Memory = Arc<Vec<AtomicU64>>;

fn memory(cells: u64) -> Memory {
    Arc::new((0..cells).map(AtomicU64::new).collect())
}

fn cell(index: u64) -> usize {
    usize::try_from(index).expect("cells are few")
}

/// What one command does: mixes all it reads into all it writes.
#[derive(Clone, Debug)]
struct Step {
    number: u64,
    reads: Vec<(u64, u64)>,
    writes: Vec<(u64, u64)>,
}

impl Step {
    fn apply(&self, get: impl Fn(u64) -> u64, set: impl Fn(u64, u64)) {
        let mut mix = self.number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for &(start, end) in &self.reads {
            for i in start..end {
                mix = mix.rotate_left(7) ^ get(i);
            }
        }
        for &(start, end) in &self.writes {
            for i in start..end {
                set(i, mix.wrapping_add(i));
            }
        }
    }

    fn run(&self, memory: &Memory) {
        // Relaxed: the order comes from the scheduler, or the test fails.
        self.apply(
            |i| memory[cell(i)].load(Ordering::Relaxed),
            |i, v| memory[cell(i)].store(v, Ordering::Relaxed),
        );
    }
}

const BUFFERS: u64 = 4;
const CELLS: u64 = 16;

fn range(random: &mut Random) -> (u64, u64) {
    let buffer = random.below(BUFFERS);
    let (a, b) = (random.below(CELLS), random.below(CELLS));
    if random.below(3) == 0 {
        (buffer * CELLS, (buffer + 1) * CELLS)
    } else {
        (buffer * CELLS + a.min(b), buffer * CELLS + a.max(b) + 1)
    }
}

fn step(random: &mut Random, number: u64) -> Step {
    let reads = (0..random.below(3)).map(|_| range(random)).collect();
    let writes = (0..1 + random.below(2)).map(|_| range(random)).collect();
    Step { number, reads, writes }
}

/// One random program on an in-order queue: after some prefix the host waits on one random event, and must see every
/// command up to that one executed, and after `finish` all of them.
fn in_order_program(s: &Scheduler, seed: u64) {
    let mut random = Random(seed);
    let q = in_order(s);
    let resources: Vec<_> = (0..BUFFERS).map(|_| s.resource()).collect();
    let live = memory(BUFFERS * CELLS);
    let serial = memory(BUFFERS * CELLS);
    let length = 2 + random.below(24);
    let watched = random.below(length);
    let gate = (random.below(2) == 0).then(|| s.user_event().expect("memory"));
    let mut finished_at_watched = Arc::new(AtomicU64::new(0));
    let mut watched_event: Option<Event> = None;
    let executed = Arc::new(AtomicU64::new(0));
    for number in 0..length {
        let step = step(&mut random, number);
        step.run(&serial);
        let touch = |&(start, end): &(u64, u64), access| Touch {
            resource: resources[cell(start / CELLS)],
            start: start % CELLS,
            end: (end - 1) % CELLS + 1,
            access,
            bands: ALL_BANDS,
        };
        let touches: Vec<_> = step
            .reads
            .iter()
            .map(|r| touch(r, Access::Read))
            .chain(step.writes.iter().map(|w| touch(w, Access::Write)))
            .collect();
        let opaque = random.below(8) == 0;
        let (memory, counter) = (Arc::clone(&live), Arc::clone(&executed));
        let bit = 1u64 << number;
        let body = work(move || {
            step.run(&memory);
            counter.fetch_or(bit, Ordering::Relaxed);
        });
        let gated = gate.as_ref().filter(|_| number == 0).map(|gate| gate.event().clone());
        let waits: Vec<_> = gated.into_iter().collect();
        let facts = Facts { opaque, ..Facts::default() };
        // An opaque command names nothing.
        let touches = if opaque { &[][..] } else { &touches[..] };
        let event = q
            .enqueue(Command { work: body, touches, facts, waits: &waits, fence: Fence::None })
            .expect("memory");
        if number == watched {
            let (counter, seen) = (Arc::clone(&executed), Arc::new(AtomicU64::new(0)));
            finished_at_watched = Arc::clone(&seen);
            event
                .on_complete(move |_, _| seen.store(counter.load(Ordering::Relaxed), Ordering::Relaxed))
                .unwrap();
            watched_event = Some(event);
        }
    }
    if let Some(gate) = gate {
        gate.complete();
    }
    let prefix = (2u64 << watched) - 1;
    if let Some(event) = watched_event {
        event.wait().expect("nothing fails");
        assert_eq!(
            executed.load(Ordering::Relaxed) & prefix,
            prefix,
            "seed {seed}: the wait returned too early"
        );
    }
    q.finish().expect("the null driver joins");
    let at_callback = finished_at_watched.load(Ordering::Relaxed);
    // The callback may still be running on another thread; if it has run, it saw the prefix.
    assert!(at_callback == 0 || at_callback & prefix == prefix, "seed {seed}: the callback came too early");
    let result: Vec<_> = live.iter().map(|c| c.load(Ordering::Relaxed)).collect();
    let expected: Vec<_> = serial.iter().map(|c| c.load(Ordering::Relaxed)).collect();
    assert_eq!(result, expected, "seed {seed}");
}

/// One random task graph over several queues, out of order and in order, with every conflict ordered by events.
fn task_graph(s: &Scheduler, seed: u64) {
    let mut random = Random(seed ^ 0x5555_5555);
    let queues = [out_of_order(s), in_order(s), out_of_order(s)];
    let nodes = 2 + random.below(40);
    let values = memory(nodes);
    let mut expected: Vec<u64> = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let gate = s.user_event().expect("memory");
    for node in 0..nodes {
        let mut inputs: Vec<u64> = (0..random.below(7).min(node)).map(|_| random.below(node)).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let groups = if random.below(4) == 0 { 1 + random.below(40) } else { 1 };
        let mix = inputs.iter().fold(node, |mix, &i| mix.rotate_left(9) ^ expected[cell(i)]);
        expected.push(mix.wrapping_mul(groups));
        let mut waits: Vec<_> = inputs.iter().map(|&i| events[cell(i)].clone()).collect();
        if inputs.is_empty() || random.below(10) == 0 {
            waits.push(gate.event().clone());
        }
        let values = Arc::clone(&values);
        let run = move |first: u64, count: u64| {
            let mix = inputs
                .iter()
                .fold(node, |mix, &i| mix.rotate_left(9) ^ values[cell(i)].load(Ordering::Relaxed));
            if first == 0 {
                // The cell began with the node's number.
                values[cell(node)].fetch_sub(node, Ordering::Relaxed);
            }
            values[cell(node)].fetch_add(mix.wrapping_mul(count), Ordering::Relaxed);
            Ok(())
        };
        let launch = Some(Arc::new(Work { groups, run }) as _);
        let q = &queues[cell(random.below(3))];
        events.push(q.enqueue(Command { waits: &waits, ..command(launch, &[]) }).expect("memory"));
        if random.below(20) == 0 {
            q.enqueue_silently(Command { fence: Fence::Barrier, ..Command::default() }).expect("memory");
        }
    }
    gate.complete();
    if random.below(2) == 0 {
        events[cell(random.below(nodes))].wait().expect("nothing fails");
    }
    for q in &queues {
        q.finish().expect("the null driver joins");
    }
    let result: Vec<_> = values.iter().map(|c| c.load(Ordering::Relaxed)).collect();
    assert_eq!(result, expected, "seed {seed}");
}

/// 10^4 of each, over several numbers of workers.
fn many(program: fn(&Scheduler, u64)) {
    for (workers, from, to) in [(1, 0, 2000), (2, 2000, 6000), (4, 6000, 10_000)] {
        let s = scheduler(workers);
        for seed in from..to {
            program(&s, seed);
        }
    }
}

#[test]
fn random_in_order_programs_equal_a_serial_run() {
    many(in_order_program);
}

#[test]
fn random_task_graphs_equal_a_serial_run() {
    many(task_graph);
}
