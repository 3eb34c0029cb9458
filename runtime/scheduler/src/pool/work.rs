//! Executing tasks: whole ones, and launches of many pieces by several workers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use oxcl_driver::error::Outcome;
use oxcl_driver::history::PartOrder;
use oxcl_driver::{Lane, Launch};

use super::{Core, Local, MANY, weight};
use crate::observe::ShareRecord;
use crate::release::{self, Released};
use crate::shim::Ordering;
use crate::task::list::TaskList;
use crate::task::state::Snapshot;
use crate::task::{Executor, Task, TaskPtr};

/// After so many tasks in a row that set each other free, the worker looks at its ring first.
const STREAK: u32 = 256;

/// Runs pieces; a panic is a failure.
fn run_pieces(launch: &Arc<dyn Launch>, first: u64, count: u64, lane: Lane) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| launch.run(first, count, lane))) {
        Ok(result) => result.map_err(Arc::new),
        Err(payload) => Err(release::panicked(payload.as_ref())),
    }
}

/// Runs work of one piece; now and then it is measured.
fn run_single(launch: &Arc<dyn Launch>, number: u64, lane: Lane) -> Outcome {
    let Some(history) = launch.history().filter(|history| history.begin(number)) else {
        return run_pieces(launch, 0, 1, lane);
    };
    let begin = Instant::now();
    let outcome = run_pieces(launch, 0, 1, lane);
    if outcome.is_ok() {
        history.end_whole(begin.elapsed());
    } else {
        history.give_up();
    }
    outcome
}

/// Runs some of all pieces of a launch that is being measured.
fn measure_pieces(launch: &Arc<dyn Launch>, all: u64, first: u64, count: u64, lane: Lane) -> Outcome {
    let begin = Instant::now();
    let outcome = run_pieces(launch, first, count, lane);
    if let Some(history) = launch.history() {
        history.part(all, first, begin.elapsed());
    }
    outcome
}

/// A task that a worker executes next.
#[derive(Clone, Copy)]
struct Next {
    task: TaskPtr,
    /// It was offered to others already, so it goes into no list, and this worker takes part in it with a reference of
    /// its own.
    open: bool,
}

impl Core {
    /// Executes a task and what it sets free, as long as one follows the other, or until `enough`.
    pub(super) fn run(&self, local: &Local, first: TaskPtr, enough: impl Fn() -> bool) {
        let _entered = self.enter(local.slot);
        let mut next = self.step(local, Next { task: first, open: false }, &enough);
        let mut streak = 0;
        while let Some(found) = next {
            streak += 1;
            if (streak >= STREAK || enough()) && self.leave(local, found, 1) {
                return;
            }
            next = self.step(local, found, &enough);
        }
    }

    /// Leaves a task to others, who are told of so many. Whether there was room for it; there is none only
    /// for one that was offered already, and then others have enough to do.
    fn leave(&self, local: &Local, next: Next, amount: usize) -> bool {
        if !next.open {
            self.push_own(local.slot, TaskList::of(next.task));
            self.tell(amount);
            return true;
        }
        // This worker's reference becomes that of one more offer.
        let room = self.rings[local.slot].push(next.task).is_ok();
        if room {
            self.tell(MANY);
        }
        room
    }

    /// Executes one task; returns one that it set free. The others go to this worker's ring, where they find what
    /// they read still in the cache.
    fn step(&self, local: &Local, found: Next, enough: &impl Fn() -> bool) -> Option<Next> {
        let at = found.task;
        // What comes next is likely to lie in another worker's cache, and comes here while this one runs.
        self.rings[local.slot].peek().inspect(|next| next.prefetch());
        let mut released = Released::default();
        // SAFETY: whoever takes a task from a ready queue has the reference that came with it.
        let task = unsafe { at.get() };
        if task.groups == 1 {
            self.begin(task);
            task.executed.prefetch();
            let outcome = task.body.with(|body| {
                // SAFETY: the body is set before the task is ready; only its one executor uses it, until it ends.
                let launch = unsafe { (*body).as_ref() };
                // The count of its owners, which the enqueuer wrote, changes when this has run.
                launch.inspect(|launch| {
                    crate::shim::prefetch_to_write(Arc::as_ptr(launch).cast::<[usize; 2]>().wrapping_sub(1))
                });
                launch.map_or(Ok(()), |launch| run_single(launch, task.id.0, Lane { index: local.slot }))
            });
            self.finish_times(task, Some(local.slot));
            release::end(at, &outcome, &mut released);
        } else if task.executor == Executor::Relay {
            release::end(at, &Ok(()), &mut released);
        } else {
            self.take_part(local, found, &mut released, enough);
        }
        // Others begin with what was set free before this thread tidies up, which may set free more.
        release::settle_nested(&mut released, true);
        let next = self.hand_out(local, &mut released, None);
        // SAFETY: a ready task has a reference that comes with it.
        let open = next.is_some_and(|next| self.is_shared(unsafe { next.get() }));
        next.filter(|_| open).inspect(|next| self.open(local, *next));
        release::settle_nested(&mut released, false);
        let mut next = self.hand_out(local, &mut released, next).map(|task| Next { task, open });
        // Callbacks may take long.
        if released.has_callbacks()
            && let Some(found) = next
            && self.leave(local, found, 2)
        {
            next = None;
        }
        released.call();
        next
    }

