//! Events, queues, waiting, progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use oxcl_driver::{Failure, History, Lane, Launch};

use super::{Random, Work, command, in_order, out_of_order, scheduler, work};
use crate::{ALL_BANDS, Access, Command, Facts, Fence, QueueProperties, ResourceId, Stage, Status, Touch};

const WORKERS: [usize; 3] = [1, 2, 4];

/// Waits for a condition that other threads bring about.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{what} did not happen");
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn a_command_is_executed_and_its_event_completes() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let count = Arc::new(AtomicU64::new(0));
        let c = Arc::clone(&count);
        let event = q
            .enqueue(command(
                work(move || {
                    c.fetch_add(1, Ordering::Relaxed);
                }),
                &[],
            ))
            .unwrap();
        assert_eq!(event.wait(), Ok(()));
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert_eq!(event.status(), Status::Complete);
        q.finish().unwrap();
        assert!(q.is_idle());
    }
}

#[test]
fn every_piece_of_a_launch_is_executed_once() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        for groups in [0u64, 1, 2, 3, 7, 64, 1000] {
            let seen: Arc<Vec<AtomicU64>> = Arc::new((0..groups).map(|_| AtomicU64::new(0)).collect());
            let mine = Arc::clone(&seen);
            let launch = Work {
                groups,
                run: move |first, count| {
                    for g in first..first + count {
                        mine[usize::try_from(g).unwrap()].fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                },
            };
            q.enqueue(command(Some(Arc::new(launch)), &[])).unwrap().wait().unwrap();
            assert!(seen.iter().all(|s| s.load(Ordering::Relaxed) == 1), "{groups} groups, {n} workers");
        }
    }
}

/// Pieces that take as long together as one of them, in runs of at most `grain`.
struct Lanes<F> {
    grain: u64,
    history: History,
    work: Work<F>,
}

impl<F: Fn(u64, u64) -> Result<(), Failure> + Send + Sync> Launch for Lanes<F> {
    fn groups(&self) -> u64 {
        self.work.groups
    }

    fn grain(&self) -> u64 {
        self.grain
    }

    fn run(&self, first: u64, count: u64, lane: Lane) -> Result<(), Failure> {
        self.work.run(first, count, lane)
    }

    fn history(&self) -> Option<&History> {
        Some(&self.history)
    }
}

#[test]
fn pieces_that_are_best_taken_together_are_parted_only_for_workers_without_work() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        for (groups, grain) in [(2_u64, 8_u64), (16, 32), (100, 8), (1000, 16), (7, 1), (64, 32), (65, 0)] {
            let seen: Arc<Vec<AtomicU64>> = Arc::new((0..groups).map(|_| AtomicU64::new(0)).collect());
            let mine = Arc::clone(&seen);
            let run = grain.clamp(1, groups.div_ceil(n as u64));
            let launch = Lanes {
                grain,
                history: History::new(),
                work: Work {
                    groups,
                    run: move |first: u64, count: u64| {
                        assert!(
                            first.is_multiple_of(run),
                            "{first} of {groups} in runs of {run}, {n} workers"
                        );
                        assert!(count.is_multiple_of(run) || first + count == groups, "{first} {count}");
                        for g in first..first + count {
                            mine[usize::try_from(g).unwrap()].fetch_add(1, Ordering::Relaxed);
                            // The parts take different times, so that the next execution begins with others.
                            let begin = Instant::now();
                            while begin.elapsed() < Duration::from_nanos(500 * (1 + g * 7 % 16)) {}
                        }
                        Ok(())
                    },
                },
            };
            let launch: Arc<dyn Launch> = Arc::new(launch);
            for round in 1..=3 {
                q.enqueue(command(Some(Arc::clone(&launch)), &[])).unwrap().wait().unwrap();
                let all = seen.iter().all(|s| s.load(Ordering::Relaxed) == round);
                assert!(all, "{groups} groups in runs of {grain}, {n} workers, round {round}");
            }
        }
    }
}

