//! Executing tasks: whole ones, and launches of many pieces by several workers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use oxcl_driver::error::Outcome;
use oxcl_driver::history::{DIFFERENT, PartOrder, VERY_DIFFERENT};
use oxcl_driver::{Lane, Launch};

use super::board::Claim;
use super::cut::Cut;
use super::{Core, Local, MANY, Told, weight};
use crate::faults;
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
        // Where there is no memory to keep what went wrong, that went wrong.
        Ok(result) => {
            result.map_err(|cause| faults::try_arc(cause).unwrap_or_else(|_| release::out_of_memory()))
        }
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

/// Executes neighbouring runs of pieces of a launch, and measures how long they take if it is said to.
fn execute_runs(
    launch: &Arc<dyn Launch>,
    task: &Task,
    first: u64,
    count: u64,
    lane: Lane,
    measured: bool,
) -> Outcome {
    let begin = measured.then(Instant::now);
    let (piece, pieces) = task.pieces_of(first, count);
    let outcome = run_pieces(launch, piece, pieces, lane);
    if let (Some(begin), Some(history)) = (begin, launch.history()) {
        history.part(task.runs(), first, begin.elapsed());
    }
    outcome
}

/// What a worker has found to do.
#[derive(Clone, Copy)]
pub(super) enum Found {
    /// Execute a ready task, which nobody else sees.
    Task(TaskPtr),
    /// Execute a chunk of what stands on the board.
    Chunk(Claim),
}

/// What a worker does after that, which set it free. Two words, so that it stays in registers from step to step.
#[derive(Clone, Copy)]
enum Next {
    /// As [`Found::Task`].
    Task(TaskPtr),
    /// Take part in what stands at a place of the board, if anything is left of it.
    Open(usize),
}

impl Core {
    /// Executes what a worker has found and what that sets free, as long as one follows the other, or until `enough`.
    pub(super) fn run(&self, local: &Local, first: Found, enough: impl Fn() -> bool) {
        let _entered = self.enter(local.slot);
        let mut next = match first {
            Found::Task(at) => self.step(local, Next::Task(at), &enough),
            Found::Chunk(claim) => {
                let mut released = Released::default();
                self.take_part(local, claim, &mut released, &enough);
                self.conclude_step(local, &mut released)
            }
        };
        let mut streak = 0;
        while let Some(found) = next {
            streak += 1;
            if streak >= STREAK || enough() {
                self.leave(local, found, 1);
                break;
            }
            let executes = matches!(found, Next::Task(_));
            next = self.step(local, found, &enough);
            // What follows from a task of a row may take any time, and be of another queue.
            if executes && next.is_some() {
                self.report(local);
            }
        }
    }

    /// Leaves what this worker was about to do to others, who are told of so many.
    fn leave(&self, local: &Local, next: Next, amount: usize) {
        match next {
            Next::Task(task) => {
                self.push_own(local.slot, TaskList::of(task));
                self.tell(amount);
            }
            // It stands on the board.
            Next::Open(_) => self.tell(MANY),
        }
    }

    /// Executes one task, or takes part in one; returns what it set free.
    fn step(&self, local: &Local, next: Next, enough: &impl Fn() -> bool) -> Option<Next> {
        // What comes next is likely to lie in another worker's cache, and comes here while this one runs.
        self.rings[local.slot].peek().inspect(|next| next.prefetch());
        let mut released = Released::default();
        match next {
            Next::Task(at) => self.execute(local, at, &mut released, enough),
            Next::Open(place) => {
                // This is not the row that it has told a part of.
                self.report(local);
                if let Some(claim) = self.board.claim(place, local.slot) {
                    self.take_part(local, claim, &mut released, enough);
                }
            }
        }
        self.conclude_step(local, &mut released)
    }

    /// Hands out what was set free, tidies up, and calls callbacks. Returns what this worker does next; the other tasks go to
    /// its ring, where they find what they read still in the cache.
    fn conclude_step(&self, local: &Local, released: &mut Released) -> Option<Next> {
        if !released.is_settled(true) {
            // A join that ends mostly has a row.
            self.board.prefetch_place(local.slot);
        }
        // Others begin with it before this thread tidies up, which may set free more.
        release::settle_nested(released, true);
        let mut next = self.hand_out(local, released, None);
        if let Some(Next::Task(task)) = next
            && let Some(place) = self.open(local, task)
        {
            next = Some(Next::Open(place));
        }
        release::settle_nested(released, false);
        next = self.hand_out(local, released, next);
        // Callbacks may take long.
        if released.has_callbacks()
            && let Some(found) = next.take()
        {
            self.leave(local, found, 2);
        }
        released.call();
        next
    }

