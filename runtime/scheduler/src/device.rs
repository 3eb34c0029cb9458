//! Commands in the hands of drivers that execute by themselves.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use oxcl_driver::error::Outcome;
use oxcl_driver::{Driver, EventId, Failure, Launch, QueueToken, Submission};

use crate::pool::Core;
use crate::release::{self, Released};
use crate::shim::{AtomicBool, Ordering};
use crate::task::state::Snapshot;
use crate::task::{TaskPtr, TaskRef};

/// The driver's view of a task.
pub(crate) struct Ticket {
    task: TaskRef,
    core: Arc<Core>,
    driver: Arc<dyn Driver>,
    launch: Option<Arc<dyn Launch>>,
    queue: QueueToken,
    waits: Box<[EventId]>,
    claimed: AtomicBool,
    ended: AtomicBool,
    /// The driver said that the command has ended while something held it back; it ends when nothing does any more.
    early: AtomicBool,
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ticket").field("task", &self.task).finish_non_exhaustive()
    }
}

impl Ticket {
    /// A ticket for a task that has not ended and waits for these events; `None` where there is no memory.
    pub(crate) fn new(task: TaskRef, waits: Box<[EventId]>) -> Option<Arc<Ticket>> {
        // SAFETY: the task has a queue, which is alive until the task retires.
        let queue = unsafe { &*task.queue };
        // SAFETY: the body is set before the task is ready and taken when it ends; nobody writes it now.
        let launch = task.body.with(|body| unsafe { (*body).clone() });
        let ticket = Ticket {
            launch,
            core: Arc::clone(&queue.core),
            driver: Arc::clone(&queue.driver),
            queue: queue.token,
            waits,
            task,
            claimed: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            early: AtomicBool::new(false),
        };
        crate::faults::try_arc(ticket).ok()
    }
}

impl Ticket {
    /// Whether the caller is to end a command whose end was reported while something held it back. Called by who took a
    /// hold away, and by who has just reported.
    fn ends_early(&self) -> bool {
        // Acquire pairs with the swap in `ended`; release lets that one, if it comes later, see that nothing holds the
        // command back. Of several swaps after the report one reads it.
        self.holders() == 0 && self.early.swap(false, Ordering::AcqRel)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.driver.free_event_data(self.task.id);
    }
}

impl Submission for Ticket {
    fn event(&self) -> EventId {
        self.task.id
    }

    fn queue(&self) -> QueueToken {
        self.queue
    }

    fn work(&self) -> Option<&Arc<dyn Launch>> {
        self.launch.as_ref()
    }

    fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    fn holders(&self) -> u32 {
        self.task.pending.load(Ordering::Acquire)
    }

    fn waits_on(&self) -> &[EventId] {
        &self.waits
    }

    fn claim(&self) -> bool {
        self.holders() == 0 && !self.claimed.swap(true, Ordering::AcqRel)
    }

    fn refusal(&self) -> Option<Arc<Failure>> {
        self.task.cause()
    }

    fn started(&self) {
        if self.task.profiled {
            self.task.times.started.store(self.core.now(), Ordering::Relaxed);
        }
        if self.task.state.set(Snapshot::RUNNING).has_early_callbacks() {
            release::early_callbacks(&self.task);
        }
    }

    fn took(&self, began: Duration, ended: Duration) {
        if !self.task.profiled {
            return;
        }
        let now = self.core.now();
        let earliest = self.task.times.submitted.load(Ordering::Relaxed);
        let ago = |time: Duration| {
            let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            // Clocks of two machines go together only nearly: what comes first stays first.
            now.saturating_sub(nanoseconds).max(earliest)
        };
        let (began, ended) = (ago(began), ago(ended));
        self.task.times.started.store(began, Ordering::Relaxed);
        self.task.times.ended.store(ended.max(began), Ordering::Relaxed);
    }

    fn ended(&self, outcome: Outcome) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        // Whatever holds the task back still has it in a list and will count it down: it must not end before that.
        if self.holders() > 0 {
            if let Err(cause) = &outcome {
                self.task.blame(cause);
            }
            // Release publishes what the driver did to whoever takes the last hold away and ends the task; acquire pairs
            // with that one's swap in `ends_early`, if it was before: then nothing holds the command back, as seen below.
            self.early.swap(true, Ordering::AcqRel);
            if !self.ends_early() {
                return;
            }
        }
        self.core.finish_times(&self.task, None);
        release::ended_on_device(self.task.ptr(), outcome);
    }
}

/// Hands a ready task to its driver.
pub(crate) fn submit(task: TaskPtr, released: &mut Released) {
    // SAFETY: a ready task holds the scheduler's reference until it ends.
    let Some(ticket) = Ticket::new(unsafe { TaskRef::share(task) }, Box::default()) else {
        return release::end(task, &Err(release::out_of_memory()), released);
    };
    if ticket.task.profiled {
        ticket.task.times.submitted.store(ticket.core.now(), Ordering::Relaxed);
    }
    if let Err(cause) = give(&ticket)
        && !ticket.ended.swap(true, Ordering::AcqRel)
    {
        release::end(ticket.task.ptr(), &Err(cause), released);
    }
}

/// Gives a driver that orders commands itself a task that is being enqueued. If the driver refuses, the task fails
/// when it becomes ready.
pub(crate) fn announce(task: &TaskRef) {
    let Some(ticket) = task.ticket() else { return };
    if task.profiled {
        // The device has it from here on, and may begin with it at once.
        task.times.submitted.store(ticket.core.now(), Ordering::Relaxed);
    }
    if let Err(cause) = give(&ticket) {
        ticket.ended.store(true, Ordering::Release);
        task.blame(&cause);
        task.clear_ticket();
    }
}

/// Gives a ticket to the driver.
fn give(ticket: &Arc<Ticket>) -> Outcome {
    let submission = Arc::clone(ticket) as Arc<dyn Submission>;
    match catch_unwind(AssertUnwindSafe(|| ticket.driver.submit(submission))) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(Arc::new(Failure::Driver(error))),
        Err(payload) => Err(release::panicked(payload.as_ref())),
    }
}

/// Tells the driver that a ticket waits for one event less.
pub(crate) fn notify(ticket: &Arc<Ticket>, event: EventId, released: &mut Released) {
    let submission = Arc::clone(ticket) as Arc<dyn Submission>;
    let result = catch_unwind(AssertUnwindSafe(|| ticket.driver.broadcast(event, &[submission])));
    if ticket.ends_early() {
        ticket.core.finish_times(&ticket.task, None);
        // What it was blamed for meanwhile, by its driver or by what it depends on, stays its cause.
        return release::end(ticket.task.ptr(), &Ok(()), released);
    }
    if let Err(payload) = result
        && ticket.holders() == 0
        && !ticket.ended.swap(true, Ordering::AcqRel)
    {
        release::end(ticket.task.ptr(), &Err(release::panicked(payload.as_ref())), released);
    }
}
