//! Failures: every event ends, dependants end with the cause, nothing hangs, and the next command runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use oxcl_driver::capability::Execution;
use oxcl_driver::{Driver, Failure};

use super::{Work, command, failing_work, in_order, kernel_failure, null, out_of_order, scheduler, work};
use crate::own_device::{Kept, OwnDevice};
use crate::{
    ALL_BANDS, Access, Command, EnqueueError, Event, Fence, QueueProperties, Stage, Status, Touch, UserEvent,
};

const WORKERS: [usize; 3] = [1, 2, 4];

fn failure(event: &Event) -> Failure {
    match event.status() {
        Status::Failed(cause) => (*cause).clone(),
        other => panic!("expected a failure, got {other:?}"),
    }
}

#[test]
fn a_failing_kernel_ends_with_its_cause_and_the_next_command_runs() {
    for n in WORKERS {
        let s = scheduler(n);
        for q in [in_order(&s), out_of_order(&s)] {
            let event = q.enqueue(command(failing_work(), &[])).unwrap();
            assert_eq!(event.wait(), Err(Arc::new(kernel_failure())));
            q.finish().unwrap();
            q.enqueue(command(work(|| {}), &[])).unwrap().wait().unwrap();
        }
    }
}

#[test]
fn a_panic_is_a_failure_with_its_message() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let panics = Work { groups: 9, run: |_, _| std::panic::resume_unwind(Box::new("out of paper")) };
        let event = q.enqueue(command(Some(Arc::new(panics)), &[])).unwrap();
        let _ = event.wait();
        assert_eq!(failure(&event), Failure::Panicked { message: "out of paper".to_owned() });
        q.enqueue(command(work(|| {}), &[])).unwrap().wait().unwrap();
    }
}

#[test]
fn one_failing_piece_fails_the_launch_once() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        for bad in [0u64, 1, 499, 998, 999] {
            let launch = Work {
                groups: 1000,
                run: move |first, count| {
                    if (first..first + count).contains(&bad) { Err(kernel_failure()) } else { Ok(()) }
                },
            };
            let event = q.enqueue(command(Some(Arc::new(launch)), &[])).unwrap();
            assert_eq!(event.wait(), Err(Arc::new(kernel_failure())));
        }
    }
}

#[test]
fn dependants_fail_with_the_cause_and_are_not_executed() {
    for n in WORKERS {
        let s = scheduler(n);
        let (a, b) = (in_order(&s), out_of_order(&s));
        let ran = Arc::new(AtomicU64::new(0));
        let count = || {
            let ran = Arc::clone(&ran);
            work(move || {
                ran.fetch_add(1, Ordering::Relaxed);
            })
        };
        let gate = s.user_event().unwrap();
        let waits = [gate.event().clone()];
        let first = a.enqueue(Command { work: failing_work(), waits: &waits, ..Command::default() }).unwrap();
        let mut events = vec![first];
        for i in 0..100 {
            let q = if i % 2 == 0 { &b } else { &a };
            let waits = [events[events.len() - 1].clone()];
            events.push(q.enqueue(Command { work: count(), waits: &waits, ..Command::default() }).unwrap());
        }
        let marker =
            b.enqueue(Command { waits: &events, fence: Fence::Marker, ..Command::default() }).unwrap();
        events.push(marker);
        gate.complete();
        a.finish().unwrap();
        b.finish().unwrap();
        assert!(events.iter().all(|event| failure(event) == kernel_failure()));
        assert_eq!(ran.load(Ordering::Relaxed), 0);
        // A wait list that contains a failed event fails at once.
        let waits = [events[3].clone()];
        let late = b.enqueue(Command { work: count(), waits: &waits, ..Command::default() }).unwrap();
        assert_eq!(late.wait(), Err(Arc::new(kernel_failure())));
    }
}

#[test]
fn what_reads_bytes_that_were_not_written_fails_with_the_writer() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let (a, b) = (s.resource(), s.resource());
        let write = [Touch::whole(a, Access::Write)];
        let copy = [Touch::whole(a, Access::Read), Touch::whole(b, Access::Write)];
        let writer = q.enqueue(command(failing_work(), &write)).unwrap();
        let reader = q.enqueue(command(work(|| {}), &copy)).unwrap();
        let far = q.enqueue(command(work(|| {}), &[Touch::whole(b, Access::Read)])).unwrap();
        let other = q.enqueue(command(work(|| {}), &[])).unwrap();
        q.finish().unwrap();
        for event in [&writer, &reader, &far] {
            assert_eq!(failure(event), kernel_failure());
        }
        assert_eq!(other.status(), Status::Complete);
        let again = q.enqueue(command(work(|| {}), &copy)).unwrap();
        assert_eq!(again.wait(), Ok(()));
    }
}