    /// Lets other workers have what was set free, but for the task that this one executes next, if it has none.
    fn hand_out(&self, local: &Local, released: &mut Released, next: Option<TaskPtr>) -> Option<TaskPtr> {
        released.give_to_callers();
        if released.ready.is_empty() && released.relays.is_empty() {
            return next;
        }
        if next.is_none()
            && released.ready.len() == 1
            && released.relays.is_empty()
            && !released.has_callbacks()
        {
            return released.ready.pop();
        }
        let mut rest = weight::deal(std::mem::take(&mut released.ready), self.workers);
        let next = next.or_else(|| if released.has_callbacks() { None } else { rest.pop() });
        let relays = std::mem::take(&mut released.relays);
        if !rest.is_empty() || !relays.is_empty() {
            // The worker takes one of them itself if it has nothing to do next.
            let others = rest.len() + relays.len() + usize::from(next.is_some());
            let worth = self.worth_waking(&rest).max(self.worth_waking(&relays));
            self.push_own(local.slot, rest);
            if !relays.is_empty() {
                // Groups begin in their order, each when a worker has nothing else left.
                self.inject.push(weight::longest_first(relays));
            }
            self.tell_at_once(others.max(2), worth);
        }
        next
    }

    fn begin(&self, task: &Task) {
        if task.profiled {
            task.times.started.store(self.now(), Ordering::Relaxed);
        }
        if task.state.set(Snapshot::RUNNING).has_early_callbacks() {
            release::early_callbacks(task);
        }
    }

    /// Whether several workers execute a task.
    fn is_shared(&self, task: &Task) -> bool {
        self.workers > 1 && task.groups > 1 && task.executor == Executor::Workers
    }

    /// Begins a launch of many pieces and offers it to others. The caller, its first executor, has the scheduler's
    /// reference. Here it takes one for itself, since one of the others may end the task; every offer has a reference of
    /// its own.
    fn open(&self, local: &Local, at: TaskPtr) {
        // SAFETY: the caller's reference.
        let task = unsafe { at.get() };
        self.begin(task);
        self.consult(task);
        // Two, so that those who take them offer to others in turn and soon all know.
        let offers = if self.workers > 2 { 2 } else { 1 };
        // SAFETY: a reference is held.
        unsafe { at.retain(offers + 1) };
        task.state.set(Snapshot::OFFERED);
        for _ in 0..offers {
            self.offer(local, at);
        }
    }

