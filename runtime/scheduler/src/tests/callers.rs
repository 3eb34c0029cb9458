//! Devices whose commands are executed by threads of the host program (`Execution::Caller`): which thread that is, and that
//! nothing is forgotten when none is there.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use oxcl_driver::capability::Execution;
use oxcl_driver::{Capabilities, Driver, Launch, NullDriver};

use super::{Work, command, in_order, out_of_order, scheduler, work};
use crate::shim::{Mutex, lock};
use crate::{Command, Event, Queue, QueueProperties, Scheduler};

fn queue(s: &Scheduler, out_of_order: bool) -> Queue {
    let capabilities = Capabilities { execution: Execution::Caller, ..Capabilities::host("in caller") };
    let driver: Arc<dyn Driver> = Arc::new(NullDriver::with(capabilities));
    s.queue(driver, QueueProperties { out_of_order, profiling: false }).unwrap()
}

/// The threads that executed something, and how often something was.
#[derive(Default)]
struct Seen {
    threads: Mutex<BTreeSet<String>>,
    count: AtomicU64,
}

fn name(id: ThreadId) -> String {
    format!("{id:?}")
}

impl Seen {
    fn note(&self) {
        lock(&self.threads).insert(name(thread::current().id()));
        self.count.fetch_add(1, Ordering::Release);
    }

    fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Only these threads were there.
    fn only(&self, allowed: &[ThreadId]) -> bool {
        let allowed: Vec<String> = allowed.iter().copied().map(name).collect();
        lock(&self.threads).iter().all(|thread| allowed.contains(thread))
    }
}

fn noting(seen: &Arc<Seen>) -> Option<Arc<dyn Launch>> {
    let seen = Arc::clone(seen);
    work(move || seen.note())
}

fn here() -> ThreadId {
    thread::current().id()
}

/// Waits without calling the scheduler.
fn until(what: impl Fn() -> bool) {
    let begin = Instant::now();
    while !what() {
        assert!(begin.elapsed() < Duration::from_secs(20), "nothing got on without a caller");
        thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn the_waiting_thread_executes_all_and_whole_launches() {
    for workers in [1, 2, 4] {
        let s = scheduler(workers);
        for out_of_order in [false, true] {
            let q = queue(&s, out_of_order);
            let (seen, pieces) = (Arc::new(Seen::default()), Arc::new(Seen::default()));
            let mut last: Option<Event> = None;
            for i in 0..500 {
                let body: Option<Arc<dyn Launch>> = if i % 10 == 0 {
                    let pieces = Arc::clone(&pieces);
                    let run = move |_, count| {
                        (0..count).for_each(|_| pieces.note());
                        Ok(())
                    };
                    Some(Arc::new(Work { groups: 64, run }))
                } else {
                    noting(&seen)
                };
                let waits = if i % 3 == 0 { last.as_ref().map(std::slice::from_ref) } else { None };
                let command = Command { work: body, waits: waits.unwrap_or_default(), ..Command::default() };
                last = Some(q.enqueue(command).unwrap());
            }
            // Workers that wake up by themselves have had time to.
            thread::sleep(Duration::from_millis(1));
            assert_eq!(seen.count(), 0, "nobody waits yet");
            q.finish().unwrap();
            assert_eq!((seen.count(), pieces.count()), (450, 50 * 64));
            assert!(seen.only(&[here()]) && pieces.only(&[here()]), "{workers} workers");
        }
    }
}

#[test]
fn flush_and_status_queries_execute_in_their_thread() {
    let s = scheduler(3);
    let q = queue(&s, false);
    let seen = Arc::new(Seen::default());
    let first = q.enqueue(command(noting(&seen), &[])).unwrap();
    q.flush().unwrap();
    assert!(first.is_complete());
    let second = q.enqueue(command(noting(&seen), &[])).unwrap();
    assert!(second.status() == crate::Status::Complete);
    let third = q.enqueue(command(noting(&seen), &[])).unwrap();
    let (sender, called) = mpsc::channel();
    third.on_complete(move |_, _| sender.send(()).unwrap()).unwrap();
    called.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(seen.count() == 3 && seen.only(&[here()]));
}

#[test]
fn the_thread_that_sets_a_user_event_executes_unless_one_waits() {
    let s = scheduler(3);
    for round in 0..50 {
        let q = queue(&s, round % 2 == 0);
        let seen = Arc::new(Seen::default());
        let gate = s.user_event().unwrap();
        let waits = [gate.event().clone()];
        for _ in 0..10 {
            q.enqueue_silently(Command { work: noting(&seen), waits: &waits, ..Command::default() }).unwrap();
        }
        if round % 3 == 0 {
            q.flush().unwrap();
        }
        thread::scope(|scope| {
            let setter = scope.spawn(move || {
                gate.complete();
                here()
            });
            if round % 5 == 0 {
                q.finish().unwrap();
            }
            let setter = setter.join().unwrap();
            until(|| seen.count() == 10);
            assert!(seen.only(&[here(), setter]));
        });
        q.finish().unwrap();
    }
}

/// A chain that goes to and fro between the workers and the waiting thread.
#[test]
fn commands_that_workers_set_free_come_back_to_the_waiting_thread() {
    for workers in [2, 4] {
        let s = scheduler(workers);
        let (q, others) = (queue(&s, true), out_of_order(&s));
        let seen = Arc::new(Seen::default());
        let gate = s.user_event().unwrap();
        let mut last = gate.event().clone();
        for i in 0..2000 {
            let (queue, body) = if i % 2 == 0 { (&others, work(|| {})) } else { (&q, noting(&seen)) };
            last = queue.enqueue(Command { work: body, waits: &[last], ..Command::default() }).unwrap();
        }
        thread::scope(|scope| {
            // Given to a thread of its own, so that this one is about to sleep, or does, when the chain begins.
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(5));
                gate.complete();
            });
            last.wait().unwrap();
        });
        assert_eq!(seen.count(), 1000);
        assert!(seen.only(&[here()]), "{workers} workers");
    }
}