#[test]
fn a_user_event_set_to_an_error_fails_what_waits() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let gate = s.user_event().unwrap();
        let waits = [gate.event().clone()];
        let event = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
        assert!(gate.fail(-5));
        assert!(!gate.complete(), "a user event is set once");
        let _ = event.wait();
        assert_eq!(failure(&event), Failure::UserEvent { status: -5 });
        assert_eq!(failure(gate.event()), Failure::UserEvent { status: -5 });
    }
}

#[test]
fn an_abandoned_user_event_fails_what_waits() {
    let s = scheduler(2);
    let q = in_order(&s);
    let gate = s.user_event().unwrap();
    let waits = [gate.event().clone()];
    let event = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
    drop(gate);
    let _ = event.wait();
    assert_eq!(failure(&event), Failure::Abandoned);
}

#[test]
fn a_queue_that_is_released_with_work_pending_is_executed() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let gate = s.user_event().unwrap();
        let waits = [gate.event().clone()];
        let ran = Arc::new(AtomicU64::new(0));
        for _ in 0..100 {
            let ran = Arc::clone(&ran);
            let add = work(move || {
                ran.fetch_add(1, Ordering::Relaxed);
            });
            q.enqueue_silently(Command { work: add, waits: &waits, ..Command::default() }).unwrap();
        }
        let last = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
        drop(q);
        gate.complete();
        last.wait().unwrap();
        assert_eq!(ran.load(Ordering::Relaxed), 100);
    }
}

#[test]
fn everything_is_dropped_in_a_callback() {
    for n in WORKERS {
        for _ in 0..50 {
            let s = scheduler(n);
            let q = in_order(&s);
            let gate = s.user_event().unwrap();
            let waits = [gate.event().clone()];
            let event =
                q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
            let called = Arc::new(AtomicU64::new(0));
            let mine = Arc::clone(&called);
            event
                .on_complete(move |_, _| {
                    drop(q);
                    drop(s);
                    mine.store(1, Ordering::Relaxed);
                })
                .unwrap();
            gate.complete();
            event.wait().unwrap();
            while called.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
        }
    }
}

#[test]
fn commands_outlive_the_scheduler() {
    for n in WORKERS {
        let s = scheduler(n);
        let q = in_order(&s);
        let gate = s.user_event().unwrap();
        let waits = [gate.event().clone()];
        let event = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
        drop(s);
        drop(q);
        gate.complete();
        event.wait().unwrap();
    }
}

#[test]
fn a_million_commands_before_the_first_runs() {
    for n in [1, 2] {
        let s = scheduler(n);
        let q = in_order(&s);
        let gate = s.user_event().unwrap();
        let waits = [gate.event().clone()];
        let ran = Arc::new(AtomicU64::new(0));
        let mine = Arc::clone(&ran);
        let add = work(move || {
            mine.fetch_add(1, Ordering::Relaxed);
        });
        let buffer = [Touch::whole(s.resource(), Access::ReadWrite)];
        for i in 0..1_000_000 {
            let waits = if i == 0 { &waits[..] } else { &[] };
            let next = Command { work: add.clone(), touches: &buffer, waits, ..Command::default() };
            q.enqueue_silently(next).unwrap();
        }
        assert_eq!(ran.load(Ordering::Relaxed), 0);
        gate.complete();
        q.finish().unwrap();
        assert_eq!(ran.load(Ordering::Relaxed), 1_000_000);
    }
}

#[test]
fn a_million_dependants_fail_without_recursion() {
    let s = scheduler(2);
    let q = out_of_order(&s);
    let gate = s.user_event().unwrap();
    let mut last = gate.event().clone();
    for i in 0..1_000_000 {
        let waits = [last.clone()];
        let body = if i % 2 == 0 { work(|| panic!("must not run")) } else { None };
        last = q.enqueue(Command { work: body, waits: &waits, ..Command::default() }).unwrap();
    }
    gate.fail(-9);
    assert_eq!(last.wait(), Err(Arc::new(Failure::UserEvent { status: -9 })));
    q.finish().unwrap();
}

