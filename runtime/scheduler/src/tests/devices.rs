//! Devices that execute by themselves, and launches that need a stack of ours.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use oxcl_driver::capability::Execution;
use oxcl_driver::{
    Driver, DriverError, EventId, Failure, Lane, Launch, Submission, command as driver_command,
};

use super::{command, failing_work, in_order, kernel_failure, out_of_order, scheduler, work};
use crate::own_device::{Executes, OwnDevice};
use crate::shim::{Mutex, lock};
use crate::{Access, Command, Event, Queue, QueueProperties, Scheduler, Touch};

/// Where the test driver executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Within `submit`.
    InSubmit,
    /// On a thread of its own.
    Thread,
    /// On a thread of its own, once `notify` says that nothing holds the command back.
    Ordered,
    /// Ends commands within `submit`, whatever still holds them back: the device knew before the host.
    EarlyInSubmit,
    /// Ends commands on a thread of its own, whatever still holds them back.
    EarlyOnThread,
    /// Refuses everything.
    Refusing,
}

#[derive(Debug)]
struct TestDriver {
    style: Style,
    sender: Mutex<mpsc::Sender<Arc<dyn Submission>>>,
}

impl TestDriver {
    fn start(style: Style) -> Arc<dyn Driver> {
        let (sender, receiver) = mpsc::channel::<Arc<dyn Submission>>();
        std::thread::spawn(move || {
            for submission in receiver {
                driver_command::execute(submission.as_ref(), Lane { index: 0 });
            }
        });
        let ordered = matches!(style, Style::Ordered | Style::EarlyInSubmit | Style::EarlyOnThread);
        let execution = if ordered { Execution::DeviceOrdered } else { Execution::Device };
        Arc::new(OwnDevice::new(execution, TestDriver { style, sender: Mutex::new(sender) }))
    }
}

impl Executes for TestDriver {
    fn submit(&self, submission: Arc<dyn Submission>) -> Result<(), DriverError> {
        match self.style {
            Style::InSubmit | Style::EarlyInSubmit => {
                driver_command::execute(submission.as_ref(), Lane { index: 0 });
            }
            Style::Thread | Style::EarlyOnThread => drop(lock(&self.sender).send(submission)),
            Style::Ordered => assert!(submission.holders() > 0, "the enqueuer still holds it"),
            Style::Refusing => return Err(DriverError::Device { reason: "no paper".to_owned() }),
        }
        Ok(())
    }

    fn notify(&self, waiting: &Arc<dyn Submission>, _ended: EventId) {
        if waiting.claim() {
            drop(lock(&self.sender).send(Arc::clone(waiting)));
        }
    }
}

fn queue(s: &Scheduler, driver: &Arc<dyn Driver>, out_of_order: bool) -> Queue {
    s.queue(Arc::clone(driver), QueueProperties { out_of_order, profiling: true }).unwrap()
}

#[test]
fn a_driver_that_executes_passes_its_conformance_tests() {
    for style in [Style::InSubmit, Style::Thread] {
        let report = oxcl_driver::conformance::run(&TestDriver::start(style));
        assert!(report.passed(), "{report}");
    }
}

#[test]
fn chains_run_on_devices_and_across_them() {
    for workers in [1, 2] {
        let s = scheduler(workers);
        for style in [Style::InSubmit, Style::Thread, Style::Ordered] {
            let driver = TestDriver::start(style);
            let queues =
                [queue(&s, &driver, false), queue(&s, &driver, true), in_order(&s), out_of_order(&s)];
            let value = Arc::new(AtomicU64::new(0));
            let gate = s.user_event().unwrap();
            let mut last: Event = gate.event().clone();
            for i in 0..2000u64 {
                let value = Arc::clone(&value);
                let next = work(move || {
                    assert_eq!(value.swap(i + 1, Ordering::Relaxed), i);
                });
                let waits = [last];
                let q = &queues[usize::try_from(i * 7 % 4).unwrap()];
                last = q.enqueue(Command { work: next, waits: &waits, ..Command::default() }).unwrap();
            }
            gate.complete();
            assert_eq!(last.wait(), Ok(()));
            for q in &queues {
                q.finish().unwrap();
            }
            assert_eq!(value.load(Ordering::Relaxed), 2000, "{style:?}");
        }
    }
}

#[test]
fn a_synchronous_driver_does_not_recurse() {
    let s = scheduler(1);
    let driver = TestDriver::start(Style::InSubmit);
    let q = queue(&s, &driver, false);
    let gate = s.user_event().unwrap();
    let buffer = [Touch::whole(s.resource(), Access::ReadWrite)];
    for i in 0..100_000 {
        let waits = [gate.event().clone()];
        let waits = if i == 0 { &waits[..] } else { &[] };
        q.enqueue_silently(Command { work: work(|| {}), touches: &buffer, waits, ..Command::default() })
            .unwrap();
    }
    gate.complete();
    q.finish().unwrap();
}