    /// Executes a ready task; one that several workers can have a part of, with them.
    fn execute(&self, local: &Local, at: TaskPtr, released: &mut Released, enough: &impl Fn() -> bool) {
        // SAFETY: whoever takes a task from a ready queue has the reference that came with it.
        let task = unsafe { at.get() };
        if weight::is_for_many(at) {
            if let Some(place) = self.open(local, at) {
                if let Some(claim) = self.board.claim(place, local.slot) {
                    self.take_part(local, claim, released, enough);
                }
                return;
            }
            if task.executor == Executor::Row {
                released.tell(task, 0..task.rare.row.len());
                released.told(at);
                return;
            }
        }
        self.begin(task);
        task.executed.prefetch();
        let outcome = task.body.with(|body| {
            // SAFETY: the body is set before the task is ready; only its one executor uses it, until it ends.
            let launch = unsafe { (*body).as_ref() };
            // The count of its owners, which the enqueuer wrote, changes when this has run.
            launch.inspect(|launch| {
                crate::shim::prefetch_to_write(Arc::as_ptr(launch).cast::<[usize; 2]>().wrapping_sub(1))
            });
            let lane = Lane { index: local.slot };
            match launch {
                Some(launch) if task.groups == 1 => run_single(launch, task.id.0, lane),
                Some(launch) => run_pieces(launch, 0, task.groups, lane),
                None => Ok(()),
            }
        });
        self.finish_times(task, Some(local.slot));
        release::end(at, &outcome, released);
    }

    /// Lets other workers have what was set free, but for what this one does next, if it has nothing to do.
    #[inline]
    fn hand_out(&self, local: &Local, released: &mut Released, next: Option<Next>) -> Option<Next> {
        released.give_to_callers();
        let mut next = next;
        if next.is_none() && released.ready.len() == 1 && !released.has_callbacks() {
            next = released.ready.pop().map(Next::Task);
        }
        // Mostly, as in a chain, nothing is left for others.
        if released.ready.is_empty() && released.rows.is_empty() {
            return next;
        }
        self.share_out(local, released, next)
    }