#[test]
fn counts_of_groups_have_64_bits() {
    let s = scheduler(2);
    let q = in_order(&s);
    let sum = Arc::new(AtomicU64::new(0));
    let mine = Arc::clone(&sum);
    let groups = (1 << 40) + 12345;
    let launch = Work {
        groups,
        run: move |_, count| {
            mine.fetch_add(count, Ordering::Relaxed);
            Ok(())
        },
    };
    q.enqueue(command(Some(Arc::new(launch)), &[])).unwrap().wait().unwrap();
    assert_eq!(sum.load(Ordering::Relaxed), groups);
}

#[test]
fn conflicting_commands_of_an_in_order_queue_run_in_order() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let buffer = s.resource();
        let log = Arc::new(crate::shim::Mutex::new(Vec::new()));
        for i in 0..1000 {
            let log = Arc::clone(&log);
            let touch = Touch::whole(buffer, Access::ReadWrite);
            q.enqueue_silently(command(work(move || log.lock().unwrap().push(i)), &[touch])).unwrap();
        }
        q.finish().unwrap();
        assert_eq!(*log.lock().unwrap(), (0..1000).collect::<Vec<_>>());
    }
}

#[test]
fn completion_is_observed_in_order() {
    let s = scheduler(2);
    let q = in_order(&s);
    let go = Arc::new(AtomicU64::new(0));
    let wait = Arc::clone(&go);
    let spin = move || {
        while wait.load(Ordering::Acquire) == 0 {
            std::hint::spin_loop();
        }
    };
    let first = q.enqueue(command(work(spin), &[])).unwrap();
    let ran = Arc::new(AtomicU64::new(0));
    let mine = Arc::clone(&ran);
    let second = q.enqueue(command(work(move || mine.store(1, Ordering::Relaxed)), &[])).unwrap();
    q.flush().unwrap();
    let helper = {
        let second = second.clone();
        std::thread::spawn(move || second.wait())
    };
    eventually("the second command's execution", || ran.load(Ordering::Relaxed) == 1);
    std::thread::sleep(Duration::from_millis(2));
    assert!(!second.is_complete(), "the second command is complete before the first");
    go.store(1, Ordering::Release);
    helper.join().unwrap().unwrap();
    assert!(first.is_complete());
}

#[test]
fn an_in_order_queue_does_not_pass_by_a_command_that_waits_for_something_outside() {
    for n in WORKERS {
        for failing in [false, true] {
            let s = scheduler(n);
            let (q, other) = (in_order(&s), in_order(&s));
            let gate = s.user_event().unwrap();
            let behind_gate = [gate.event().clone()];
            let gated = Command { work: work(|| {}), waits: &behind_gate, ..Command::default() };
            // Two that wait for the same, and one that waits for a command of another queue.
            let foreign = other.enqueue(gated.clone()).unwrap();
            let first = q.enqueue(gated.clone()).unwrap();
            let ran = Arc::new(AtomicU64::new(0));
            let counted = || {
                let ran = Arc::clone(&ran);
                work(move || {
                    ran.fetch_add(1, Ordering::Relaxed);
                })
            };
            let second = q.enqueue(command(counted(), &[])).unwrap();
            let third = q.enqueue(gated).unwrap();
            let behind_foreign = [foreign];
            let fourth = q
                .enqueue(Command { work: work(|| {}), waits: &behind_foreign, ..Command::default() })
                .unwrap();
            let fifth = q.enqueue(command(counted(), &[])).unwrap();
            q.flush().unwrap();
            other.flush().unwrap();
            std::thread::sleep(Duration::from_millis(1));
            assert_eq!(ran.load(Ordering::Relaxed), 0, "a command went past one that waits ({n} workers)");
            if failing {
                gate.fail(-5);
            } else {
                gate.complete();
            }
            // What waits for the event by name fails with it; what only comes later does not.
            assert_eq!(first.wait().is_err(), failing);
            assert!(second.wait().is_ok());
            assert_eq!(third.wait().is_err(), failing);
            assert_eq!(fourth.wait().is_err(), failing);
            assert!(fifth.wait().is_ok());
            assert_eq!(ran.load(Ordering::Relaxed), 2);
        }
    }
}

