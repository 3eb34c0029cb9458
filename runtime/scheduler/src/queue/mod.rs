//! Command queues. Enqueueing finds what a command must wait for, enters it there, and appends it to the queue's chain,
//! along which commands retire in order.
//!
//! In an in-order queue a command waits only for those before it whose bytes it conflicts with (see [`crate::points`]),
//! so executions overlap; completion is still observed in order, because an event is complete when it is retired. A
//! command about which too little is known ([`Facts::opaque`]) waits for all before it, and all after wait for it. What
//! a command waits for outside of its queue, all after it wait for too, as they may rely on it without naming it. In
//! an out-of-order queue a command waits for its wait list and the last barrier.

use std::fmt;
use std::sync::Arc;

use oxcl_driver::capability::Execution;
use oxcl_driver::error::Outcome;
use oxcl_driver::{Driver, DriverError, EventId, Launch, QueueToken};

mod enter;
pub(crate) mod fan;
mod plan;
pub(crate) mod reach;

use self::enter::{chain, enter, lead, room_for_notices};
use self::plan::{Hold, Plan, SHARED_WAITS, SharedWaits, plan_order, plan_waits, touched};
use crate::device::{self, Ticket};
use crate::event::Event;
use crate::points::{Points, Touch};
use crate::pool::{Core, Goal, weight};
use crate::release::{self, Released};
use crate::shim::{AtomicU8, Mutex, Ordering, lock};
use crate::task::callback::Prepared;
use crate::task::state::Snapshot;
use crate::task::{AtomicTimes, Executor, Fresh, Role, TaskPtr, TaskRef};

/// Why a command could not be enqueued. The queue is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnqueueError {
    /// There is no memory for the command's records.
    #[error("out of host memory")]
    OutOfHostMemory,
    /// The driver refused.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// What is known about a command beside the bytes it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// It may touch memory that it does not name.
    pub opaque: bool,
    /// It touches variables at program scope.
    pub globals: bool,
    /// It prints.
    pub printf: bool,
}

impl Facts {
    /// Nothing is known.
    pub const UNKNOWN: Facts = Facts { opaque: true, globals: true, printf: true };
}

/// What a command is for the order of its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fence {
    /// Nothing special.
    #[default]
    None,
    /// It completes after its wait list, or after all commands before it if that is empty.
    Marker,
    /// As a marker, and all commands after it wait for it.
    Barrier,
}

/// A command to enqueue.
#[derive(Debug, Clone, Default)]
pub struct Command<'a> {
    /// What to execute; `None` for markers and barriers.
    pub work: Option<Arc<dyn Launch>>,
    /// The bytes it touches. Only in-order queues look at them.
    pub touches: &'a [Touch],
    /// What else is known about it.
    pub facts: Facts,
    /// Events that must be complete before it begins. If one fails, so does the command.
    pub waits: &'a [Event],
    /// Its effect on the order.
    pub fence: Fence,
}

/// How a queue works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueProperties {
    /// Commands are ordered by their wait lists only.
    pub out_of_order: bool,
    /// Times are kept for each command.
    pub profiling: bool,
}

#[derive(Default)]
struct QueueState {
    tail: Option<TaskRef>,
    barrier: Option<TaskRef>,
    points: Points,
    plan: Plan,
    /// Commands enqueued so far.
    position: u64,
    shared_waits: Option<SharedWaits>,
    /// The last short wait list.
    short_waits: Option<[EventId; SHARED_WAITS]>,
}

/// The queue itself; alive while a handle or a command that is not retired is.
pub(crate) struct QueueShared {
    pub(crate) core: Arc<Core>,
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) token: QueueToken,
    execution: Execution,
    properties: QueueProperties,
    state: Mutex<QueueState>,
}

impl QueueShared {
    /// Itself, if several workers share the telling of many commands that wait for one task. Of two, one tells them
    /// while the other executes, and what sharing costs shows.
    fn spreads(self: &Arc<Self>) -> Option<&Arc<Self>> {
        let few = if cfg!(any(loom, test)) { 1 } else { 2 };
        (self.execution == Execution::Host && self.core.workers > few).then_some(self)
    }
}

impl Drop for QueueShared {
    fn drop(&mut self) {
        self.driver.free_queue(self.token);
    }
}

/// A handle to a queue. When the last one is dropped the commands in it still run to their ends.
#[derive(Clone)]
pub struct Queue {
    shared: Arc<QueueShared>,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("token", &self.shared.token).finish_non_exhaustive()
    }
}

impl Drop for Queue {
    /// Nobody may come by any more for what was enqueued.
    fn drop(&mut self) {
        if self.shared.execution == Execution::Caller && !self.is_idle() {
            self.shared.core.promise();
        }
    }
}

impl Queue {
    pub(crate) fn new(
        core: &Arc<Core>,
        driver: Arc<dyn Driver>,
        properties: QueueProperties,
    ) -> Result<Queue, EnqueueError> {
        let token = QueueToken(core.next_id());
        driver.init_queue(token)?;
        let execution = driver.capabilities().execution;
        if execution == Execution::Caller {
            core.expect_callers();
        }
        core.looks_with(&driver);
        let state = Mutex::new(QueueState::default());
        let profiling = properties.profiling || core.observer.is_some();
        let properties = QueueProperties { profiling, ..properties };
        let core = Arc::clone(core);
        Ok(Queue { shared: Arc::new(QueueShared { core, driver, token, execution, properties, state }) })
    }