#[test]
fn callbacks_that_set_user_events_do_not_recurse() {
    let s = scheduler(1);
    let q = out_of_order(&s);
    let first = Arc::new(s.user_event().unwrap());
    let mut gate = Arc::clone(&first);
    for _ in 0..20_000 {
        let waits = [gate.event().clone()];
        let marker =
            q.enqueue(Command { waits: &waits, fence: Fence::Marker, ..Command::default() }).unwrap();
        let next = Arc::new(s.user_event().unwrap());
        gate = Arc::clone(&next);
        marker
            .on_complete(move |_, _| {
                next.complete();
            })
            .unwrap();
    }
    let last = gate.event().clone();
    first.complete();
    last.wait().unwrap();
}

#[test]
fn a_thousand_queues() {
    for n in [1, 2] {
        let s = scheduler(n);
        let queues: Vec<_> =
            (0..1000).map(|i| if i % 2 == 0 { in_order(&s) } else { out_of_order(&s) }).collect();
        let mut last: Option<Event> = None;
        for round in 0..20 {
            for q in &queues {
                let waits: Vec<_> = if round % 3 == 0 { last.iter().cloned().collect() } else { Vec::new() };
                last = Some(
                    q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap(),
                );
            }
        }
        for q in &queues {
            q.finish().unwrap();
            assert!(q.is_idle());
        }
    }
}

/// Who waits for a queue's end knows of every failure up to there, also where another thread goes on enqueueing.
#[test]
fn what_failed_before_the_end_of_a_wait_is_over() {
    for n in [1, 2] {
        let s = scheduler(n);
        let q = in_order(&s);
        let buffer = s.resource();
        let writes = [Touch::whole(buffer, Access::Write)];
        let reads = [Touch::whole(buffer, Access::Read)];
        let (gate, later) = (s.user_event().unwrap(), s.user_event().unwrap());
        let waits = [gate.event().clone()];
        let write = Command { waits: &waits, ..command(work(|| {}), &writes) };
        let failed = q.enqueue(write).unwrap();
        let finishes = std::thread::spawn({
            let q = q.clone();
            move || q.finish()
        });
        // That it waits by now cannot be seen; if not, it waits for what comes next too, and nothing is tested.
        std::thread::sleep(Duration::from_millis(20));
        let waits = [later.event().clone()];
        q.enqueue(Command { waits: &waits, fence: Fence::Marker, ..Command::default() }).unwrap();
        let early = q.enqueue(command(work(|| {}), &reads)).unwrap();
        gate.fail(-9);
        assert!(failed.wait().is_err());
        let patience = std::time::Instant::now() + Duration::from_secs(1);
        while !finishes.is_finished() && std::time::Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        let late = finishes.is_finished().then(|| q.enqueue(command(work(|| {}), &reads)).unwrap());
        later.complete();
        finishes.join().unwrap().unwrap();
        assert!(early.wait().is_err());
        if let Some(late) = late {
            late.wait().unwrap();
        }
    }
}

/// More bytes than are remembered for long: failures are.
#[test]
fn a_failure_is_not_forgotten_among_many_commands_that_are_over() {
    let s = scheduler(1);
    let q = in_order(&s);
    let (lost, line) = (s.resource(), s.resource());
    let write = |at: u64| Touch {
        resource: line,
        start: 8 * at,
        end: 8 * at + 8,
        access: Access::Write,
        bands: ALL_BANDS,
    };
    let failed = q.enqueue(command(failing_work(), &[Touch::whole(lost, Access::Write)])).unwrap();
    let torn = q.enqueue(command(failing_work(), &[write(0)])).unwrap();
    assert!(failed.wait().is_err() && torn.wait().is_err());
    for i in 1..100 {
        let touches = [write(i), Touch::whole(s.resource(), Access::Write)];
        q.enqueue(command(work(|| {}), &touches)).unwrap().wait().unwrap();
    }
    let reads = [Touch::whole(lost, Access::Read)];
    assert_eq!(q.enqueue(command(work(|| {}), &reads)).unwrap().wait(), Err(Arc::new(kernel_failure())));
    let reads = [Touch { access: Access::Read, ..write(0) }];
    assert_eq!(q.enqueue(command(work(|| {}), &reads)).unwrap().wait(), Err(Arc::new(kernel_failure())));
    q.finish().unwrap();
    let reads = [Touch::whole(lost, Access::Read), write(0)];
    q.enqueue(command(work(|| {}), &reads)).unwrap().wait().unwrap();
}