#[test]
fn what_was_flushed_runs_though_nobody_waits() {
    for n in [1, 2, 4] {
        let s = scheduler(n);
        let q = in_order(&s);
        let ran = Arc::new(AtomicUsize::new(0));
        // Workers that search, that sleep and keep watch, and that sleep.
        let pauses = [0, 20, 100, 500, 20_000, 0];
        for (count, pause) in pauses.into_iter().cycle().take(60).enumerate() {
            std::thread::sleep(Duration::from_micros(pause));
            let mine = Arc::clone(&ran);
            let body = move || {
                mine.fetch_add(1, Ordering::Relaxed);
            };
            q.enqueue_silently(command(work(body), &[])).unwrap();
            q.flush().unwrap();
            eventually("the flushed command's execution", || ran.load(Ordering::Relaxed) == count + 1);
        }
    }
}

#[test]
fn out_of_order_commands_complete_by_themselves() {
    let s = scheduler(1);
    let q = out_of_order(&s);
    let gate = s.user_event().unwrap();
    let gated = Command { work: work(|| {}), waits: &[gate.event().clone()], ..Command::default() };
    let first = q.enqueue(gated).unwrap();
    let second = q.enqueue(command(work(|| {}), &[])).unwrap();
    second.wait().unwrap();
    assert!(!first.is_complete());
    gate.complete();
    q.finish().unwrap();
    assert!(first.is_complete());
}

#[test]
fn barriers_and_markers_wait_for_what_is_before_them() {
    for n in WORKERS {
        let s = scheduler(n);
        for q in [in_order(&s), out_of_order(&s)] {
            let gate = s.user_event().unwrap();
            let waits = [gate.event().clone()];
            let before =
                q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
            let marker = q.enqueue(Command { fence: Fence::Marker, ..Command::default() }).unwrap();
            let barrier = q.enqueue(Command { fence: Fence::Barrier, ..Command::default() }).unwrap();
            let after = q.enqueue(command(work(|| {}), &[])).unwrap();
            q.flush().unwrap();
            std::thread::sleep(Duration::from_millis(1));
            for event in [&before, &marker, &barrier, &after] {
                assert!(!event.is_complete());
            }
            gate.complete();
            q.finish().unwrap();
            for event in [&before, &marker, &barrier, &after] {
                assert!(event.is_complete());
            }
        }
    }
}

#[test]
fn an_opaque_command_is_a_barrier_in_its_queue() {
    let s = scheduler(4);
    let q = in_order(&s);
    let at = Arc::new(AtomicUsize::new(0));
    let step = |from: usize| {
        let at = Arc::clone(&at);
        work(move || {
            std::thread::sleep(Duration::from_millis(1));
            assert_eq!(at.swap(from + 1, Ordering::SeqCst), from);
        })
    };
    let opaque = Facts { opaque: true, ..Facts::default() };
    let events: Vec<_> = (0..10)
        .map(|i| {
            let facts = if i % 2 == 0 { opaque } else { Facts::default() };
            q.enqueue(Command { work: step(i), facts, ..Command::default() }).unwrap()
        })
        .collect();
    q.finish().unwrap();
    assert!(events.iter().all(|event| event.status() == Status::Complete));
}

