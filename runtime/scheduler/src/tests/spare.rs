//! Who waits for what only the program can bring about is back when it has, whatever else is executed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::yield_now;
use std::time::Duration;

use super::{in_order, out_of_order, scheduler, work};
use crate::{Command, Event, Fence, Queue, Scheduler};

/// Commands that end when they are told to.
struct Endless {
    begun: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
}

impl Endless {
    fn enqueue(queue: &Queue) -> Endless {
        let endless = Endless { begun: Arc::default(), over: Arc::default() };
        let (begun, over) = (Arc::clone(&endless.begun), Arc::clone(&endless.over));
        let body = work(move || {
            begun.fetch_add(1, Ordering::Relaxed);
            while !over.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_micros(100));
            }
        });
        queue.enqueue_silently(Command { work: body, ..Command::default() }).unwrap();
        queue.flush().unwrap();
        endless
    }

    fn until_begun(&self) {
        while self.begun.load(Ordering::Relaxed) == 0 {
            yield_now();
        }
    }

    fn end(&self) {
        self.over.store(true, Ordering::Release);
    }
}

/// Opens the gate while a thread waits for the event and all processors have something else to execute. Whether the thread
/// came back.
fn returns(s: &Scheduler, gate: &crate::UserEvent, event: &Event, workers: usize) -> bool {
    let other = out_of_order(s);
    // All threads of the pool.
    let busy: Vec<Endless> = (1..workers).map(|_| Endless::enqueue(&other)).collect();
    busy.iter().for_each(Endless::until_begun);
    let (sender, receiver) = mpsc::channel();
    let event = event.clone();
    let waits = std::thread::spawn(move || {
        let _ = event.wait();
        sender.send(()).unwrap();
    });
    std::thread::sleep(Duration::from_millis(20));
    let more = Endless::enqueue(&other);
    // With a thread that executes in place of the one that waits, N do.
    more.until_begun();
    // One is there for what the gate sets free.
    busy.first().inspect(|first| first.end());
    gate.complete();
    let back = receiver.recv_timeout(Duration::from_secs(10)).is_ok();
    more.end();
    busy.iter().for_each(Endless::end);
    waits.join().unwrap();
    other.finish().unwrap();
    back
}

#[test]
fn who_waits_for_a_user_event_is_back_when_it_is_set() {
    for workers in [2, 4] {
        let s = scheduler(workers);
        let gate = s.user_event().unwrap();
        assert!(returns(&s, &gate, gate.event(), workers), "{workers} workers");
    }
}

#[test]
fn so_is_who_waits_for_commands_that_one_holds_back() {
    for workers in [2, 3] {
        let s = scheduler(workers);
        let kinds: [fn(&Scheduler, &[Event]) -> Event; 4] = [
            // The command itself.
            |s, waits| {
                in_order(s).enqueue(Command { work: work(|| {}), waits, ..Command::default() }).unwrap()
            },
            // One that waits for nothing, after one that does in order.
            |s, waits| {
                let q = in_order(s);
                q.enqueue_silently(Command { waits, fence: Fence::Marker, ..Command::default() }).unwrap();
                q.enqueue(Command { work: work(|| {}), ..Command::default() }).unwrap()
            },
            // One of another queue.
            |s, waits| {
                let first = out_of_order(s)
                    .enqueue(Command { work: work(|| {}), waits, ..Command::default() })
                    .unwrap();
                let waits = [first];
                in_order(s)
                    .enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() })
                    .unwrap()
            },
            // Behind a barrier.
            |s, waits| {
                let q = out_of_order(s);
                q.enqueue_silently(Command { waits, fence: Fence::Barrier, ..Command::default() }).unwrap();
                q.enqueue(Command { work: work(|| {}), ..Command::default() }).unwrap()
            },
        ];
        for (number, kind) in kinds.iter().enumerate() {
            let gate = s.user_event().unwrap();
            let event = kind(&s, &[gate.event().clone()]);
            assert!(returns(&s, &gate, &event, workers), "{workers} workers, kind {number}");
        }
    }
}

/// Threads come and go, and what they enqueued last is executed while they wait.
#[test]
fn many_threads_wait_for_user_events_at_once() {
    for workers in [1, 2, 3] {
        let s = scheduler(workers);
        let q = in_order(&s);
        let ran = Arc::new(AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        // Set by a command that is enqueued, not flushed, before the wait.
                        let gate = Arc::new(s.user_event().unwrap());
                        let (opens, counts) = (Arc::clone(&gate), Arc::clone(&ran));
                        let body = work(move || {
                            counts.fetch_add(1, Ordering::Relaxed);
                            opens.complete();
                        });
                        q.enqueue_silently(Command { work: body, ..Command::default() }).unwrap();
                        gate.event().wait().unwrap();
                    }
                });
            }
        });
        q.finish().unwrap();
        assert_eq!(ran.load(Ordering::Relaxed), 800);
    }
}

/// The scheduler goes while a thread waits.
#[test]
fn a_scheduler_ends_while_a_thread_waits_for_a_user_event() {
    for workers in [1, 2] {
        for _ in 0..20 {
            let s = scheduler(workers);
            let gate = s.user_event().unwrap();
            let q = out_of_order(&s);
            let waits = [gate.event().clone()];
            let held = q.enqueue(Command { work: work(|| {}), waits: &waits, ..Command::default() }).unwrap();
            let threads = [gate.event().clone(), held].map(|event| std::thread::spawn(move || event.wait()));
            std::thread::sleep(Duration::from_millis(1));
            std::thread::scope(|scope| {
                scope.spawn(|| drop(s));
                std::thread::sleep(Duration::from_millis(1));
                gate.complete();
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
        }
    }
}