#[test]
fn callbacks_that_panic_hurt_nobody() {
    let s = scheduler(2);
    let q = in_order(&s);
    let event = q.enqueue(command(work(|| {}), &[])).unwrap();
    event.on_complete(|_, _| std::panic::resume_unwind(Box::new("callback"))).unwrap();
    event.wait().unwrap();
    q.enqueue(command(work(|| {}), &[])).unwrap().wait().unwrap();
}

#[cfg(not(loom))]
#[test]
fn every_allocation_may_fail() {
    let s = scheduler(2);
    let device = super::ordering::device();
    for (driver, out_of_order) in [(null(), false), (null(), true), (device.clone(), false), (device, true)] {
        let mut refused = 0;
        for after in 0.. {
            let driver = Arc::clone(&driver);
            let q = s.queue(driver, QueueProperties { out_of_order, profiling: false }).unwrap();
            let buffers: Vec<_> = (0..20).map(|_| s.resource()).collect();
            let gates: Vec<_> = (0..9).map(|_| s.user_event().unwrap()).collect();
            let waits: Vec<_> = gates.iter().map(|gate| gate.event().clone()).collect();
            crate::faults::refuse_after(Some(after));
            let ran = Arc::new(AtomicU64::new(0));
            let mut enqueued = 0;
            let mut failed = 0;
            for i in 0..40u64 {
                let touches: Vec<_> = buffers
                    .iter()
                    .take(usize::try_from(i % 12).unwrap())
                    .map(|b| {
                        let access = if i % 3 == 0 { Access::Write } else { Access::Read };
                        Touch { resource: *b, start: i * 3, end: i * 3 + 50, access, bands: ALL_BANDS }
                    })
                    .collect();
                let ran = Arc::clone(&ran);
                let add = work(move || {
                    ran.fetch_add(1, Ordering::Relaxed);
                });
                let waits = &waits[..usize::try_from(i % 10).unwrap()];
                match q.enqueue_silently(Command {
                    work: add,
                    touches: &touches,
                    waits,
                    ..Command::default()
                }) {
                    Ok(()) => enqueued += 1,
                    Err(EnqueueError::OutOfHostMemory) => failed += 1,
                    Err(other) => panic!("{other}"),
                }
            }
            let carried_out = crate::faults::refuse_after(None);
            for gate in &gates {
                gate.complete();
            }
            q.finish().unwrap();
            assert_eq!(ran.load(Ordering::Relaxed), enqueued, "refusal after {after}");
            if !carried_out {
                break;
            }
            // The refusal may have hit what a failed attempt left unneeded; at most one command was refused.
            assert!(failed <= 1, "refusal after {after}");
            refused += failed;
        }
        assert!(refused > 10, "only {refused} allocations were refused");
    }
}

#[cfg(not(loom))]
#[test]
fn a_user_event_without_memory_is_an_error_and_the_next_one_works() {
    let s = scheduler(2);
    crate::faults::refuse_after(Some(0));
    assert_eq!(s.user_event().unwrap_err(), EnqueueError::OutOfHostMemory);
    assert!(crate::faults::refuse_after(None));
    let gate = s.user_event().unwrap();
    assert!(gate.complete());
    gate.event().wait().unwrap();
}

/// Whether a try refuses what it should, which it does only if a thread has fallen asleep in time: on a busy machine that
/// may take longer.
#[cfg(not(loom))]
fn in_time(attempt: impl Fn(Duration) -> bool) -> bool {
    [30, 300, 3000].into_iter().any(|pause| attempt(Duration::from_millis(pause)))
}

#[cfg(not(loom))]
#[test]
fn who_waits_without_memory_for_being_woken_looks_by_itself() {
    // Without threads of the pool, with one, and beside a thread that has the slot. What is refused is the place to sleep,
    // the entry that wakes it at the end, and, beside another thread, the one that wakes it when the slot is free.
    for (workers, others, allocations) in [(1, 0, 2), (2, 0, 2), (2, 1, 3)] {
        for refused in 0..allocations {
            let was = in_time(|pause| waits_for_a_device(workers, others, refused, pause));
            assert!(was, "{workers} workers, {others} others: nothing was refused after {refused}");
        }
    }
}

