//! What the scheduler promises, seen through its interface.

mod basics;
mod callers;
mod devices;
mod faults;
mod ordering;
mod programs;
mod spare;
mod stress;
mod transfers;
mod wakes;

use std::sync::Arc;

use oxcl_driver::{Driver, Failure, Lane, Launch, NullDriver};

use crate::{Command, Options, Queue, QueueProperties, Scheduler, Touch};

/// Work that is a function of the pieces' numbers.
pub(crate) struct Work<F> {
    pub(crate) groups: u64,
    pub(crate) run: F,
}

impl<F: Fn(u64, u64) -> Result<(), Failure> + Send + Sync> Launch for Work<F> {
    fn groups(&self) -> u64 {
        self.groups
    }

    fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
        (self.run)(first, count)
    }

    fn label(&self) -> &str {
        "test"
    }
}

/// One piece of work.
pub(crate) fn work(run: impl Fn() + Send + Sync + 'static) -> Option<Arc<dyn Launch>> {
    Some(Arc::new(Work {
        groups: 1,
        run: move |_, _| {
            run();
            Ok(())
        },
    }))
}

/// One piece of work that fails.
pub(crate) fn failing_work() -> Option<Arc<dyn Launch>> {
    Some(Arc::new(Work { groups: 1, run: |_, _| Err(kernel_failure()) }))
}

pub(crate) fn kernel_failure() -> Failure {
    Failure::Kernel { kernel: "k".to_owned(), reason: "told to".to_owned() }
}

pub(crate) fn scheduler(workers: usize) -> Scheduler {
    Scheduler::start(Options { workers, ..Options::default() }).expect("threads can be had")
}

pub(crate) fn null() -> Arc<dyn Driver> {
    Arc::new(NullDriver::new())
}

pub(crate) fn in_order(scheduler: &Scheduler) -> Queue {
    scheduler.queue(null(), QueueProperties::default()).expect("the null driver takes queues")
}

pub(crate) fn out_of_order(scheduler: &Scheduler) -> Queue {
    let properties = QueueProperties { out_of_order: true, ..QueueProperties::default() };
    scheduler.queue(null(), properties).expect("the null driver takes queues")
}

pub(crate) fn command<'a>(work: Option<Arc<dyn Launch>>, touches: &'a [Touch]) -> Command<'a> {
    Command { work, touches, ..Command::default() }
}

/// A small random number generator, so that a failing seed can be run again.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}