#[test]
fn several_waiting_threads_share_the_work_and_nobody_hangs() {
    let s = scheduler(3);
    let allowed: Vec<ThreadId> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|number| {
                let s = &s;
                scope.spawn(move || {
                    let seen = Arc::new(Seen::default());
                    for round in 0..300u64 {
                        let (q, host) = (queue(s, (round + number) % 2 == 0), in_order(s));
                        let before = host.enqueue(command(work(|| {}), &[])).unwrap();
                        let waits = [before];
                        for _ in 0..3 {
                            let command =
                                Command { work: noting(&seen), waits: &waits, ..Command::default() };
                            q.enqueue_silently(command).unwrap();
                        }
                        q.finish().unwrap();
                        assert_eq!(seen.count(), 3 * (round + 1));
                    }
                    (here(), seen)
                })
            })
            .collect();
        let ends: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        let ids: Vec<ThreadId> = ends.iter().map(|(id, _)| *id).collect();
        assert!(ends.iter().all(|(_, seen)| seen.only(&ids)), "only threads that waited");
        ids
    });
    assert_eq!(allowed.len(), 4);
}

/// What was flushed gets on although nobody comes again: a worker executes it.
#[test]
fn what_was_flushed_gets_on_without_a_caller() {
    let s = scheduler(2);
    for round in 0..200 {
        let (q, others) = (queue(&s, round % 2 == 0), out_of_order(&s));
        let seen = Arc::new(Seen::default());
        let open = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&open);
        let body = work(move || {
            while !theirs.load(Ordering::Acquire) {
                thread::yield_now();
            }
        });
        let before = others.enqueue(command(body, &[])).unwrap();
        others.flush().unwrap();
        let waits = [before];
        let event = q.enqueue(Command { work: noting(&seen), waits: &waits, ..Command::default() }).unwrap();
        match round % 3 {
            0 => q.flush().unwrap(),
            1 => drop(q),
            _ => {
                // Any call that makes sure that things get on is good enough.
                let _ = event.status();
            }
        }
        if round % 2 == 0 {
            thread::sleep(Duration::from_micros(100));
        }
        open.store(true, Ordering::Release);
        until(|| event.is_complete());
        assert_eq!(seen.count(), 1);
    }
}

#[test]
fn callbacks_may_wait_for_what_only_callers_execute() {
    let s = scheduler(2);
    for round in 0..100 {
        let (q, others) = (Arc::new(queue(&s, true)), out_of_order(&s));
        let seen = Arc::new(Seen::default());
        let gate = s.user_event().unwrap();
        let waits = [gate.event().clone()];
        let event =
            others.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
        let (sender, called) = mpsc::channel();
        let (theirs, their_queue) = (Arc::clone(&seen), Arc::clone(&q));
        event
            .on_complete(move |_, _| {
                let inner = their_queue.enqueue(command(noting(&theirs), &[])).unwrap();
                sender.send(inner.wait()).unwrap();
            })
            .unwrap();
        // In a worker's callback, in the waiting thread's, or in that of the thread that sets the event.
        gate.complete();
        if round % 2 == 0 {
            event.wait().unwrap();
        }
        called.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
        assert_eq!(seen.count(), 1);
    }
}

#[test]
fn what_was_never_flushed_ends_with_the_scheduler() {
    let seen = Arc::new(Seen::default());
    let s = scheduler(2);
    let q = queue(&s, false);
    for _ in 0..10 {
        q.enqueue_silently(command(noting(&seen), &[])).unwrap();
    }
    drop(s);
    assert!(seen.count() == 10 && seen.only(&[here()]));
    q.finish().unwrap();
}