#[test]
fn a_device_s_failures_reach_dependants_on_the_host_and_back() {
    let s = scheduler(2);
    for style in [Style::InSubmit, Style::Thread, Style::Ordered] {
        let driver = TestDriver::start(style);
        let (device, host) = (queue(&s, &driver, true), out_of_order(&s));
        let gate = s.user_event().unwrap();
        let mut last = gate.event().clone();
        let mut events = Vec::new();
        for i in 0..20 {
            let body = if i == 0 { failing_work() } else { work(|| panic!("must not run")) };
            let q = if i % 2 == 0 { &device } else { &host };
            let waits = [last];
            last = q.enqueue(Command { work: body, waits: &waits, ..Command::default() }).unwrap();
            events.push(last.clone());
        }
        gate.complete();
        for event in events {
            assert_eq!(event.wait(), Err(Arc::new(kernel_failure())));
        }
        device.enqueue(command(work(|| {}), &[])).unwrap().wait().unwrap();
    }
}

#[test]
fn a_refused_submission_fails_the_command() {
    let s = scheduler(2);
    let q = queue(&s, &TestDriver::start(Style::Refusing), false);
    let event = q.enqueue(command(work(|| {}), &[])).unwrap();
    let expected = Failure::Driver(DriverError::Device { reason: "no paper".to_owned() });
    assert_eq!(event.wait(), Err(Arc::new(expected)));
    q.finish().unwrap();
}

/// Work that counts, for drivers that execute before the host says that they may.
fn counting(ran: &Arc<AtomicU64>) -> Option<Arc<dyn Launch>> {
    let ran = Arc::clone(ran);
    work(move || {
        ran.fetch_add(1, Ordering::Release);
    })
}

/// Waits until a driver has executed this many commands, and a little longer, so that it has reported them too.
fn until_executed(ran: &AtomicU64, count: u64) {
    while ran.load(Ordering::Acquire) < count {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(2));
}

const EARLY: [Style; 2] = [Style::EarlyInSubmit, Style::EarlyOnThread];

#[test]
fn a_command_that_its_driver_ends_early_completes_when_nothing_holds_it_back() {
    for (workers, style) in [1, 2, 3].into_iter().flat_map(|n| EARLY.map(|style| (n, style))) {
        let s = scheduler(workers);
        let driver = TestDriver::start(style);
        for out_of_order in [false, true] {
            let device = queue(&s, &driver, out_of_order);
            let ran = Arc::new(AtomicU64::new(0));
            let gates = [s.user_event().unwrap(), s.user_event().unwrap()];
            let waits = gates.each_ref().map(|gate| gate.event().clone());
            let enqueue = |waits: &[Event]| {
                device.enqueue(Command { work: counting(&ran), waits, ..Command::default() }).unwrap()
            };
            let first = enqueue(&waits);
            let second = enqueue(std::slice::from_ref(&first));
            until_executed(&ran, 2);
            assert!(!first.is_complete() && !second.is_complete(), "{style:?}: a gate is closed");
            gates[0].complete();
            assert!(!first.is_complete() && !second.is_complete(), "{style:?}: one gate is closed");
            gates[1].complete();
            assert_eq!((first.wait(), second.wait()), (Ok(()), Ok(())));
            device.finish().unwrap();
        }
    }
}

#[test]
fn what_its_driver_ends_early_and_well_fails_with_what_it_depends_on() {
    for style in EARLY {
        let s = scheduler(2);
        let driver = TestDriver::start(style);
        let (device, host) = (queue(&s, &driver, true), out_of_order(&s));
        let ran = Arc::new(AtomicU64::new(0));
        let gate = s.user_event().unwrap();
        let mut last = gate.event().clone();
        let mut events = Vec::new();
        for i in 0..40 {
            let on_device = i % 2 == 0;
            let body = if on_device { counting(&ran) } else { work(|| panic!("must not run")) };
            let q = if on_device { &device } else { &host };
            last = q.enqueue(Command { work: body, waits: &[last], ..Command::default() }).unwrap();
            events.push(last.clone());
        }
        until_executed(&ran, 20);
        assert!(events.iter().all(|event| !event.is_complete()), "{style:?}");
        gate.fail(-7);
        for event in events {
            assert_eq!(event.wait(), Err(Arc::new(Failure::UserEvent { status: -7 })), "{style:?}");
        }
    }
}