/// Random touches of a few bytes of a few buffers, in columns too, between barriers, waits and commands of which nothing is known.
#[test]
fn nothing_refers_to_a_command_when_its_queue_is_gone() {
    let mut random = Random(7);
    for n in WORKERS {
        let s = scheduler(n);
        for round in 0..40 {
            let q = if round % 4 == 3 { out_of_order(&s) } else { in_order(&s) };
            let mut events = Vec::new();
            for _ in 0..30 {
                let touches: Vec<Touch> = (0..random.below(5))
                    .map(|_| {
                        let start = random.below(8);
                        let access =
                            [Access::Read, Access::Write, Access::ReadWrite][random.below(3) as usize];
                        let bands = if random.below(8) == 0 { 6 } else { ALL_BANDS };
                        let resource = ResourceId(random.below(4));
                        // Some touch nothing.
                        Touch { resource, start, end: start + random.below(4), access, bands }
                    })
                    .collect();
                let mut one_in = |many| random.below(many) == 0;
                let facts = Facts { opaque: one_in(10), globals: one_in(5), printf: one_in(5) };
                let fence = if one_in(10) { Fence::Barrier } else { Fence::None };
                let work = if one_in(5) { None } else { work(|| ()) };
                let command = Command { work, touches: &touches, facts, waits: &[], fence };
                if one_in(3) {
                    q.enqueue_silently(command).unwrap();
                } else {
                    events.push(q.enqueue(command).unwrap());
                }
                if one_in(6) {
                    q.finish().unwrap();
                }
            }
            q.finish().unwrap();
            drop(q);
            // The worker that retired the last one may not have let go of it yet.
            eventually("the last reference but the test's", || {
                events.iter().all(|event| event.task.references() == 1)
            });
        }
    }
}

#[test]
fn sub_buffers_that_do_not_overlap_do_not_wait() {
    let s = scheduler(2);
    let q = in_order(&s);
    let buffer = s.resource();
    let range = |start, end, access| Touch { resource: buffer, start, end, access, bands: ALL_BANDS };
    let go = Arc::new(AtomicU64::new(0));
    let ran = Arc::new(AtomicU64::new(0));
    let mark = |bit: u64| {
        let ran = Arc::clone(&ran);
        move || {
            ran.fetch_or(bit, Ordering::Relaxed);
        }
    };
    let (first, wait) = (mark(1), Arc::clone(&go));
    let held = work(move || {
        while wait.load(Ordering::Acquire) == 0 {
            std::hint::spin_loop();
        }
        first();
    });
    q.enqueue_silently(command(held, &[range(0, 100, Access::Write)])).unwrap();
    q.enqueue_silently(command(work(mark(2)), &[range(100, 200, Access::ReadWrite)])).unwrap();
    q.enqueue_silently(command(work(mark(4)), &[range(99, 101, Access::Read)])).unwrap();
    let helper = std::thread::spawn({
        let q = q.clone();
        move || q.finish()
    });
    eventually("the second command's execution", || ran.load(Ordering::Relaxed) != 0);
    std::thread::sleep(Duration::from_millis(1));
    assert_eq!(ran.load(Ordering::Relaxed), 2);
    go.store(1, Ordering::Release);
    helper.join().unwrap().unwrap();
    assert_eq!(ran.load(Ordering::Relaxed), 7);
}

#[test]
fn callbacks_come_once_and_after_everything_before_is_complete() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let log = Arc::new(crate::shim::Mutex::new(Vec::new()));
        let gate = s.user_event().unwrap();
        let mut before = gate.event().clone();
        for i in 0..50 {
            let waits = [gate.event().clone()];
            let event =
                q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
            for j in 0..2 {
                let (log, before) = (Arc::clone(&log), before.clone());
                event
                    .on_complete(move |_, outcome| {
                        assert_eq!(*outcome, Ok(()));
                        assert!(before.is_complete());
                        log.lock().unwrap().push((i, j));
                    })
                    .unwrap();
            }
            before = event;
        }
        gate.complete();
        q.finish().unwrap();
        eventually("the last callback", || log.lock().unwrap().len() == 100);
        let mut log = log.lock().unwrap();
        // The callbacks of one event come in the order in which they were added.
        assert!(
            (0..50).all(|i| log.iter().position(|c| *c == (i, 0)) < log.iter().position(|c| *c == (i, 1)))
        );
        log.sort_unstable();
        assert_eq!(*log, (0..50).flat_map(|i| [(i, 0), (i, 1)]).collect::<Vec<_>>());
    }
}