    /// The queue's number.
    #[must_use]
    pub fn token(&self) -> QueueToken {
        self.shared.token
    }

    /// Enqueues a command and returns its event.
    pub fn enqueue(&self, command: Command<'_>) -> Result<Event, EnqueueError> {
        let task = self.insert(command, true)?;
        let task = task.ok_or(EnqueueError::OutOfHostMemory)?;
        Ok(Event { task, core: Arc::clone(&self.shared.core) })
    }

    /// Enqueues a command whose event nobody asks for.
    pub fn enqueue_silently(&self, command: Command<'_>) -> Result<(), EnqueueError> {
        self.insert(command, false).map(drop)
    }

    /// Makes sure that everything enqueued so far gets executed without further calls.
    pub fn flush(&self) -> Result<(), EnqueueError> {
        self.shared.core.flush_soon();
        if self.shared.execution.is_by_driver() {
            self.shared.driver.flush(self.shared.token)?;
        }
        Ok(())
    }

    /// Waits until every command enqueued so far has ended; the calling thread executes commands meanwhile.
    /// How the commands ended is their events' business.
    pub fn finish(&self) -> Result<(), EnqueueError> {
        let shared = &*self.shared;
        let tail = lock(&shared.state).tail.clone();
        let Some(tail) = tail else { return Ok(()) };
        if shared.execution.is_by_driver() {
            shared.driver.flush(shared.token)?;
            shared.driver.join(shared.token)?;
        }
        shared.core.wait(&tail, Goal::Retired);
        let mut state = lock(&shared.state);
        state.points.finish(tail.id);
        if state.tail.as_ref().is_some_and(|now| now.ptr() == tail.ptr()) {
            // Nothing is left to wait for, nor to fail with.
            state.tail = None;
            state.barrier = None;
            state.points.clear();
            state.shared_waits = None;
        }
        Ok(())
    }

