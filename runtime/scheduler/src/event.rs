//! Events: handles to commands, and user events.

use std::fmt;
use std::sync::Arc;

use oxcl_driver::error::Outcome;
use oxcl_driver::{EventId, Failure};

use crate::pool::{Core, Goal};
use crate::queue::EnqueueError;
use crate::release;
use crate::shim::{AtomicBool, Ordering, lock};
use crate::task::callback::Prepared;
use crate::task::state::Snapshot;
use crate::task::{Fresh, Role, TaskRef, Times};

/// Where a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// It waits for others.
    Queued,
    /// Nothing holds it back.
    Submitted,
    /// It is being executed.
    Running,
    /// It has ended, and everything before it in an in-order queue too.
    Complete,
}

/// A command's state as its event shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Not ended.
    Pending(Stage),
    /// Ended as it should.
    Complete,
    /// Ended without having done its work, or not all of it.
    Failed(Arc<Failure>),
}

/// A handle to an event. Clones are the same event.
#[derive(Clone)]
pub struct Event {
    pub(crate) task: TaskRef,
    pub(crate) core: Arc<Core>,
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("id", &self.task.id).finish_non_exhaustive()
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.task.ptr() == other.task.ptr()
    }
}

impl Eq for Event {}

impl Event {
    /// The event's number.
    #[must_use]
    pub fn id(&self) -> EventId {
        self.task.id
    }

    /// Where the command is. Asking makes sure that it gets on.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.task.state.load().is_complete() {
            return self.task.cause().map_or(Status::Complete, Status::Failed);
        }
        self.core.flush();
        let state = self.task.state.load();
        if state.is_complete() {
            self.task.cause().map_or(Status::Complete, Status::Failed)
        } else if state.is_running() {
            Status::Pending(Stage::Running)
        } else if self.task.role == Role::User || self.task.pending.load(Ordering::Acquire) == 0 {
            Status::Pending(Stage::Submitted)
        } else {
            Status::Pending(Stage::Queued)
        }
    }

    /// Whether the event is complete, however it ended. Makes nothing get on.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.task.state.load().is_complete()
    }

    /// Waits until the event is complete; the calling thread executes commands meanwhile.
    pub fn wait(&self) -> Outcome {
        self.core.wait(&self.task, Goal::Complete);
        self.task.outcome()
    }

    /// When the command was what; zeros where its queue keeps no times.
    #[must_use]
    pub fn times(&self) -> Times {
        self.task.times()
    }

    /// Calls `call` once the event is complete, from whatever thread completes it, or at once if it is.
    ///
    /// # Errors
    /// There is no memory for it; then it is dropped and not called.
    pub fn on_complete(
        &self,
        call: impl FnOnce(EventId, &Outcome) + Send + 'static,
    ) -> Result<(), EnqueueError> {
        self.call_prepared(Prepared::new(call)?);
        Ok(())
    }

    /// [`Event::on_complete`] with a function that has its memory already.
    pub fn call_prepared(&self, prepared: Prepared) {
        match self.task.completion().push_callback(prepared.0) {
            Ok(()) => self.core.flush(),
            Err(callback) => callback.call(self.task.id, &self.task.outcome()),
        }
    }

    /// Calls `call` once the command has reached the stage, not before and perhaps a little later.
    ///
    /// # Errors
    /// As [`Event::on_complete`].
    pub fn on_stage(
        &self,
        stage: Stage,
        call: impl FnOnce(EventId, &Outcome) + Send + 'static,
    ) -> Result<(), EnqueueError> {
        let prepared = Prepared::new(call)?;
        if stage == Stage::Complete {
            self.call_prepared(prepared);
            return Ok(());
        }
        let mut callback = prepared.0;
        callback.stage = stage;
        lock(&self.task.rare.early).push(callback);
        let before = self.task.state.set(Snapshot::EARLY);
        let submitted = stage <= Stage::Submitted && self.task.pending.load(Ordering::Acquire) == 0;
        if before.is_running() || before.is_executed() || before.is_complete() || submitted {
            release::early_callbacks_up_to(
                &self.task,
                if before.is_running() { Stage::Running } else { stage },
            );
        }
        self.core.flush();
        Ok(())
    }
}

/// A user event: an event whose status the host program sets, once.
#[derive(Debug)]
pub struct UserEvent {
    event: Event,
    set: AtomicBool,
}

impl UserEvent {
    pub(crate) fn new(core: &Arc<Core>) -> Result<UserEvent, EnqueueError> {
        let task =
            Fresh::new(Role::User, EventId(core.next_id())).ok_or(EnqueueError::OutOfHostMemory)?.share(1);
        core.add_gate();
        Ok(UserEvent { event: Event { task, core: Arc::clone(core) }, set: AtomicBool::new(false) })
    }

    /// The event, to wait on. It may outlive the user event, which then counts as failed if it was not set.
    #[must_use]
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Completes the event. False if its status was set before.
    pub fn complete(&self) -> bool {
        self.finish(None)
    }

    /// Sets a negative status: everything that depends on the event fails. False if its status was set before.
    pub fn fail(&self, status: i32) -> bool {
        self.finish(Some(Failure::UserEvent { status }))
    }

    /// Has everything that depends on the event fail with this. False if its status was set before.
    pub fn fail_with(&self, failure: Failure) -> bool {
        self.finish(Some(failure))
    }

    fn finish(&self, failure: Option<Failure>) -> bool {
        if self.set.swap(true, Ordering::AcqRel) {
            return false;
        }
        if let Some(failure) = failure {
            self.event.task.blame(&Arc::new(failure));
        }
        self.event.core.remove_gate();
        self.event.core.as_caller(|| release::complete_user_event(self.event.task.clone().into_ptr()));
        true
    }
}

impl Drop for UserEvent {
    fn drop(&mut self) {
        self.finish(Some(Failure::Abandoned));
    }
}
