//! What a command that is being enqueued must wait for: the queue's order, its bytes, its wait list. Nothing is changed
//! here but room made, so that every step may fail.

use std::sync::Arc;

use oxcl_driver::capability::Execution;
use oxcl_driver::{EventId, Failure};

use super::enter::{enter, room_for_notices};
use super::fan::{Expected, share_row};
use super::reach::Reaches;
use super::{Command, EnqueueError, Facts, Fence, QueueShared, QueueState};
use crate::event::Event;
use crate::faults;
use crate::points::{Access, ResourceId, Touch};
use crate::release;
use crate::shim::Ordering;
use crate::task::state::Snapshot;
use crate::task::{Fresh, Role, TaskPtr, TaskRef};

/// Wait lists at least this long share one hidden task that waits for them, if they come twice in a row; shorter ones from
/// the second time on.
pub(super) const SHARED_WAITS: usize = 4;

/// How many entries of a plan are looked through; more would cost more than telling a command twice.
const LOOKED_AT: usize = 16;

/// A task to wait for, while a command is being enqueued.
pub(super) struct Planned {
    pub(super) task: TaskPtr,
    /// Wait until it is retired, not only executed.
    pub(super) retired: bool,
    pub(super) depends: bool,
}

/// The last long wait list.
pub(super) struct SharedWaits {
    pub(super) of: Vec<EventId>,
    pub(super) join: TaskRef,
    expected: Expected,
    /// The in-order queue has had it as its barrier: whatever was enqueued since then waits for it.
    pub(super) held: bool,
}

/// What later commands of an in-order queue wait for because of what a command waits for.
pub(super) enum Hold {
    /// Nothing.
    Nothing,
    /// A hidden task for the same events, which becomes the queue's barrier.
    Join(TaskRef),
    /// The command itself becomes the barrier.
    Itself,
}

/// What a command that is being enqueued waits for.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) waits: Vec<Planned>,
    /// What it says of the commands of the queue itself.
    pub(super) reaches: Reaches,
    /// What the command fails with before it begins: something it depends on has failed already.
    pub(super) blame: Option<Arc<Failure>>,
    /// Something of that waits for a user event, or is one.
    pub(super) held: bool,
    /// What it touches, in an in-order queue: so many of [`touched`]. Counted while they are planned: to go through them once more
    /// for it takes 20 ns of each launch (0.48 and 0.50 us).
    pub(super) touches: u32,
}

impl Plan {
    /// For the next command. The room for waits stays.
    pub(super) fn clear(&mut self, ordering: bool) {
        self.waits.clear();
        self.blame = None;
        self.held = false;
        self.touches = 0;
        self.reaches.clear(ordering);
    }

    /// Plans to wait for a task of the queue itself, or a hidden one of its barriers.
    fn add_own(&mut self, task: TaskPtr, retired: bool, depends: bool) -> Result<(), EnqueueError> {
        // SAFETY: the queue holds a reference to each while its lock is held.
        self.reaches.note(unsafe { task.get() }, retired)?;
        self.add(task, retired, depends)
    }

