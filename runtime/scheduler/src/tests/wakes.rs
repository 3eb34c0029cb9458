//! Wake-ups are not lost: commands that only end when as many of them run at the same time as there are workers, enqueued
//! while the workers sleep, are about to, keep watch or search. A worker that stays idle beside a command that is ready
//! lets the others wait for it until they give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use oxcl_driver::capability::Execution;
use oxcl_driver::{Driver, Failure, Launch};

use super::{Random, Work, command, in_order, out_of_order, scheduler, work};
use crate::own_device::{Kept, OwnDevice};
use crate::{Command, Event, Queue, QueueProperties, Scheduler};

/// How long commands wait for each other before they fail: far longer than a busy machine lets a thread wait.
const LIMIT: Duration = Duration::from_secs(20);

/// A place where so many pieces of work meet.
struct Meeting {
    arrived: AtomicU64,
    expected: u64,
}

impl Meeting {
    fn of(expected: usize) -> Arc<Meeting> {
        Arc::new(Meeting { arrived: AtomicU64::new(0), expected: expected as u64 })
    }

    fn attend(&self) -> Result<(), Failure> {
        self.arrived.fetch_add(1, Ordering::AcqRel);
        let begin = Instant::now();
        let mut looks = 0_u32;
        while self.arrived.load(Ordering::Acquire) < self.expected {
            looks += 1;
            if looks.is_multiple_of(64) {
                // There may be fewer processors than workers.
                std::thread::yield_now();
                if begin.elapsed() > LIMIT {
                    return Err(Failure::Kernel {
                        kernel: "meeting".to_owned(),
                        reason: "a worker stayed idle".to_owned(),
                    });
                }
            } else {
                std::hint::spin_loop();
            }
        }
        Ok(())
    }
}

/// Work of one or more pieces that all wait for the others of the meeting.
fn attending(meeting: &Arc<Meeting>, pieces: u64) -> Option<Arc<dyn Launch>> {
    let meeting = Arc::clone(meeting);
    Some(Arc::new(Work {
        groups: pieces,
        run: move |_, count| (0..count).try_for_each(|_| meeting.attend()),
    }))
}

/// Lets the workers get anywhere between searching and being asleep without keeping watch.
fn pause(random: &mut Random) {
    let (micros, sleeps) = match random.below(64) {
        0 => (12_000 + random.below(3_000), true),
        1..=4 => (random.below(1_000), true),
        5..=40 => (random.below(120), false),
        _ => (0, false),
    };
    if sleeps {
        std::thread::sleep(Duration::from_micros(micros));
    } else {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_micros(micros) {
            std::hint::spin_loop();
        }
    }
}

fn enqueue(q: &Queue, meeting: &Arc<Meeting>, waits: &[Event]) -> Event {
    q.enqueue(Command { work: attending(meeting, 1), waits, ..Command::default() }).expect("memory")
}

/// One round: somehow `n` commands become ready, of which every worker and the waiting thread must take one.
fn round(s: &Scheduler, queues: &[Queue], n: usize, random: &mut Random) {
    let meeting = Meeting::of(n);
    let host = &queues[0];
    match random.below(6) {
        // Enqueued by the thread that waits, to one queue or to several.
        0 => {
            let all: Vec<Event> = (0..n).map(|i| enqueue(&queues[i % queues.len()], &meeting, &[])).collect();
            all.iter().for_each(|event| assert_eq!(event.wait(), Ok(())));
        }
        // Enqueued by a thread each, which wait too.
        1 => std::thread::scope(|scope| {
            for i in 0..n {
                let (meeting, q) = (&meeting, &queues[i % queues.len()]);
                scope.spawn(move || assert_eq!(enqueue(q, meeting, &[]).wait(), Ok(())));
            }
        }),
        // Set free by another thread while this one waits, or before.
        2 => {
            let gate = s.user_event().expect("memory");
            let waits = [gate.event().clone()];
            let all: Vec<Event> = (0..n).map(|_| enqueue(host, &meeting, &waits)).collect();
            let delay = random.below(100);
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    let begin = Instant::now();
                    while begin.elapsed() < Duration::from_micros(delay) {
                        std::hint::spin_loop();
                    }
                    gate.complete();
                });
                all.iter().for_each(|event| assert_eq!(event.wait(), Ok(())));
            });
        }
        // Set free by a command, whose worker goes on with one of them.
        3 => {
            let first = host.enqueue(command(work(|| {}), &[])).expect("memory");
            let waits = [first];
            let all: Vec<Event> = (0..n).map(|_| enqueue(host, &meeting, &waits)).collect();
            all.iter().for_each(|event| assert_eq!(event.wait(), Ok(())));
        }
        // The pieces of one command.
        4 => {
            let pieces = attending(&meeting, n as u64);
            assert_eq!(host.enqueue(command(pieces, &[])).expect("memory").wait(), Ok(()));
        }
        // Nobody waits: the pool's threads alone.
        _ => {
            let meeting = Meeting::of(n - 1);
            let all: Vec<Event> = (1..n).map(|_| enqueue(host, &meeting, &[])).collect();
            host.flush().expect("the null driver");
            let begin = Instant::now();
            while !all.iter().all(Event::is_complete) {
                assert!(begin.elapsed() < LIMIT, "what was flushed lies untaken");
                std::thread::yield_now();
            }
            all.iter().for_each(|event| assert_eq!(event.wait(), Ok(())));
        }
    }
}