    /// Whether every command enqueued so far has ended.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        lock(&self.shared.state).tail.as_ref().is_none_or(|tail| tail.state.load().is_retired())
    }

    /// Calls `call` once every command enqueued so far has ended, from whatever thread ends the last, or at once if none is
    /// left. Makes nothing get on.
    ///
    /// # Errors
    /// There is no memory for it; then it is dropped and not called.
    pub fn on_idle(&self, call: impl FnOnce() + Send + 'static) -> Result<(), EnqueueError> {
        let tail = lock(&self.shared.state).tail.clone();
        let Some(tail) = tail else {
            call();
            return Ok(());
        };
        let prepared = Prepared::new(move |_, _| call())?;
        if let Err(callback) = tail.retired.push_callback(prepared.0) {
            callback.call(tail.id, &Ok(()));
        }
        Ok(())
    }

    /// Waits for a command as part of enqueueing it (`CL_TRUE` for blocking).
    pub fn enqueue_and_wait(&self, command: Command<'_>) -> Result<Outcome, EnqueueError> {
        Ok(self.enqueue(command)?.wait())
    }

    fn insert(&self, command: Command<'_>, keep: bool) -> Result<Option<TaskRef>, EnqueueError> {
        let shared = &*self.shared;
        let mut released = Released::default();
        let mut ready = None;
        let mut state = lock(&shared.state);
        let inserted = self.insert_locked(&mut state, command, keep, &mut ready, &mut released);
        drop(state);
        let handle = inserted?;
        if let Some(task) = ready {
            // SAFETY: the scheduler's reference is held until the task ends.
            let record = unsafe { task.get() };
            if matches!(record.executor, Executor::Workers | Executor::Caller) && !record.has_cause() {
                if record.profiled {
                    record.times.submitted.store(shared.core.now(), Ordering::Relaxed);
                }
                if record.executor == Executor::Caller {
                    shared.core.accept_for_callers(task);
                } else {
                    shared.core.accept_enqueued(task);
                }
                return Ok(handle);
            }
            released.add(task);
        }
        release::conclude(&mut released);
        Ok(handle)
    }

    /// Everything that may fail comes first; from `commit` on nothing does.
    fn insert_locked(
        &self,
        state: &mut QueueState,
        command: Command<'_>,
        keep: bool,
        ready: &mut Option<TaskPtr>,
        released: &mut Released,
    ) -> Result<Option<TaskRef>, EnqueueError> {
        let shared = &*self.shared;
        let in_order = !shared.properties.out_of_order;
        state.plan.clear(in_order && shared.execution == Execution::DeviceOrdered);
        let weight = command.work.as_deref().map_or(weight::UNKNOWN, weight::of);
        let barrier = plan_order(&self.shared, state, &command)?;
        let hold = plan_waits(&self.shared, state, &command)?;

        let (groups, grain) = command.work.as_ref().map_or((0, 1), |work| (work.groups(), work.grain()));
        let executor = match shared.execution {
            _ if groups == 0 => Executor::Nobody,
            // Without threads of the pool all are callers.
            Execution::Caller if shared.core.workers > 1 => Executor::Caller,
            Execution::Host | Execution::Caller => Executor::Workers,
            Execution::Device => Executor::Driver,
            Execution::DeviceOrdered => Executor::OrderingDriver,
        };
        let ordered = executor == Executor::OrderingDriver;
        let role = if in_order { Role::InOrder } else { Role::OutOfOrder };
        let fresh = Fresh::new(role, EventId(shared.core.next_id()));
        let mut task = fresh.ok_or(EnqueueError::OutOfHostMemory)?;
        let waits = state.plan.waits.len();
        // One count for each entry, and one for this function, which nobody looks at where there are no entries.
        let free = waits == 0 && !ordered;
        let count = if free { 0 } else { u32::try_from(waits).unwrap_or(u32::MAX - 1) + 1 };
        task.pending = crate::shim::AtomicU32::new(count);
        task.queue = Arc::as_ptr(&self.shared);
        task.set_groups(groups, grain, shared.core.workers);
        task.executor = executor;
        task.weight = AtomicU8::new(weight);
        task.profiled = shared.properties.profiling;
        if task.profiled {
            task.times = AtomicTimes::new(shared.core.now());
        }
        task.body = crate::shim::UnsafeCell::new(command.work);
        room_for_notices(&mut task, waits)?;
        let first = state.tail.as_ref().is_none_or(|tail| tail.state.load().is_retired());
        if first {
            lead(&self.shared, &mut task);
        }
        // In order, none is complete before the one before it.
        let follows = |tail: &TaskRef| in_order && !first && tail.state.load().is_held();
        if state.plan.held || state.tail.as_ref().is_some_and(follows) {
            task.mark(Snapshot::HELD);
        }
        if let Some(reach) = state.plan.reaches.of(state.position, first) {
            task.set_reach(reach);
            state.position += 1;
        }
        let mut for_device = Vec::new();
        if ordered {
            crate::faults::reserve(&mut for_device, waits)?;
            for_device.extend(state.plan.waits.iter().filter_map(|planned| {
                // SAFETY: the planner holds a reference to each as long as the queue's lock is held.
                let task = unsafe { planned.task.get() };
                reach::is_for_device(planned, task).then_some(task.id)
            }));
        }
        // One reference is the scheduler's, one the tail's, and one the caller's, if it wants it; each touch gets one.
        let references = 2 + u32::from(keep) + state.plan.touches;
        let task = task.share(references);
        let mut ticket = None;
        if ordered {
            ticket = Ticket::new(task.clone(), for_device.into_boxed_slice());
            if ticket.is_none() {
                // SAFETY: nobody else has seen the task, and of its references all but the one here go.
                (1..references).for_each(|_| unsafe { task.ptr().release() });
                return Err(EnqueueError::OutOfHostMemory);
            }
        }

        // Commit.
        if let Some(cause) = &state.plan.blame {
            task.blame(cause);
        }
        if let Some(ticket) = ticket {
            // The driver has the command before anything can tell it that an event has ended.
            task.set_ticket(ticket);
            device::announce(&task);
        }
        // First of all, as the plan's tasks may be referred to only by what is replaced below.
        let satisfied = 1 + enter(task.ptr(), &state.plan.waits);
        if in_order {
            if command.facts.opaque || barrier {
                state.points.clear();
            }
            touched(command.touches, command.facts).for_each(|touch| {
                // SAFETY: counted from the beginning, one for each touch.
                state.points.record(touch, unsafe { TaskRef::adopt(task.ptr()) });
            });
        }
        let itself = matches!(hold, Hold::Itself);
        if let Hold::Join(join) = hold {
            state.barrier = Some(join);
            if let Some(shared) = &mut state.shared_waits {
                shared.held = true;
            }
        }
        if barrier || itself || (in_order && command.facts.opaque) {
            state.barrier = Some(task.clone());
        }
        // SAFETY: counted from the beginning.
        let handle = keep.then(|| unsafe { TaskRef::adopt(task.ptr()) });
        // SAFETY: as above.
        let before = state.tail.replace(unsafe { TaskRef::adopt(task.ptr()) });
        // The reference of `task` becomes the scheduler's.
        let at = task.into_ptr();
        if let Some(before) = before
            && !first
        {
            chain(&self.shared, &before, at);
        }
        // SAFETY: the task cannot end before the count below is given back.
        let record = unsafe { at.get() };
        let ticket = if ordered { record.ticket() } else { None };
        // Acquire and release as in `Released::arrive`.
        let last = free || record.pending.fetch_sub(satisfied, Ordering::AcqRel) == satisfied;
        if let Some(ticket) = ticket {
            released.notify_later(ticket);
        } else if last {
            *ready = Some(at);
        } else if groups > 1
            && let Some(queue) = self.shared.spreads()
        {
            queue.core.expect(weight::nanoseconds(weight), 0);
        }
        Ok(handle)
    }
}