#[test]
fn stages_are_announced() {
    let s = scheduler(2);
    let q = in_order(&s);
    let gate = s.user_event().unwrap();
    let waits = [gate.event().clone()];
    let event = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
    assert_eq!(event.status(), Status::Pending(Stage::Queued));
    let seen = Arc::new(AtomicU64::new(0));
    for stage in [Stage::Submitted, Stage::Running, Stage::Complete] {
        let seen = Arc::clone(&seen);
        event
            .on_stage(stage, move |_, _| {
                seen.fetch_add(1, Ordering::Relaxed);
            })
            .unwrap();
    }
    assert_eq!(seen.load(Ordering::Relaxed), 0);
    gate.complete();
    event.wait().unwrap();
    eventually("all stages", || seen.load(Ordering::Relaxed) == 3);
    let late = Arc::clone(&seen);
    event
        .on_stage(Stage::Running, move |_, _| {
            late.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 4);
}

#[test]
fn flushed_commands_get_on_when_nobody_waits() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let event = q.enqueue(command(work(|| {}), &[])).unwrap();
        q.flush().unwrap();
        eventually("the command's end", || event.is_complete());
        // A status query alone is enough too.
        let event = q.enqueue(command(work(|| {}), &[])).unwrap();
        eventually("the polled command's end", || event.status() == Status::Complete);
        // And so is a callback.
        let called = Arc::new(AtomicU64::new(0));
        let mine = Arc::clone(&called);
        let event = q.enqueue(command(work(|| {}), &[])).unwrap();
        event.on_complete(move |_, _| mine.store(1, Ordering::Relaxed)).unwrap();
        drop(event);
        eventually("the callback", || called.load(Ordering::Relaxed) == 1);
    }
}

#[test]
fn an_enqueued_command_does_not_stay_untaken() {
    let s = scheduler(2);
    let q = in_order(&s);
    for pause in [0u64, 100, 20_000] {
        std::thread::sleep(Duration::from_micros(pause));
        let event = q.enqueue(command(work(|| {}), &[])).unwrap();
        eventually("the command's end without a flush", || event.is_complete());
    }
}

#[test]
fn a_user_event_set_by_a_thread_that_then_sleeps_is_enough() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let gate = s.user_event().unwrap();
        let waits = [gate.event().clone()];
        let event = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
        q.flush().unwrap();
        let setter = std::thread::spawn(move || {
            gate.complete();
            std::thread::sleep(Duration::from_millis(50));
        });
        eventually("the command's end", || event.is_complete());
        setter.join().unwrap();
    }
}

#[test]
fn many_host_threads_wait_at_the_same_time() {
    for n in WORKERS {
        let s = scheduler(n);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let q = in_order(&s);
                    for i in 0..300 {
                        let event = q.enqueue(command(work(|| {}), &[])).unwrap();
                        if i % 3 == 0 {
                            event.wait().unwrap();
                        } else if i % 7 == 0 {
                            q.finish().unwrap();
                        }
                    }
                    q.finish().unwrap();
                });
            }
        });
    }
}

#[test]
fn a_thread_waits_for_another_queue() {
    for n in WORKERS {
        let s = scheduler(n);
        let (a, b) = (in_order(&s), out_of_order(&s));
        let mut last = a.enqueue(command(work(|| {}), &[])).unwrap();
        for i in 0..2000 {
            let q = if i % 2 == 0 { &b } else { &a };
            let waits = [last.clone()];
            last = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
        }
        last.wait().unwrap();
    }
}

