//! Command queues. Enqueueing finds what a command must wait for, enters it there, and appends it to the queue's chain,
//! along which commands retire in order.
//!
//! In an in-order queue a command waits only for those before it whose bytes it conflicts with (see [`crate::points`]),
//! so executions overlap; completion is still observed in order, because an event is complete when it is retired. A
//! command about which too little is known ([`Facts::opaque`]) waits for all before it, and all after wait for it. In
//! an out-of-order queue a command waits for its wait list and the last barrier.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use oxcl_driver::capability::Execution;
use oxcl_driver::error::Outcome;
use oxcl_driver::{Driver, DriverError, EventId, Failure, Launch, QueueToken};

use crate::device::{self, Ticket};
use crate::event::Event;
use crate::faults;
use crate::points::{Access, Points, ResourceId, Touch};
use crate::pool::{Core, Goal};
use crate::release::{self, Released};
use crate::shim::{Mutex, Ordering, lock};
use crate::task::notice::{Kind, Notice};
use crate::task::state::Snapshot;
use crate::task::{AtomicTimes, INLINE_NOTICES, Role, Task, TaskPtr, TaskRef};

/// Wait lists at least this long that come twice in a row share one hidden task that waits for them.
const SHARED_WAITS: usize = 4;

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

/// A task to wait for, while a command is being enqueued.
struct Planned {
    task: TaskPtr,
    /// Wait until it is retired, not only executed.
    retired: bool,
    depends: bool,
}

/// The last long wait list.
struct SharedWaits {
    of: Vec<EventId>,
    join: TaskRef,
}

#[derive(Default)]
struct QueueState {
    tail: Option<TaskRef>,
    barrier: Option<TaskRef>,
    points: Points,
    plan: Plan,
    touches: Vec<Touch>,
    shared_waits: Option<SharedWaits>,
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

/// What a command that is being enqueued waits for.
#[derive(Default)]
struct Plan {
    waits: Vec<Planned>,
    /// What the command fails with before it begins: something it depends on has failed already.
    blame: Option<Arc<Failure>>,
}

impl Plan {
    /// Plans to wait for a task that a reference is held to.
    fn add(&mut self, task: TaskPtr, retired: bool, depends: bool) -> Result<(), EnqueueError> {
        // SAFETY: every caller holds a reference while it holds the queue's lock.
        let record = unsafe { task.get() };
        let state = record.state.load();
        let over = if retired { state.is_retired() } else { state.is_executed() || state.is_complete() };
        if over {
            if depends && self.blame.is_none() {
                self.blame = record.cause();
            }
            return Ok(());
        }
        // Looking through more would cost more than telling a command twice.
        for planned in self.waits.iter_mut().take(16) {
            if planned.task == task && planned.retired == retired {
                planned.depends |= depends;
                return Ok(());
            }
        }
        faults::reserve(&mut self.waits, 1)?;
        self.waits.push(Planned { task, retired, depends });
        Ok(())
    }