#[test]
fn a_failure_that_a_driver_reports_early_comes_when_nothing_holds_the_command_back() {
    for style in EARLY {
        let s = scheduler(2);
        let device = queue(&s, &TestDriver::start(style), false);
        let gate = s.user_event().unwrap();
        let waits = [gate.event().clone()];
        let ran = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&ran);
        let body = super::Work {
            groups: 1,
            run: move |_, _| {
                counted.fetch_add(1, Ordering::Release);
                Err(kernel_failure())
            },
        };
        let command = Command { work: Some(Arc::new(body)), waits: &waits, ..Command::default() };
        let event = device.enqueue(command).unwrap();
        until_executed(&ran, 1);
        assert!(!event.is_complete(), "{style:?}");
        gate.complete();
        assert_eq!(event.wait(), Err(Arc::new(kernel_failure())), "{style:?}");
    }
}

/// A command of the host, hundreds on a device that ends them before, and a host command after each of those.
#[test]
fn many_commands_that_end_early_complete_after_the_one_they_wait_for() {
    const MANY: u64 = 300;
    for (workers, style) in [1, 2, 3].into_iter().flat_map(|n| EARLY.map(|style| (n, style))) {
        let s = scheduler(workers);
        let driver = TestDriver::start(style);
        let (device, host) = (queue(&s, &driver, true), out_of_order(&s));
        let gate = s.user_event().unwrap();
        let (ran, after) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let root_done = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&root_done);
        let waits = [gate.event().clone()];
        let body = work(move || done.store(true, Ordering::Release));
        let root = host.enqueue(Command { work: body, waits: &waits, ..Command::default() }).unwrap();
        let mut events = Vec::new();
        for _ in 0..MANY {
            let waits = [root.clone()];
            let early = device.enqueue(Command { work: counting(&ran), waits: &waits, ..Command::default() });
            let waits = [early.unwrap(), root.clone()];
            let (done, after) = (Arc::clone(&root_done), Arc::clone(&after));
            let body = work(move || {
                assert!(done.load(Ordering::Acquire), "it ran before the first command");
                after.fetch_add(1, Ordering::Relaxed);
            });
            events.push(host.enqueue(Command { work: body, waits: &waits, ..Command::default() }).unwrap());
            events.extend(waits);
        }
        until_executed(&ran, MANY);
        assert!(events.iter().all(|event| !event.is_complete()), "{style:?}");
        gate.complete();
        host.finish().unwrap();
        device.finish().unwrap();
        assert!(events.iter().all(|event| event.is_complete() && event.wait().is_ok()), "{style:?}");
        assert_eq!(after.load(Ordering::Relaxed), MANY);
    }
}

/// Executes what it was given when a thread that waits looks, and not before.
#[derive(Default)]
struct Messages(Mutex<Vec<Arc<dyn Submission>>>);

impl std::fmt::Debug for Messages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Messages").finish_non_exhaustive()
    }
}

impl Executes for Messages {
    fn submit(&self, submission: Arc<dyn Submission>) -> Result<(), DriverError> {
        lock(&self.0).push(submission);
        Ok(())
    }

    fn can_look(&self) -> bool {
        true
    }

    fn look(&self) {
        let ended = std::mem::take(&mut *lock(&self.0));
        ended.iter().for_each(|submission| driver_command::execute(submission.as_ref(), Lane { index: 0 }));
    }
}

/// What the look ends may set free more for the device, and for the workers, and wake who waits for something else.
#[test]
fn a_thread_that_waits_looks_for_the_ends_of_its_commands_itself() {
    for workers in [1, 2] {
        let s = scheduler(workers);
        let driver: Arc<dyn Driver> = Arc::new(OwnDevice::new(Execution::Device, Messages::default()));
        let (device, host) = (queue(&s, &driver, true), out_of_order(&s));
        let (told, heard) = mpsc::channel();
        // The thread that looks, so that a test that fails does not wait for ever.
        std::thread::spawn(move || {
            let count = Arc::new(AtomicU64::new(0));
            let mut last: Option<Event> = None;
            for step in 0..200 {
                let count = Arc::clone(&count);
                let next = work(move || {
                    count.fetch_add(1, Ordering::Relaxed);
                });
                let q = if step % 3 == 2 { &host } else { &device };
                let waits: Vec<Event> = last.into_iter().collect();
                last = Some(q.enqueue(Command { work: next, waits: &waits, ..Command::default() }).unwrap());
            }
            let outcome = last.map(|event| event.wait());
            told.send((outcome, count.load(Ordering::Relaxed))).unwrap();
        });
        let ended = heard.recv_timeout(Duration::from_secs(20));
        assert_eq!(ended, Ok((Some(Ok(())), 200)), "{workers} workers");
    }
}