/// A thread waits for a command of a device, beside others who do, and is refused memory after so many allocations; whether it
/// was.
#[cfg(not(loom))]
fn waits_for_a_device(workers: usize, others: usize, refused: u64, pause: Duration) -> bool {
    let s = scheduler(workers);
    let devices = [(); 2].map(|()| Arc::new(OwnDevice::new(Execution::Device, Kept::default())));
    let [event, other] = devices.each_ref().map(|device| {
        let q = s.queue(Arc::clone(device) as Arc<dyn Driver>, QueueProperties::default()).unwrap();
        q.enqueue(command(work(|| {}), &[])).unwrap()
    });
    std::thread::scope(|scope| {
        let beside: Vec<_> = (0..others).map(|_| scope.spawn(|| other.wait().unwrap())).collect();
        while others > 0 && !s.core().has_host() {
            std::thread::yield_now();
        }
        let waiter = scope.spawn(|| {
            crate::faults::refuse_after(Some(refused));
            event.wait().unwrap();
            crate::faults::refuse_after(None)
        });
        std::thread::sleep(pause);
        devices[0].own.end_all();
        let carried_out = waiter.join().unwrap();
        devices[1].own.end_all();
        beside.into_iter().for_each(|thread| thread.join().unwrap());
        carried_out
    })
}

#[cfg(not(loom))]
#[test]
fn so_does_who_waits_for_a_user_event() {
    for workers in [1, 2] {
        for refused in 0..2 {
            let was = in_time(|pause| {
                let s = scheduler(workers);
                let gate = s.user_event().unwrap();
                std::thread::scope(|scope| {
                    let waiter = scope.spawn(|| {
                        crate::faults::refuse_after(Some(refused));
                        gate.event().wait().unwrap();
                        crate::faults::refuse_after(None)
                    });
                    std::thread::sleep(pause);
                    assert!(gate.complete());
                    waiter.join().unwrap()
                })
            });
            assert!(was, "{workers} workers: nothing was refused after {refused}");
        }
    }
}

#[cfg(not(loom))]
#[test]
fn a_callback_without_memory_is_an_error_and_the_others_are_called_in_their_order() {
    for stage in [Stage::Submitted, Stage::Running, Stage::Complete] {
        let mut refusals = 0;
        for after in 0..9 {
            let s = scheduler(2);
            let q = in_order(&s);
            let gate = s.user_event().unwrap();
            let waits = [gate.event().clone()];
            let event =
                q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
            let called = Arc::new(Mutex::new(Vec::new()));
            let mut registered = Vec::new();
            crate::faults::refuse_after(Some(after));
            for number in 0..4 {
                let called = Arc::clone(&called);
                match event.on_stage(stage, move |_, _| called.lock().unwrap().push(number)) {
                    Ok(()) => registered.push(number),
                    Err(error) => assert_eq!(error, EnqueueError::OutOfHostMemory),
                }
            }
            let carried_out = crate::faults::refuse_after(None);
            refusals += usize::from(carried_out);
            assert_eq!(registered.len(), 4 - usize::from(carried_out));
            // From here on this thread has no memory for anything.
            let mut count = 0;
            gate_without_memory(&gate);
            event.wait().unwrap();
            while called.lock().unwrap().len() < registered.len() && count < 10_000 {
                std::thread::sleep(Duration::from_millis(1));
                count += 1;
            }
            assert_eq!(*called.lock().unwrap(), registered);
            // What was refused is not kept either.
            drop((q, event, gate, s));
            assert_eq!(Arc::strong_count(&called), 1);
        }
        assert_eq!(refusals, 8);
    }
}

/// Opens a gate in a thread whose first request for memory is refused, if it has one.
#[cfg(not(loom))]
fn gate_without_memory(gate: &UserEvent) {
    crate::faults::refuse_after(Some(0));
    assert!(gate.complete());
    crate::faults::refuse_after(None);
}

#[cfg(not(loom))]
#[test]
fn what_wait_for_a_queue_cannot_remember_is_an_error() {
    let s = scheduler(2);
    let q = in_order(&s);
    let gate = s.user_event().unwrap();
    let waits = [gate.event().clone()];
    let event = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
    let called = Arc::new(AtomicU64::new(0));
    for after in 0..3 {
        crate::faults::refuse_after(Some(after));
        let called = Arc::clone(&called);
        let registered = q.on_idle(move || {
            called.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(registered.is_err(), crate::faults::refuse_after(None));
    }
    gate.complete();
    event.wait().unwrap();
    q.finish().unwrap();
    let patience = std::time::Instant::now() + Duration::from_secs(10);
    while Arc::strong_count(&called) > 1 && std::time::Instant::now() < patience {
        std::thread::yield_now();
    }
    assert_eq!(called.load(Ordering::Relaxed), 1);
}