    /// Plans to wait for a task that a reference is held to.
    pub(super) fn add(&mut self, task: TaskPtr, retired: bool, depends: bool) -> Result<(), EnqueueError> {
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
        self.held |= record.role == Role::User || state.is_held();
        for planned in self.waits.iter_mut().take(LOOKED_AT) {
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
    pub(super) fn add_event(&mut self, event: &Event, own: *const QueueShared) -> Result<(), EnqueueError> {
        if event.task.role == Role::InOrder && !std::ptr::eq(event.task.queue, own) {
            return self.add(event.task.ptr(), true, true);
        }
        // Within its own queue it is enough that it was executed.
        if !event.task.state.load().is_retired() {
            // So its queue is there, and it is this one.
            self.reaches.note(&event.task, false)?;
        }
        self.add(event.task.ptr(), false, true)
    }
}

/// Everything that a command of an in-order queue touches: bytes, if there are any, and what else is used in order.
pub(super) fn touched(touches: &[Touch], facts: Facts) -> impl Iterator<Item = &Touch> {
    const PRINTF: &Touch = &Touch::whole(ResourceId::PRINTF, Access::Write);
    const GLOBALS: &Touch = &Touch::whole(ResourceId::GLOBALS, Access::Write);
    let bytes = touches.iter().filter(|touch| touch.start < touch.end);
    bytes.chain(facts.printf.then_some(PRINTF)).chain(facts.globals.then_some(GLOBALS))
}

/// Plans what the queue's order asks for. Whether the command is a barrier.
pub(super) fn plan_order(
    queue: &Arc<QueueShared>,
    state: &mut QueueState,
    command: &Command<'_>,
) -> Result<bool, EnqueueError> {
    let in_order = !queue.properties.out_of_order;
    let QueueState { tail, barrier: last_barrier, points, plan, .. } = state;
    let barrier = command.fence == Fence::Barrier;
    let all_before = if in_order {
        barrier || command.facts.opaque
    } else {
        command.fence != Fence::None && command.waits.is_empty()
    };
    if all_before && let Some(tail) = tail {
        plan.add_own(tail.ptr(), true, false)?;
    }
    if !in_order {
        if let Some(last) = last_barrier {
            plan.add(last.ptr(), false, false)?;
        }
        return Ok(barrier);
    }
    points.sweep();
    let spread = queue.spreads();
    touched(command.touches, command.facts).try_for_each(|touch| {
        plan.touches += 1;
        points.prepare(touch, spread, |wait| plan.add_own(wait.task, false, wait.depends))
    })?;
    if let Some(last) = last_barrier {
        // What was enqueued after the barrier waits for it, so a command that waits for any of that need not.
        // SAFETY: the queue holds a reference to each while its lock is held.
        let after = |planned: &Planned| unsafe { planned.task.get() }.id > last.id;
        if !plan.waits.iter().take(LOOKED_AT).any(after) {
            plan.add_own(last.ptr(), false, false)?;
        }
    }
    Ok(barrier)
}

/// Plans the wait list. A long one that comes again is waited for once, by a hidden task.
///
/// An in-order queue does not pass by a command that waits for something outside of it: its later commands wait for the
/// same (OpenCL 3.0, 5.11: in order means that a command begins when those before it have ended). A driver that orders
/// commands itself is told the events themselves, and its later commands wait for this one.
pub(super) fn plan_waits(
    queue: &Arc<QueueShared>,
    state: &mut QueueState,
    command: &Command<'_>,
) -> Result<Hold, EnqueueError> {
    let (own, waits) = (Arc::as_ptr(queue), command.waits);
    let outside = !queue.properties.out_of_order && waits.iter().any(|event| is_outside(event, own));
    let ordering = queue.execution == Execution::DeviceOrdered;
    let holds = outside && !ordering;
    if waits.len() >= SHARED_WAITS || holds || (queue.spreads().is_some() && comes_again(state, waits)) {
        let same = state.shared_waits.as_ref().is_some_and(|shared| {
            shared.of.len() == waits.len()
                && shared.of.iter().zip(waits).all(|(id, event)| *id == event.task.id)
        });
        if !same {
            share_waits(queue, state, waits, holds)?;
        }
        if let Some(shared) = &mut state.shared_waits {
            let join = &shared.join;
            join.rare.row.reserve()?;
            state.plan.add(join.ptr(), false, true)?;
            if let Some(queue) = queue.spreads() {
                shared.expected.grow(join, queue);
            }
            return Ok(match shared.held {
                _ if !outside => Hold::Nothing,
                _ if ordering => Hold::Itself,
                true => Hold::Nothing,
                false => Hold::Join(join.clone()),
            });
        }
    }
    waits.iter().try_for_each(|event| state.plan.add_event(event, own))?;
    Ok(if outside { Hold::Itself } else { Hold::Nothing })
}

/// Whether a short wait list is that of the command before, which is remembered: many commands that wait for one event
/// wait in a row.
fn comes_again(state: &mut QueueState, waits: &[Event]) -> bool {
    let mut ids = [EventId(0); SHARED_WAITS];
    for (id, event) in ids.iter_mut().zip(waits) {
        *id = event.task.id;
    }
    let before = state.short_waits.replace(ids);
    !waits.is_empty() && before == Some(ids)
}

/// Whether an event is none of the queue's own commands, and not over.
fn is_outside(event: &Event, own: *const QueueShared) -> bool {
    let state = event.task.state.load();
    let over = if event.task.role == Role::InOrder { state.is_retired() } else { state.is_complete() };
    !over && !std::ptr::eq(event.task.queue, own)
}

/// Makes the hidden task for a wait list; one that is to be the queue's barrier also waits for the barrier before.
fn share_waits(
    queue: &Arc<QueueShared>,
    state: &mut QueueState,
    waits: &[Event],
    holds: bool,
) -> Result<(), EnqueueError> {
    let own = Arc::as_ptr(queue);
    let mut of = match state.shared_waits.take() {
        Some(old) => {
            // Only commands with that wait list were added.
            old.join.rare.row.seal();
            old.of
        }
        None => Vec::new(),
    };
    of.clear();
    faults::reserve(&mut of, waits.len())?;
    of.extend(waits.iter().map(|event| event.task.id));
    let mut plan = Plan::default();
    waits.iter().try_for_each(|event| plan.add_event(event, own))?;
    if holds && let Some(last) = &state.barrier {
        // It takes the place of the barrier before.
        plan.add(last.ptr(), false, false)?;
    }
    let Plan { waits: plan, blame, held, .. } = plan;
    let fresh = Fresh::new(Role::Join, EventId(queue.core.next_id()));
    let mut task = fresh.ok_or(EnqueueError::OutOfHostMemory)?;
    task.rare_mut().row.reserve()?;
    if let Some(queue) = queue.spreads() {
        share_row(&mut task, queue);
    }
    task.pending = crate::shim::AtomicU32::new(u32::try_from(plan.len()).unwrap_or(u32::MAX - 1) + 1);
    room_for_notices(&mut task, plan.len())?;
    if held {
        task.mark(Snapshot::HELD);
    }
    let join = task.share(1);
    if let Some(cause) = &blame {
        join.blame(cause);
    }
    let at = join.clone().into_ptr();
    let satisfied = 1 + enter(at, &plan);
    if join.pending.fetch_sub(satisfied, Ordering::AcqRel) == satisfied {
        // Nobody waits for it yet, so nothing follows from its end.
        release::end_unheard(at);
    }
    state.shared_waits = Some(SharedWaits { of, join, expected: Expected::default(), held: false });
    Ok(())
}