#[test]
fn every_worker_comes_when_there_is_work_for_it() {
    for (n, rounds) in [(2, 1000), (3, 500), (4, 300)] {
        let s = scheduler(n);
        let queues = [out_of_order(&s), out_of_order(&s), in_order(&s)];
        let mut random = Random(n as u64);
        for _ in 0..rounds {
            pause(&mut random);
            round(&s, &queues, n, &mut random);
        }
    }
}

/// Single commands, one after the other, from several threads at once: whoever waits gets its own.
#[test]
fn single_commands_of_several_threads_are_all_taken() {
    for n in [2, 4] {
        let s = scheduler(n);
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (s, done) = (&s, &done);
                scope.spawn(move || {
                    let mut random = Random(thread);
                    let q = in_order(s);
                    for i in 0..400 {
                        pause(&mut random);
                        let event = q.enqueue(command(work(|| {}), &[])).expect("memory");
                        if i % 3 == 0 {
                            q.flush().expect("the null driver");
                            let begin = Instant::now();
                            while !event.is_complete() {
                                assert!(begin.elapsed() < LIMIT, "what was flushed lies untaken");
                                std::thread::yield_now();
                            }
                        }
                        assert_eq!(event.wait(), Ok(()));
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(done.load(Ordering::Relaxed), 3);
    }
}

/// A thread that waits begins with no further pieces of a launch once what it waits for is there; others go on with them.
#[test]
fn a_wait_ends_in_the_middle_of_a_launch_that_it_helps_with() {
    let s = scheduler(2);
    for _ in 0..20 {
        let q = out_of_order(&s);
        let device = Arc::new(OwnDevice::new(Execution::Device, Kept::default()));
        let own = s.queue(Arc::clone(&device) as Arc<dyn Driver>, QueueProperties::default()).unwrap();
        let waited_for = own.enqueue(command(work(|| {}), &[])).unwrap();
        let host = std::thread::current().id();
        // What the host's thread has begun, whether its event is complete, what it begun after that, and its return.
        let [begun, complete, late, back] = [(); 4].map(|()| Arc::new(AtomicU64::new(0)));
        let seen = [&begun, &complete, &late, &back].map(Arc::clone);
        let run = move |_, _| {
            let [begun, complete, late, back] = &seen;
            let is_host = std::thread::current().id() == host;
            if is_host && back.load(Ordering::Acquire) == 0 {
                late.fetch_add(complete.load(Ordering::Acquire), Ordering::AcqRel);
                begun.fetch_add(1, Ordering::AcqRel);
            }
            let awaited = if is_host { complete } else { back };
            let begin = Instant::now();
            while awaited.load(Ordering::Acquire) == 0 && begin.elapsed() < LIMIT {
                std::thread::yield_now();
            }
            Ok(())
        };
        let event = q.enqueue(command(Some(Arc::new(Work { groups: 640, run })), &[])).unwrap();
        q.flush().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while begun.load(Ordering::Acquire) == 0 {
                    std::thread::yield_now();
                }
                device.own.end_all();
                complete.store(1, Ordering::Release);
            });
            waited_for.wait().unwrap();
        });
        back.store(1, Ordering::Release);
        assert_eq!(late.load(Ordering::Acquire), 0);
        event.wait().unwrap();
    }
}
