//! A prepared launch as the scheduler's work: its pieces are runs of work-groups, and any thread may execute them.
//!
//! In: a [`PreparedLaunch`]. Each executing thread has a [`Worker`] of its own, kept for the thread's life. On `cpu` a
//! piece is a work-group; `basic` and `ref` have one piece, the whole launch, and execute one launch at a time. What
//! went wrong is kept here with all its facts; the scheduler gets the cause in words.

use std::sync::{Arc, Mutex};

use oxcl_driver::{DriverError, Failure as Cause, History, Lane, Launch, lock};

use crate::current::CurrentLaunch;
use crate::reference::Team;
use oxcl_driver::command::LaunchFacts;
use oxcl_driver::fault::KernelFailure;
use oxcl_driver::printer::Printer;

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

/// A launch, ready to be executed, any number of times one after another. Aligned so that who executes it does not find it in
/// the cache line of its count of owners, which whoever enqueues it has just written.
#[derive(Debug)]
#[repr(align(64))]
pub struct KernelWork {
    launch: CurrentLaunch,
    unit: Arc<Unit>,
    failure: Mutex<Option<KernelFailure>>,
}

impl KernelWork {
    /// # Safety
    /// Whenever the work is executed, the buffers that the arguments point to are alive, and whoever else touches them
    /// synchronises with the kernel. The kernel keeps to them: nothing here stops it from writing elsewhere.
    pub(crate) unsafe fn new(launch: CurrentLaunch, unit: Arc<Unit>) -> Self {
        Self { launch, unit, failure: Mutex::default() }
    }

    fn run_here(&self, first: u64, count: u64) -> Result<(), KernelFailure> {
        // SAFETY: the groups exist, as the scheduler hands out only those there are; the buffers are as `new` was promised.
        unsafe { self.launch.run(first, count) }
    }

    fn execute(&self, first: u64, count: u64) -> Result<(), KernelFailure> {
        match self.unit.kind {
            Kind::Cpu => self.run_here(first, count),
            Kind::Basic => {
                let _turn = lock(&self.unit.turn);
                self.run_here(0, self.launch.first().group_count())
            }
            Kind::Reference => match self.launch.first().needs_team() {
                // SAFETY: the entry is the launch's, and the buffers are as `new` was promised.
                Some(entry) => unsafe { self.unit.team.run(self.launch.first(), entry) },
                None => self.run_here(0, self.launch.first().group_count()),
            },
        }
    }
}

impl Launch for KernelWork {
    fn groups(&self) -> u64 {
        if self.unit.kind == Kind::Cpu { self.launch.first().group_count() } else { 1 }
    }

    fn grain(&self) -> u64 {
        if self.unit.kind == Kind::Cpu { self.launch.first().grain() } else { 1 }
    }

    fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Cause> {
        self.execute(first, count).map_err(|failure| {
            let cause = cause(&failure);
            lock(&self.failure).get_or_insert(failure);
            cause
        })
    }

    fn history(&self) -> Option<&History> {
        Some(self.launch.first().history())
    }

    fn label(&self) -> &str {
        self.launch.first().kernel()
    }

    fn facts(&self) -> LaunchFacts<'_> {
        self.launch.now().facts()
    }

    fn take_failure(&self) -> Option<KernelFailure> {
        lock(&self.failure).take()
    }

    fn printer(&self) -> Option<&Printer> {
        Some(self.launch.first().printer())
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
