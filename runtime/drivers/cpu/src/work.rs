//! A prepared launch as the scheduler's work: its pieces are runs of work-groups, and any thread may execute them.
//!
//! In: a [`PreparedLaunch`]. Each executing thread has a [`Worker`] of its own, kept for the thread's life. On `cpu` a
//! piece is a work-group; `basic` and `ref` have one piece, the whole launch, and execute one launch at a time. What
//! went wrong is kept here with all its facts; the scheduler gets the cause in words.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use oxcl_driver::{DriverError, Failure as Cause, History, Lane, Launch, lock};

use crate::launch::PreparedLaunch;
use crate::reference::Team;
use crate::worker::Worker;
use oxcl_driver::command::LaunchFacts;
use oxcl_driver::fault::KernelFailure;
use oxcl_driver::printer::Printer;
use oxcl_driver::watch::Watch;

/// The manner in which work-groups run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// On several threads, the waiting one included.
    Cpu,
    /// In one thread at a time.
    Basic,
    /// On the reference executor: one thread for each work-item of a group.
    Reference,
}

/// What the launches of one device share.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) kind: Kind,
    /// Held while `basic` executes a launch.
    turn: Mutex<()>,
    team: Team,
}

impl Unit {
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, turn: Mutex::default(), team: Team::new() }
    }
}

/// A launch, ready to be executed, any number of times one after another.
#[derive(Debug)]
pub struct KernelWork {
    launch: Arc<PreparedLaunch>,
    unit: Arc<Unit>,
    watch: Option<Arc<Watch>>,
    failure: Mutex<Option<KernelFailure>>,
}

thread_local! {
    /// The memory that work-groups need, of the thread that runs them.
    static WORKER: RefCell<Worker> = RefCell::new(Worker::new());
}

pub(crate) fn with_worker<R>(mut call: impl FnMut(&mut Worker) -> R) -> R {
    let kept = WORKER.try_with(|worker| worker.try_borrow_mut().ok().map(|mut worker| call(&mut worker)));
    match kept {
        Ok(Some(result)) => result,
        // A thread that ends has no memory of its own any more.
        _ => call(&mut Worker::new()),
    }
}

impl KernelWork {
    /// # Safety
    /// Whenever the work is executed, the buffers that the arguments point to are alive, and whoever else touches them
    /// synchronises with the kernel. The kernel keeps to them: nothing here stops it from writing elsewhere.
    pub(crate) unsafe fn new(launch: PreparedLaunch, unit: Arc<Unit>) -> Self {
        Self { launch: Arc::new(launch), unit, watch: None, failure: Mutex::default() }
    }

    /// The same, whose time counts for `watch`.
    #[must_use]
    pub fn watched(self, watch: Option<Arc<Watch>>) -> Self {
        Self { watch, ..self }
    }

    fn run_here(&self, first: u64, count: u64) -> Result<(), KernelFailure> {
        with_worker(|worker| {
            self.launch.prepare(worker)?;
            let mut turn = worker.turn;
            // SAFETY: the worker is prepared; the groups exist, as the scheduler hands out only those there are; the
            // buffers are as `new` was promised.
            let mut run = || unsafe { self.launch.run_groups(first, count, worker) };
            let outcome = match &self.watch {
                Some(watch) => watch.run(first == 0, &mut turn, run),
                None => run(),
            };
            worker.turn = turn;
            outcome
        })
    }

    fn execute(&self, first: u64, count: u64) -> Result<(), KernelFailure> {
        match self.unit.kind {
            Kind::Cpu => self.run_here(first, count),
            Kind::Basic => {
                let _turn = lock(&self.unit.turn);
                self.run_here(0, self.launch.group_count())
            }
            Kind::Reference => match self.launch.needs_team() {
                // SAFETY: the entry is the launch's, and the buffers are as `new` was promised.
                Some(entry) => unsafe { self.unit.team.run(&self.launch, entry) },
                None => self.run_here(0, self.launch.group_count()),
            },
        }
    }
}

impl Launch for KernelWork {
    fn groups(&self) -> u64 {
        if self.unit.kind == Kind::Cpu { self.launch.group_count() } else { 1 }
    }

    fn grain(&self) -> u64 {
        if self.unit.kind == Kind::Cpu { self.launch.grain() } else { 1 }
    }

    fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Cause> {
        self.execute(first, count).map_err(|failure| {
            let cause = cause(&failure);
            lock(&self.failure).get_or_insert(failure);
            cause
        })
    }

    fn history(&self) -> Option<&History> {
        Some(self.launch.history())
    }

    fn label(&self) -> &str {
        self.launch.kernel()
    }

    fn facts(&self) -> LaunchFacts<'_> {
        self.launch.facts()
    }

    fn take_failure(&self) -> Option<KernelFailure> {
        lock(&self.failure).take()
    }

    fn printer(&self) -> Option<&Printer> {
        Some(self.launch.printer())
    }
}

/// The failure as the scheduler tells it to everything that depends on the command.
pub(crate) fn cause(failure: &KernelFailure) -> Cause {
    let kernel = match failure {
        KernelFailure::Fault(fault) => &fault.kernel,
        KernelFailure::ExecutionFailed { kernel, .. }
        | KernelFailure::BarrierNotMet { kernel, .. }
        | KernelFailure::UnexpectedBarrier { kernel } => kernel,
        KernelFailure::OutOfResources(error) => {
            return Cause::Driver(DriverError::Device { reason: error.to_string() });
        }
    };
    let text = failure.to_string();
    // The kernel's name is in its field.
    let reason = text.strip_prefix(&format!("kernel '{kernel}'")).unwrap_or(&text);
    Cause::Kernel { kernel: kernel.clone(), reason: reason.trim_start_matches([':', ' ']).to_owned() }
}