    /// Plans to wait for an event of a wait list.
    fn add_event(&mut self, event: &Event, own: *const QueueShared) -> Result<(), EnqueueError> {
        // Within its own queue it is enough that it was executed.
        let retired = event.task.role == Role::InOrder && !std::ptr::eq(event.task.queue, own);
        self.add(event.task.ptr(), retired, true)
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
        self.shared.core.flush();
        if self.shared.execution != Execution::Host {
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
        if shared.execution != Execution::Host {
            shared.driver.flush(shared.token)?;
            shared.driver.join(shared.token)?;
        }
        shared.core.wait(&tail, Goal::Retired);
        let mut state = lock(&shared.state);
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
            if record.groups != 0 && !record.has_cause() && !record.on_device {
                if record.profiled {
                    record.times.submitted.store(shared.core.now(), Ordering::Relaxed);
                }
                shared.core.accept_enqueued(task);
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
        state.plan.waits.clear();
        state.plan.blame = None;
        let barrier = plan_order(state, &command, in_order)?;
        self.plan_waits(state, command.waits)?;

        let groups = command.work.as_ref().map_or(0, |work| work.groups());
        let on_device = groups != 0 && shared.execution != Execution::Host;
        let ordered = on_device && shared.execution == Execution::DeviceOrdered;
        let role = if in_order { Role::InOrder } else { Role::OutOfOrder };
        let mut task = Task::new(role, EventId(shared.core.next_id()));
        let waits = state.plan.waits.len();
        // One count for each entry, and one for this function.
        task.pending = crate::shim::AtomicU32::new(u32::try_from(waits).unwrap_or(u32::MAX - 1) + 1);
        task.queue = Arc::as_ptr(&self.shared);
        task.groups = groups;
        task.on_device = on_device;
        task.device_ordered = ordered;
        task.profiled = shared.properties.profiling;
        if task.profiled {
            task.times = AtomicTimes::new(shared.core.now());
        }
        task.body = crate::shim::UnsafeCell::new(command.work);
        // The chain's entry is one more.
        let mut more = Vec::new();
        if waits + 1 > INLINE_NOTICES {
            faults::reserve(&mut more, waits + 1 - INLINE_NOTICES)?;
            more.extend(
                (0..waits + 1 - INLINE_NOTICES)
                    .map(|_| crate::shim::UnsafeCell::new(Notice::new(Kind::Order, None))),
            );
        }
        task.more_notices = more.into_boxed_slice();
        // One reference is the scheduler's, one the tail's, and one the caller's, if it wants it.
        task.start_with(2 + u32::from(keep));
        let task = TaskRef::new(task).ok_or(EnqueueError::OutOfHostMemory)?;

        // Commit.
        if let Some(cause) = &state.plan.blame {
            task.blame(cause);
        }
        if ordered {
            // The driver has the command before anything can tell it that an event has ended.
            task.set_ticket(Ticket::new(task.clone()));
            device::announce(&task);
        }
        // First of all, as the plan's tasks may be referred to only by what is replaced below.
        let satisfied = 1 + enter(task.ptr(), &state.plan.waits);
        if in_order {
            if command.facts.opaque || barrier {
                state.points.clear();
            }
            for touch in &state.touches {
                state.points.record(touch, &task);
            }
        }
        if barrier || (in_order && command.facts.opaque) {
            state.barrier = Some(task.clone());
        }
        // SAFETY: counted from the beginning.
        let handle = keep.then(|| unsafe { TaskRef::adopt(task.ptr()) });
        // SAFETY: as above.
        let before = state.tail.replace(unsafe { TaskRef::adopt(task.ptr()) });
        // The reference of `task` becomes the scheduler's.
        let at = task.into_ptr();
        self.chain(before, at);
        // SAFETY: the task cannot end before the count below is given back.
        let record = unsafe { at.get() };
        let ticket = if ordered { record.ticket() } else { None };
        // Acquire and release as in `Released::arrive`.
        let last = record.pending.fetch_sub(satisfied, Ordering::AcqRel) == satisfied;
        if let Some(ticket) = ticket {
            released.notify_later(ticket);
        } else if last {
            *ready = Some(at);
        }
        Ok(handle)
    }

    /// Plans the wait list. A long one that comes again is waited for once, by a hidden task.
    fn plan_waits(&self, state: &mut QueueState, waits: &[Event]) -> Result<(), EnqueueError> {
        let own = Arc::as_ptr(&self.shared);
        if waits.len() >= SHARED_WAITS {
            let same = state.shared_waits.as_ref().is_some_and(|shared| {
                shared.of.len() == waits.len()
                    && shared.of.iter().zip(waits).all(|(id, event)| *id == event.task.id)
            });
            if !same {
                self.share_waits(state, waits)?;
            }
            if let Some(shared) = &state.shared_waits {
                let join = shared.join.ptr();
                return state.plan.add(join, false, true);
            }
        }
        waits.iter().try_for_each(|event| state.plan.add_event(event, own))
    }

    /// Makes the hidden task for a wait list.
    fn share_waits(&self, state: &mut QueueState, waits: &[Event]) -> Result<(), EnqueueError> {
        let own = Arc::as_ptr(&self.shared);
        let mut of = state.shared_waits.take().map(|old| old.of).unwrap_or_default();
        of.clear();
        faults::reserve(&mut of, waits.len())?;
        of.extend(waits.iter().map(|event| event.task.id));
        let mut plan = Plan::default();
        waits.iter().try_for_each(|event| plan.add_event(event, own))?;
        let Plan { waits: plan, blame } = plan;
        let mut task = Task::new(Role::Join, EventId(self.shared.core.next_id()));
        task.pending = crate::shim::AtomicU32::new(u32::try_from(plan.len()).unwrap_or(u32::MAX - 1) + 1);
        let mut more = Vec::new();
        faults::reserve(&mut more, plan.len().saturating_sub(INLINE_NOTICES))?;
        more.extend(
            (INLINE_NOTICES..plan.len())
                .map(|_| crate::shim::UnsafeCell::new(Notice::new(Kind::Order, None))),
        );
        task.more_notices = more.into_boxed_slice();
        let join = TaskRef::new(task).ok_or(EnqueueError::OutOfHostMemory)?;
        if let Some(cause) = &blame {
            join.blame(cause);
        }
        let at = join.clone().into_ptr();
        let satisfied = 1 + enter(at, &plan);
        if join.pending.fetch_sub(satisfied, Ordering::AcqRel) == satisfied {
            // Nobody waits for it yet, so nothing follows from its end.
            release::end(at, &Ok(()), &mut Released::default());
        }
        state.shared_waits = Some(SharedWaits { of, join });
        Ok(())
    }

    /// Appends a task to the chain along which the queue retires.
    fn chain(&self, before: Option<TaskRef>, at: TaskPtr) {
        // SAFETY: the scheduler's reference is held.
        let task = unsafe { at.get() };
        let chained = before.is_some_and(|before| {
            // The last entry is the chain's: the others are for what the command waits for.
            let entry = entry(task, notice_count(task) - 1, Notice::new(Kind::Chain, Some(at)));
            // SAFETY: the entry stays in the task, which retires after it was delivered.
            unsafe { before.retired.push(entry) }
        });
        if !chained {
            // SAFETY: nobody retires the task before the bit below is set.
            task.queue_alive.with_mut(|alive| unsafe { *alive = Some(Arc::clone(&self.shared)) });
            task.state.set(Snapshot::BEFORE_RETIRED);
        }
    }
}

/// Plans what the queue's order asks for. Whether the command is a barrier.
fn plan_order(state: &mut QueueState, command: &Command<'_>, in_order: bool) -> Result<bool, EnqueueError> {
    let QueueState { tail, barrier: last_barrier, points, plan, touches, .. } = state;
    let barrier = command.fence == Fence::Barrier;
    if let Some(last) = last_barrier {
        plan.add(last.ptr(), false, false)?;
    }
    let all_before = if in_order {
        barrier || command.facts.opaque
    } else {
        command.fence != Fence::None && command.waits.is_empty()
    };
    if all_before && let Some(tail) = tail {
        plan.add(tail.ptr(), true, false)?;
    }
    touches.clear();
    if !in_order {
        return Ok(barrier);
    }
    faults::reserve(touches, command.touches.len() + 2)?;
    touches.extend(command.touches.iter().filter(|touch| touch.start < touch.end));
    if command.facts.printf {
        touches.push(Touch::whole(ResourceId::PRINTF, Access::Write));
    }
    if command.facts.globals {
        touches.push(Touch::whole(ResourceId::GLOBALS, Access::Write));
    }
    for touch in touches {
        points.prepare(touch, |wait| plan.add(wait.task, false, wait.depends))?;
    }
    Ok(barrier)
}

/// Number of entries that a task has room for.
fn notice_count(task: &Task) -> usize {
    INLINE_NOTICES + task.more_notices.len()
}

/// Fills in the entry number `index` of a task that is being enqueued.
fn entry(task: &Task, index: usize, notice: Notice) -> NonNull<Notice> {
    let cell = match task.notices.get(index) {
        Some(cell) => cell,
        None => &task.more_notices[index - INLINE_NOTICES],
    };
    // SAFETY: the entry is in no list yet, and only the enqueuer uses it.
    cell.with_mut(|slot| unsafe { *slot = notice });
    cell.with_mut(NonNull::new).unwrap_or(NonNull::dangling())
}

/// Enters a task with everything that it is planned to wait for; returns how much of that is over already.
fn enter(at: TaskPtr, plan: &[Planned]) -> u32 {
    // SAFETY: the task cannot end before its enqueuer gives its count of `pending` back.
    let task = unsafe { at.get() };
    let mut over = 0;
    for (index, planned) in plan.iter().enumerate() {
        let kind = if planned.depends { Kind::Depend } else { Kind::Order };
        let entry = entry(task, index, Notice::new(kind, Some(at)));
        // SAFETY: the planner holds a reference, as it still holds the queue's lock.
        let other = unsafe { planned.task.get() };
        let list = if planned.retired { &other.retired } else { &other.executed };
        // SAFETY: the entry stays in the task, which is not freed before all its entries were delivered.
        if !unsafe { list.push(entry) } {
            over += 1;
            if planned.depends
                && let Some(cause) = other.cause()
            {
                task.blame(&cause);
            }
        }
    }
    over
}