    /// As [`Core::hand_out`], where something is left for others.
    #[inline(never)]
    fn share_out(&self, local: &Local, released: &mut Released, mut next: Option<Next>) -> Option<Next> {
        while let Some(row) = released.rows.pop() {
            match self.open(local, row) {
                Some(place) if next.is_none() => next = Some(Next::Open(place)),
                Some(_) => {}
                // Somebody tries again, or tells it all.
                None => {
                    self.inject.push(TaskList::of(row));
                    self.tell(MANY);
                }
            }
        }
        if released.ready.is_empty() {
            return next;
        }
        let mut rest = weight::deal(std::mem::take(&mut released.ready), self.workers);
        let next = next.or_else(|| if released.has_callbacks() { None } else { rest.pop().map(Next::Task) });
        if !rest.is_empty() {
            // The worker takes one of them itself if it has nothing to do next.
            let others = rest.len() + usize::from(next.is_some());
            let worth = self.worth_waking(&rest);
            self.push_own(local.slot, rest);
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

    /// Puts a ready task on the board, if several workers can have a part of it and there is a place. The place; the
    /// caller has no part yet.
    fn open(&self, local: &Local, at: TaskPtr) -> Option<usize> {
        // SAFETY: whoever takes a task from a ready queue has the reference that came with it.
        let task = unsafe { at.get() };
        if self.workers == 1 {
            return None;
        }
        let has_row = task.executor == Executor::Row;
        if !has_row && (task.groups == 1 || task.executor != Executor::Workers) {
            return None;
        }
        let place = self.board.reserve(local.slot, at)?;
        let worth = self.worth_waking_for(weight::nanoseconds(task.weight.load(Ordering::Relaxed)));
        let deal = if has_row {
            task.rare.row.arrange(self.workers)
        } else {
            self.begin(task);
            self.consult(task);
            self.cut(task).deal()
        };
        self.board.publish(place, deal);
        self.tell_at_once(usize::try_from(deal.chunks()).unwrap_or(MANY), worth);
        Some(place)
    }

    /// How a launch on the board, or about to be there, is cut. Its parts have owners if their order is the natural one: one
    /// in which others come first balances by that.
    fn cut(&self, task: &Task) -> Cut {
        // Written before the launch was put on the board.
        let order = PartOrder::from_bits(task.order.load(Ordering::Relaxed));
        let order = order.is_none_or(|order| order == PartOrder::NATURAL);
        // Set before the task was ready.
        let time = weight::known(task.weight.load(Ordering::Relaxed));
        Cut::new(task.runs(), self.workers, order, time)
    }

    /// Takes part in what stands on the board, with a chunk that was taken of it, until none is left or until `enough`:
    /// then others go on. The last one to finish ends the task.
    fn take_part(&self, local: &Local, claim: Claim, released: &mut Released, enough: &impl Fn() -> bool) {
        // SAFETY: the task does not end before the chunk was reported, which happens below.
        let task = unsafe { claim.task.get() };
        if task.executor == Executor::Row {
            local.place.set(Some(claim.place));
            self.tell_chunk(local, task, claim, released);
        } else {
            self.run_chunks(local, task, claim, released, enough);
        }
    }

    /// Tells the tasks of one chunk of a row. The caller executes them before it takes another.
    fn tell_chunk(&self, local: &Local, task: &Task, claim: Claim, released: &mut Released) {
        let row = &task.rare.row;
        let places = row.chunk(claim.chunk, self.workers);
        released.tell(task, places.clone());
        row.prefetch_next(claim.chunk, &places, local.slot, self.workers);
        // The counter is everybody's: who takes several chunks of a row writes it once.
        let before = local.told.take();
        debug_assert!(
            before.is_none_or(|told| told.row == claim.task),
            "what was told of another row was reported"
        );
        let count = before.map_or(0, |told| told.count) + u64::from(places.end - places.start);
        local.told.set(Some(Told { place: claim.place, row: claim.task, count }));
    }

    /// Reports what this worker has told of a row: before it does anything but to execute that, and before it does nothing.
    #[inline]
    pub(super) fn report(&self, local: &Local) {
        let Some(Told { place, row, count }) = local.told.take() else { return };
        // SAFETY: the row does not end before the caller's part of it was reported, which happens here.
        let task = unsafe { row.get() };
        let all = u64::from(task.rare.row.len());
        // Acquire and release: whoever tells the last frees what the others have read.
        if task.finished.fetch_add(count, Ordering::AcqRel) + count == all {
            self.board.close(place);
            release::let_go(row);
        }
    }

    /// Executes chunks of a launch.
    fn run_chunks(
        &self,
        local: &Local,
        task: &Task,
        claim: Claim,
        released: &mut Released,
        enough: &impl Fn() -> bool,
    ) {
        let cut = self.cut(task);
        let watched = if task.profiled { self.observer.as_ref() } else { None };
        let started = watched.map_or(0, |_| self.now());
        let mut finished = 0;
        let mut next = Some(claim);
        while let Some(Claim { place, chunk, .. }) = next {
            let (first, count) = cut.chunk(chunk);
            let outcome = self.run_chunk(local, task, first, count);
            finished += count;
            if let Err(cause) = outcome {
                task.blame(&cause);
                // Nobody takes the chunks that are left; their pieces count as finished.
                let rest = self.board.claim_rest(place, |owned| finished += cut.chunk(owned).1);
                finished += rest.map_or(0, |rest| task.runs() - cut.chunk(rest).0);
            } else if enough() && self.board.has_chunks(place) && self.has_threads() {
                self.tell(MANY);
                break;
            }
            // Of the same launch, as it does not end before what was executed here is reported.
            next = self.board.claim_next(place, local.slot);
        }
        if let Some(observer) = watched
            && finished > 0
        {
            let (lane, ended) = (local.slot, self.now());
            let (_, groups) = task.pieces_of(0, finished);
            observer.share(&ShareRecord { event: task.id, lane, groups, started, ended });
        }
        // Read before this thread's part is reported: after that another one may end the task, and its record be a new one.
        let runs = task.runs();
        // Release passes on what the pieces wrote; acquire collects it for whoever ends the task.
        if task.finished.fetch_add(finished, Ordering::AcqRel) + finished == runs {
            if task.measured.load(Ordering::Relaxed) {
                Self::remember(task);
            }
            self.finish_times(task, Some(local.slot));
            self.board.close(claim.place);
            release::end(claim.task, &Ok(()), released);
        }
    }

    /// Executes neighbouring runs in the order of the launch's parts, if it has one.
    fn run_chunk(&self, local: &Local, task: &Task, first: u64, count: u64) -> Outcome {
        let lane = Lane { index: local.slot };
        // Written before the launch was put on the board.
        let order = PartOrder::from_bits(task.order.load(Ordering::Relaxed));
        let measured = task.measured.load(Ordering::Relaxed);
        // What is measured belongs to one part.
        let order = order.filter(|order| measured || *order != PartOrder::NATURAL);
        task.body.with(|body| {
            // SAFETY: the body stays until all pieces are finished, and these are not.
            let Some(launch) = (unsafe { (*body).as_ref() }) else { return Ok(()) };
            let Some(order) = order else { return execute_runs(launch, task, first, count, lane, false) };
            let (mut position, end) = (first, first + count);
            while position < end {
                let (run, follow) = order.locate(task.runs(), position);
                let count = follow.min(end - position);
                execute_runs(launch, task, run, count, lane, measured)?;
                position += count;
            }
            Ok(())
        })
    }

    /// Asks what is known of a launch that is about to be executed by several workers. The caller is the first of them,
    /// and the others do not know of it yet.
    fn consult(&self, task: &Task) {
        task.body.with(|body| {
            // SAFETY: the body is set before the task is ready, and stays until it ends.
            let launch = unsafe { (*body).as_ref() };
            if let Some(history) = launch.and_then(|launch| launch.history()) {
                // Those with owners keep them unless their parts differ by far.
                let different =
                    if Cut::may_have_owners(task.runs(), self.workers) { VERY_DIFFERENT } else { DIFFERENT };
                task.order.store(history.order(different).to_bits(), Ordering::Relaxed);
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
                    history.end(task.runs());
                }
            }
        });
    }
}
