//! Devices that execute by themselves, and launches that need a stack of ours.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use oxcl_driver::capability::Execution;
use oxcl_driver::{
    Allocation, AllocationRequest, Capabilities, Driver, DriverError, EventId, Failure, Lane, Launch,
    NullDriver, Submission, command as driver_command,
};

use super::{command, failing_work, in_order, kernel_failure, out_of_order, scheduler, work};
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
    /// Refuses everything.
    Refusing,
}

#[derive(Debug)]
struct TestDriver {
    memory: NullDriver,
    capabilities: Capabilities,
    style: Style,
    sender: Mutex<mpsc::Sender<Arc<dyn Submission>>>,
    submitted: AtomicU64,
    notified: AtomicU64,
}

impl TestDriver {
    fn start(style: Style) -> Arc<dyn Driver> {
        let (sender, receiver) = mpsc::channel::<Arc<dyn Submission>>();
        std::thread::spawn(move || {
            for submission in receiver {
                driver_command::execute(submission.as_ref(), Lane { index: 0 });
            }
        });
        let execution = if style == Style::Ordered { Execution::DeviceOrdered } else { Execution::Device };
        Arc::new(TestDriver {
            memory: NullDriver::new(),
            capabilities: Capabilities { execution, ..Capabilities::host("test device") },
            style,
            sender: Mutex::new(sender),
            submitted: AtomicU64::new(0),
            notified: AtomicU64::new(0),
        })
    }
}

impl Driver for TestDriver {
    fn name(&self) -> &str {
        "test"
    }

    fn probe(&self) -> Result<u32, DriverError> {
        Ok(1)
    }

    fn init(&self) -> Result<(), DriverError> {
        Ok(())
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn allocate(&self, request: &AllocationRequest) -> Result<Allocation, DriverError> {
        self.memory.allocate(request)
    }

    fn free(&self, allocation: Allocation) {
        self.memory.free(allocation);
    }

    fn submit(&self, submission: Arc<dyn Submission>) -> Result<(), DriverError> {
        self.submitted.fetch_add(1, Ordering::Relaxed);
        match self.style {
            Style::InSubmit => driver_command::execute(submission.as_ref(), Lane { index: 0 }),
            Style::Thread => drop(lock(&self.sender).send(submission)),
            Style::Ordered => assert!(submission.holders() > 0, "the enqueuer still holds it"),
            Style::Refusing => return Err(DriverError::Device { reason: "no paper".to_owned() }),
        }
        Ok(())
    }

    fn notify(&self, waiting: &Arc<dyn Submission>, _ended: EventId) {
        self.notified.fetch_add(1, Ordering::Relaxed);
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

/// A launch that wants a large stack, and uses it.
struct Deep(Arc<AtomicBool>);

/// Uses more stack than the threads of a host program have.
#[inline(never)]
fn descend(depth: u32) -> u32 {
    let frame = std::hint::black_box([depth; 4096]);
    if depth == 0 { frame[0] } else { descend(depth - 1).wrapping_add(frame[4095]) }
}

impl Launch for Deep {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        // 1200 frames of 16 KiB are 19 MiB: more than the 8 MiB of a main thread.
        std::hint::black_box(descend(1200));
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn needs_large_stack(&self) -> bool {
        true
    }
}

#[test]
fn foreign_code_runs_on_a_large_stack() {
    for workers in [1, 2] {
        let s = scheduler(workers);
        let q = in_order(&s);
        for _ in 0..20 {
            let ran = Arc::new(AtomicBool::new(false));
            q.enqueue(command(Some(Arc::new(Deep(Arc::clone(&ran)))), &[])).unwrap().wait().unwrap();
            assert!(ran.load(Ordering::Relaxed));
        }
    }
}
