//! Everything at once, from several host threads: whatever happens, every event ends and every callback is called once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Random, Work, failing_work, in_order, out_of_order, scheduler, work};
use crate::{
    ALL_BANDS, Access, Command, Event, Facts, Fence, Queue, ResourceId, Scheduler, Status, Touch, UserEvent,
};

/// What the host threads count.
#[derive(Default)]
struct Counts {
    callbacks: AtomicU64,
    called: AtomicU64,
}

fn random_access(random: &mut Random) -> Access {
    [Access::Read, Access::Write, Access::ReadWrite][usize::try_from(random.below(3)).unwrap_or(0)]
}

/// One host thread's random life.
fn host(s: &Scheduler, queues: &[Queue], buffers: &[ResourceId], counts: &Arc<Counts>, seed: u64) {
    let mut random = Random(seed);
    let mut gates: Vec<UserEvent> = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    for _ in 0..600 {
        let pick = |random: &mut Random, n: usize| usize::try_from(random.below(n as u64)).unwrap_or(0);
        match random.below(12) {
            0 => gates.push(s.user_event().expect("memory")),
            1 if !gates.is_empty() => {
                let gate = gates.swap_remove(pick(&mut random, gates.len()));
                match random.below(3) {
                    0 => drop(gate),
                    1 => assert!(gate.fail(-7)),
                    _ => assert!(gate.complete()),
                }
            }
            2 if gates.is_empty() && !events.is_empty() => {
                let _ = events[pick(&mut random, events.len())].wait();
            }
            3 if gates.is_empty() => queues[pick(&mut random, queues.len())].flush().expect("null driver"),
            4 if !events.is_empty() => {
                counts.callbacks.fetch_add(1, Ordering::Relaxed);
                let counts = Arc::clone(counts);
                events[pick(&mut random, events.len())]
                    .on_complete(move |_, _| {
                        counts.called.fetch_add(1, Ordering::Relaxed);
                    })
                    .unwrap();
            }
            5 if !events.is_empty() => {
                let _ = events[pick(&mut random, events.len())].status();
            }
            6 if events.len() > 50 => drop(events.drain(..25)),
            _ => {
                let mut waits: Vec<Event> = Vec::new();
                for _ in 0..random.below(6) {
                    if !events.is_empty() && random.below(2) == 0 {
                        waits.push(events[pick(&mut random, events.len())].clone());
                    } else if !gates.is_empty() {
                        waits.push(gates[pick(&mut random, gates.len())].event().clone());
                    }
                }
                let touches: Vec<Touch> = (0..random.below(4))
                    .map(|_| {
                        let start = random.below(64);
                        let resource = buffers[pick(&mut random, buffers.len())];
                        Touch {
                            resource,
                            start,
                            end: start + 1 + random.below(64),
                            access: random_access(&mut random),
                            bands: if random.below(2) == 0 { ALL_BANDS } else { 1 << random.below(16) },
                        }
                    })
                    .collect();
                let body = match random.below(10) {
                    0 => failing_work(),
                    1 => None,
                    2 => Some(Arc::new(Work { groups: random.below(100), run: |_, _| Ok(()) }) as _),
                    _ => work(|| {}),
                };
                let fence = if random.below(20) == 0 { Fence::Barrier } else { Fence::None };
                let facts =
                    Facts { opaque: random.below(10) == 0, globals: false, printf: random.below(5) == 0 };
                let q = &queues[pick(&mut random, queues.len())];
                let next = Command { work: body, touches: &touches, facts, waits: &waits, fence };
                events.push(q.enqueue(next).expect("memory"));
            }
        }
    }
    drop(gates);
    for event in events {
        let _ = event.wait();
        assert!(!matches!(event.status(), Status::Pending(_)));
    }
}

#[test]
fn random_lives_of_several_host_threads() {
    for (workers, rounds) in [(1, 100), (2, 200), (4, 100)] {
        for round in 0..rounds {
            let s = scheduler(workers);
            let queues: Vec<Queue> =
                (0..6).map(|i| if i % 2 == 0 { in_order(&s) } else { out_of_order(&s) }).collect();
            let buffers: Vec<ResourceId> = (0..4).map(|_| s.resource()).collect();
            let counts = Arc::new(Counts::default());
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let (s, queues, buffers, counts) = (&s, &queues, &buffers, &counts);
                    scope.spawn(move || host(s, queues, buffers, counts, round * 100 + thread + 1));
                }
            });
            for q in &queues {
                q.finish().expect("null driver");
                assert!(q.is_idle());
            }
            drop(s);
            // A callback may still be running in the thread that ended the last command.
            while counts.called.load(Ordering::Relaxed) < counts.callbacks.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            assert_eq!(counts.called.load(Ordering::Relaxed), counts.callbacks.load(Ordering::Relaxed));
        }
    }
}
