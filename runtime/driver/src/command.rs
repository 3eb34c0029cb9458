//! Commands as a driver sees them: work that any thread may execute in pieces ([`Launch`]), and commands handed to a
//! driver that executes them itself ([`Submission`]).

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::driver::Driver;
use crate::error::{DriverError, Failure, Outcome};
use crate::fault::KernelFailure;
use crate::history::History;
use crate::printer::Printer;

/// Identifies an event (and the command behind it) for as long as the process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u64);

/// Identifies a command queue for as long as the process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueueToken(pub u64);

/// Which worker executes: a small number that no two threads have at the same time within one scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// 0 is a waiting thread of the host program; workers of the pool count from 1.
    pub index: usize,
}

/// Which of a kernel's entries a launch calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EntryKind {
    /// Our own, over a run of groups.
    #[default]
    Native,
    /// PoCL's, of an archive that another compiler made; runs on threads of ours only.
    Foreign,
    /// The reference executor's.
    Reference,
}

/// What a driver knows of a kernel's launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchFacts<'a> {
    /// Which of the kernel's entries it calls.
    pub entry: EntryKind,
    /// LLVM's name for the CPU that the code is for, where it is known.
    pub cpu: Option<&'a str>,
    /// W: work-items that the code runs at a time.
    pub width: u32,
    /// Whether the function is specialised for the launch's local size.
    pub specialised: bool,
}

impl Default for LaunchFacts<'_> {
    fn default() -> Self {
        Self { entry: EntryKind::Native, cpu: None, width: 1, specialised: false }
    }
}

/// Work that can be executed in pieces, by several threads at once: a prepared kernel launch, a large copy.
pub trait Launch: Send + Sync {
    /// Number of pieces (work-groups of a kernel, in linear order, dimension 0 fastest).
    fn groups(&self) -> u64;

    /// How many neighbouring pieces take about as long together as the longest of them, as the lanes of a vector do. Whoever
    /// cuts the work parts such runs only where workers would have nothing to do otherwise.
    fn grain(&self) -> u64 {
        1
    }

    /// Executes pieces `first..first+count` on the calling thread. Called with disjoint ranges, from any thread.
    fn run(&self, first: u64, count: u64, lane: Lane) -> Result<(), Failure>;

    /// What earlier executions have shown, for work that is executed again and again.
    fn history(&self) -> Option<&History> {
        None
    }

    /// For timelines and messages.
    fn label(&self) -> &str {
        "command"
    }

    /// Cycles of the device's own clock that the last execution took, on devices that count them: where these are simulated,
    /// times of the host say nothing about them.
    fn cycles(&self) -> Option<u64> {
        None
    }

    /// What is known of a kernel's launch beside its times.
    fn facts(&self) -> LaunchFacts<'_> {
        LaunchFacts::default()
    }

    /// Why the last execution failed, with all that is known; once.
    fn take_failure(&self) -> Option<KernelFailure> {
        None
    }

    /// What collects the text that the launch prints, for kernels.
    fn printer(&self) -> Option<&Printer> {
        None
    }

    /// The driver's own view of the launch, for drivers that execute by themselves.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}

impl fmt::Debug for dyn Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch").field("label", &self.label()).field("groups", &self.groups()).finish()
    }
}

/// A command in the hands of a driver that executes commands itself. The driver says when it starts and when it has
/// ended; the scheduler does the rest (releasing what waits, callbacks, order within the queue).
pub trait Submission: Send + Sync {
    /// The event of the command.
    fn event(&self) -> EventId;

    /// The queue of the command.
    fn queue(&self) -> QueueToken;

    /// What to execute.
    fn work(&self) -> Option<&Arc<dyn Launch>>;

    /// The driver whose command this is.
    fn driver(&self) -> &Arc<dyn Driver>;

    /// Events whose ends the scheduler has not passed on to the command yet: what holds it back, as the host sees it. An
    /// event counts until the scheduler was told of its end and has passed that on, so a device may know of ends that
    /// still count here. 0 for every command of a driver that does not order commands on the device.
    fn holders(&self) -> u32;

    /// Events that the command waits for, as far as they had not ended when it was enqueued: a device may begin the command
    /// when the commands of these have been executed and nothing else counts in [`Submission::holders`]. An event that is
    /// complete only later than its command is executed, as others before it in its queue may still run, is not among them,
    /// and the host says when it is. Empty for every command of a driver that does not order commands on the device.
    fn waits_on(&self) -> &[EventId] {
        &[]
    }

    /// True for one caller, once nothing holds the command back: that one executes it. Several threads may be in
    /// [`Driver::notify`] for the same command, so drivers that order commands on the device ask this.
    fn claim(&self) -> bool;

    /// Why the command must not be executed, once something it depends on has failed.
    fn refusal(&self) -> Option<Arc<Failure>>;

    /// The device has begun.
    fn started(&self);

    /// The device began and ended so long ago, which nobody could say before: for devices of other machines. Called between
    /// [`Submission::started`] and [`Submission::ended`].
    fn took(&self, _began: Duration, _ended: Duration) {}

    /// The device has ended. Called once; later calls are ignored. A device that orders commands may end one before the
    /// host was told of everything that it waited for: the scheduler keeps the outcome, and the command's event ends when
    /// nothing holds it back any more, with what it depends on if that has failed.
    fn ended(&self, outcome: Outcome);
}

impl fmt::Debug for dyn Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission").field("event", &self.event()).field("queue", &self.queue()).finish()
    }
}

/// Executes a submission on the calling thread and reports it: the simplest way to implement
/// [`Driver::submit`], and what a driver thread calls for each command it takes from its list.
pub fn execute(submission: &dyn Submission, lane: Lane) {
    submission.ended(perform(submission, lane));
}

/// Executes a submission on the calling thread without reporting its end, for drivers that have something to do between
/// the two.
#[must_use = "the scheduler waits for the outcome"]
pub fn perform(submission: &dyn Submission, lane: Lane) -> Outcome {
    if let Some(cause) = submission.refusal() {
        return Err(cause);
    }
    submission.started();
    let result = match submission.work() {
        None => Ok(()),
        Some(launch) => {
            let run = || launch.run(0, launch.groups(), lane);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
                .unwrap_or_else(|payload| Err(Failure::from_panic(payload.as_ref())))
        }
    };
    result.map_err(Arc::new)
}

/// What a driver answers when it cannot take a submission; the scheduler ends the command with it.
pub type SubmitResult = Result<(), DriverError>;