#[test]
fn long_wait_lists_are_waited_for() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = out_of_order(&s);
        let done = Arc::new(AtomicU64::new(0));
        let mut before = Vec::new();
        for batch in 0..20u64 {
            let events: Vec<_> = (0..64)
                .map(|_| {
                    let done = Arc::clone(&done);
                    let check = work(move || {
                        assert!(done.load(Ordering::SeqCst) >= batch * 64);
                        done.fetch_add(1, Ordering::SeqCst);
                    });
                    q.enqueue(Command { work: check, waits: &before, ..Command::default() }).unwrap()
                })
                .collect();
            before = events;
        }
        q.finish().unwrap();
        assert!(before.iter().all(|event| event.status() == Status::Complete));
        assert_eq!(done.load(Ordering::SeqCst), 20 * 64);
    }
}

#[test]
fn times_are_kept_in_order() {
    let s = scheduler(2);
    let q =
        s.queue(super::null(), QueueProperties { profiling: true, ..QueueProperties::default() }).unwrap();
    let event = q.enqueue(command(work(|| std::thread::sleep(Duration::from_millis(1))), &[])).unwrap();
    event.wait().unwrap();
    let t = event.times();
    assert!(t.queued > 0 && t.queued <= t.submitted && t.submitted <= t.started, "{t:?}");
    assert!(t.ended >= t.started + 1_000_000, "{t:?}");
    // A command that waits is submitted when what it waits for has ended.
    let gate = s.user_event().unwrap();
    let waits = [gate.event().clone()];
    let event = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
    std::thread::sleep(Duration::from_millis(1));
    gate.complete();
    event.wait().unwrap();
    let t = event.times();
    assert!(t.queued + 1_000_000 <= t.submitted && t.submitted <= t.started && t.started <= t.ended, "{t:?}");
}

/// Remembers what it sees.
#[derive(Debug)]
struct Watcher(crate::shim::Mutex<Vec<(String, Option<usize>)>>);

impl crate::Observer for Watcher {
    fn command(&self, record: &crate::CommandRecord<'_>) {
        assert!(record.times.started <= record.times.ended);
        crate::shim::lock(&self.0).push((record.label.to_owned(), record.lane));
    }
}

#[test]
fn an_observer_sees_every_executed_command() {
    let watcher = Arc::new(Watcher(crate::shim::Mutex::new(Vec::new())));
    let observer = Arc::clone(&watcher) as Arc<dyn crate::Observer>;
    let s =
        crate::Scheduler::start(crate::Options { workers: 2, pin: true, observer: Some(observer) }).unwrap();
    let q = in_order(&s);
    for _ in 0..50 {
        q.enqueue_silently(command(work(|| {}), &[])).unwrap();
    }
    q.finish().unwrap();
    let seen = crate::shim::lock(&watcher.0);
    assert_eq!(seen.len(), 50);
    assert!(seen.iter().all(|(label, lane)| label == "test" && lane.is_some_and(|lane| lane < 2)));
}

#[test]
fn printing_commands_keep_their_order() {
    let s = scheduler(4);
    let q = in_order(&s);
    let log = Arc::new(crate::shim::Mutex::new(Vec::new()));
    for i in 0..200u64 {
        let log = Arc::clone(&log);
        let touches = [Touch::whole(ResourceId(1000 + i), Access::Write)];
        let print = work(move || log.lock().unwrap().push(i));
        let facts = Facts { printf: true, ..Facts::default() };
        q.enqueue_silently(Command { work: print, touches: &touches, facts, ..Command::default() }).unwrap();
    }
    q.finish().unwrap();
    assert_eq!(*log.lock().unwrap(), (0..200).collect::<Vec<_>>());
}

#[test]
fn records_stay_small() {
    // A record is written and read for every command: it has at most six cache lines.
    assert!(size_of::<crate::task::Task>() <= 384, "{}", size_of::<crate::task::Task>());
}