    /// Executes pieces of a launch, beside others who may do so too, until none is left or until `enough`: then others go
    /// on. The last one to finish ends the task.
    fn take_part(&self, local: &Local, found: Next, released: &mut Released, enough: &impl Fn() -> bool) {
        let at = found.task;
        // SAFETY: whoever takes a task from a ready queue has the reference that came with it.
        let task = unsafe { at.get() };
        let shared = self.is_shared(task);
        let offered_to_this = shared && !found.open && task.state.load().is_offered();
        if !shared {
            self.begin(task);
        } else if !found.open && !offered_to_this {
            self.open(local, at);
        }
        // Of two workers the one that was offered the launch has nobody to offer it to.
        let mut offered = !offered_to_this || self.workers == 2;
        // Set before the launch was offered, which was seen.
        let order = PartOrder::from_bits(task.order.load(Ordering::Relaxed));
        let measured = task.measured.load(Ordering::Relaxed);
        let mut finished = 0;
        let watched = if task.profiled { self.observer.as_ref() } else { None };
        let started = watched.map_or(0, |_| self.now());
        while let Some((position, count)) = self.take_pieces(task, order) {
            if !offered && position + count < task.groups {
                offered = true;
                // SAFETY: a reference is held.
                unsafe { at.retain(2) };
                self.offer(local, at);
                self.offer(local, at);
            }
            let first = order.map_or(position, |order| order.locate(task.groups, position).0);
            let lane = Lane { index: local.slot };
            let outcome = task.body.with(|body| {
                // SAFETY: the body stays until all pieces are finished, and these are not.
                match unsafe { (*body).as_ref() } {
                    Some(launch) if measured => measure_pieces(launch, task.groups, first, count, lane),
                    Some(launch) => run_pieces(launch, first, count, lane),
                    None => Ok(()),
                }
            });
            finished += count;
            if let Err(cause) = outcome {
                task.blame(&cause);
                // Nobody takes the pieces that are left; they count as finished.
                let taken = task.taken.swap(task.groups, Ordering::AcqRel);
                finished += task.groups - taken;
            } else if shared && position + count < task.groups && enough() && self.hand_over(local, at) {
                break;
            }
        }
        if let Some(observer) = watched
            && finished > 0
        {
            let (lane, ended) = (local.slot, self.now());
            observer.share(&ShareRecord { event: task.id, lane, groups: finished, started, ended });
        }
        // Release passes on what the pieces wrote; acquire collects it for whoever ends the task.
        if finished > 0 && task.finished.fetch_add(finished, Ordering::AcqRel) + finished == task.groups {
            if measured {
                Self::remember(task);
            }
            self.finish_times(task, Some(local.slot));
            release::end(at, &Ok(()), released);
        }
        if shared {
            // SAFETY: taken by `open`, or it came with the offer.
            unsafe { at.release() };
        }
    }

    /// Leaves the rest of a launch, which the caller takes part in, to the pool's threads. Whether they will find it.
    fn hand_over(&self, local: &Local, at: TaskPtr) -> bool {
        if !self.has_threads() {
            return false;
        }
        // SAFETY: a reference is held; this one goes with the offer.
        unsafe { at.retain(1) };
        let left = self.leave(local, Next { task: at, open: true }, MANY);
        if !left {
            // SAFETY: the offer's reference, which nobody else has seen.
            unsafe { at.release() };
        }
        left
    }

    /// Asks what is known of a launch that is about to be executed by several workers. The caller is the first of them,
    /// and the others do not know of it yet.
    fn consult(&self, task: &Task) {
        task.body.with(|body| {
            // SAFETY: the body is set before the task is ready, and stays until it ends.
            let launch = unsafe { (*body).as_ref() };
            if let Some(history) = launch.and_then(|launch| launch.history()) {
                task.order.store(history.order().to_bits(), Ordering::Relaxed);
                task.measured.store(history.begin(task.id.0), Ordering::Relaxed);
            }
        });
    }

    /// Keeps what was measured of a launch. The caller is the last of its executors.
    fn remember(task: &Task) {
        task.body.with(|body| {
            // SAFETY: the body stays until the task ends, which the caller is about to do.
            let launch = unsafe { (*body).as_ref() };
            if let Some(history) = launch.and_then(|launch| launch.history()) {
                if task.has_cause() {
                    history.give_up();
                } else {
                    history.end(task.groups);
                }
            }
        });
    }

    /// Puts an offer of pieces, with its reference, where other workers find it. Offers live in rings only: a task may
    /// be offered more than once, so it cannot be linked into a list.
    fn offer(&self, local: &Local, at: TaskPtr) {
        match self.rings[local.slot].push(at) {
            Ok(()) => self.tell(MANY),
            // Others have more than enough to take from this ring.
            // SAFETY: the offer's reference, which nobody else has seen.
            Err(at) => unsafe { at.release() },
        }
    }

    /// Takes the next pieces: neighbours, many at first and few at the end. Of a launch of equal pieces no worker
    /// takes more than its share; of an unequal one the last pieces balance. Where there is an order of parts, the
    /// result is a position in it, and the pieces are of one part.
    fn take_pieces(&self, task: &Task, order: Option<PartOrder>) -> Option<(u64, u64)> {
        let workers = self.workers as u64;
        let mut taken = task.taken.load(Ordering::Relaxed);
        loop {
            let left = task.groups - taken;
            if left == 0 {
                return None;
            }
            let mut count = if workers == 1 || task.executor == Executor::Caller {
                left
            } else {
                (left / (2 * workers)).min(task.groups / (8 * workers)).max(1)
            };
            if let Some(order) = order {
                count = count.min(order.locate(task.groups, taken).1);
            }
            // What the pieces read was published with the task; the counter itself publishes nothing.
            match task.taken.compare_exchange_weak(taken, taken + count, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Some((taken, count)),
                Err(now) => taken = now,
            }
        }
    }
}
