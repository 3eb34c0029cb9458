//! What happens when a task ends: whoever waits is told, what became ready is collected, and what needs no execution
//! (joins, markers, commands that fail with what they depend on) ends in the same loop. Nothing here recurses, however
//! long the chain, and no lock is held while a callback, a driver or a destructor runs.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use oxcl_driver::error::Outcome;
use oxcl_driver::{Failure, Submission};

use crate::device::Ticket;
use crate::event::Stage;
use crate::faults;
use crate::pool::{Core, weight};
use crate::shim::Ordering;
use crate::task::callback::Callbacks;
use crate::task::list::TaskList;
use crate::task::notice::{Delivery, Entries};
use crate::task::state::Snapshot;
use crate::task::{Executor, Role, Task, TaskPtr};

/// A row of so many tasks is told by several workers, where there are several; fewer tasks are told sooner than others
/// have found the row.
const SHARED: u32 = if cfg!(loom) {
    1
} else if cfg!(test) {
    2
} else {
    6
};

/// Tasks that are brought to this processor before they are told: about as many as it can fetch at the same time.
const PREFETCHED: usize = 4;

/// Where one thread retires more tasks than these one after the other, it is likely to go on.
const RETIRED_IN_A_ROW: usize = 2;

/// What the ends of tasks have set free.
#[derive(Default)]
pub(crate) struct Released {
    /// For the workers, oldest first.
    pub(crate) ready: TaskList,
    /// Ended, with rows of tasks for the workers to tell.
    pub(crate) rows: TaskList,
    /// For threads of the host program.
    callers: TaskList,
    /// Ready, but there is nothing to execute.
    instant: TaskList,
    /// Ready, to be submitted to drivers.
    device: TaskList,
    /// Executed, and this thread's to retire.
    retiring: TaskList,
    /// Joins and user events that everyone was told of: what is left is to let go of them.
    over: TaskList,
    /// To be called, in the order of the completions.
    callbacks: Callbacks,
    /// To be told that they wait for one event less, and which.
    notify: Vec<(Arc<Ticket>, oxcl_driver::EventId)>,
}

/// What one delivery has set free for the workers.
#[derive(Default)]
struct Ready {
    tasks: TaskList,
    callers: TaskList,
}

impl Released {
    /// Takes a task whose `pending` reached zero.
    pub(crate) fn add(&mut self, task: TaskPtr) {
        let list = self.list_for(task);
        list.push(task);
    }

    fn list_for(&mut self, task: TaskPtr) -> &mut TaskList {
        // SAFETY: a ready task holds the scheduler's reference until it ends.
        let record = unsafe { task.get() };
        match record.executor {
            _ if record.has_cause() => &mut self.instant,
            Executor::Nobody | Executor::Row => &mut self.instant,
            Executor::Workers => &mut self.ready,
            Executor::Caller => &mut self.callers,
            // A driver that orders commands is told, and gets nothing here.
            Executor::Driver | Executor::OrderingDriver => &mut self.device,
        }
    }

    /// Tells everyone in `entries` that `task` got there. Returns the next task of the queue, if it is among them.
    fn deliver(&mut self, entries: Entries, task: &Task) -> Option<TaskPtr> {
        let cause = task.cause();
        let mut chain = None;
        let mut ready = Ready::default();
        let mut callbacks = Callbacks::EMPTY;
        for delivery in entries {
            match delivery {
                Delivery::Order(target) => self.arrive(target, task, &mut ready),
                Delivery::Depend(target) => {
                    blame(target, cause.as_ref());
                    self.arrive(target, task, &mut ready);
                }
                Delivery::Join(target) => {
                    blame(target, cause.as_ref());
                    // Nothing of it is read before: that would fetch the line twice, which all want who end.
                    if count_down(target) {
                        self.add(target);
                    }
                }
                Delivery::Chain(target) => chain = Some(target),
                Delivery::Callback(mut callback) => {
                    callback.ended = Some((task.id, task.outcome()));
                    // The newest entry comes first.
                    callbacks.push_front(callback);
                }
                Delivery::Thread(parker) => parker.unpark(),
            }
        }
        self.callbacks.append(callbacks);
        self.take_over(ready);
        chain
    }

    fn take_over(&mut self, ready: Ready) {
        self.ready.append(ready.tasks);
        self.callers.append(ready.callers);
    }

    /// Tells those at some places of an ended task's row.
    pub(crate) fn tell(&mut self, task: &Task, places: Range<u32>) {
        let cause = task.cause();
        let mut ready = Ready::default();
        let row = &task.rare.row;
        let mut ahead = places.clone().rev().skip(PREFETCHED);
        for place in places.clone().rev().take(PREFETCHED) {
            row.at(place).inspect(|task| task.prefetch());
        }
        for place in places.rev() {
            ahead.next().and_then(|place| row.at(place)).inspect(|task| task.prefetch());
            let Some(target) = row.at(place) else { continue };
            blame(target, cause.as_ref());
            self.arrive(target, task, &mut ready);
        }
        self.take_over(ready);
    }

    /// The row of a task that has ended is told completely.
    pub(crate) fn told(&mut self, at: TaskPtr) {
        self.over.push(at);
    }

    /// `target` waits for one event less. Ready tasks go to the front of `ready`, as entries come newest first.
    fn arrive(&mut self, target: TaskPtr, ended: &Task, ready: &mut Ready) {
        // SAFETY: the target cannot end before this entry was delivered, which the decrement below does.
        let record = unsafe { target.get() };
        let ticket = if record.executor == Executor::OrderingDriver { record.ticket() } else { None };
        let last = count_down(target);
        if let Some(ticket) = ticket {
            self.notify_next(ticket, ended.id);
        } else if last {
            if record.profiled {
                // SAFETY: the queue is alive until the task retires, which it cannot before it is executed.
                let core = unsafe { &(*record.queue).core };
                record.times.submitted.store(core.now(), Ordering::Relaxed);
            }
            match record.executor {
                _ if record.has_cause() => self.add(target),
                Executor::Workers => ready.tasks.push_front(target),
                Executor::Caller => ready.callers.push_front(target),
                _ => self.add(target),
            }
        }
    }

    /// Everything that needs no worker, until nothing of it is left. What only tidies up is left for a second call if
    /// there are workers to be told `first`.
    fn settle(&mut self, first: bool) {
        loop {
            if let Some(task) = self.instant.pop() {
                end(task, &Ok(()), self);
            } else if let Some(task) = self.device.pop() {
                crate::device::submit(task, self);
            } else if let Some((ticket, event)) = self.notify.pop() {
                crate::device::notify(&ticket, event, self);
            } else if first || !self.tidy() {
                return;
            }
        }
    }

    /// Retires, and lets go of what is over. Whether there was any.
    fn tidy(&mut self) -> bool {
        let mut any = false;
        loop {
            if let Some(task) = self.retiring.pop() {
                retire(task, self);
            } else if let Some(task) = self.over.pop() {
                let_go(task);
            } else {
                return any;
            }
            any = true;
        }
    }

    /// Whether [`Released::settle`] has nothing to do.
    pub(crate) fn is_settled(&self, first: bool) -> bool {
        self.instant.is_empty()
            && self.device.is_empty()
            && self.notify.is_empty()
            && (first || (self.retiring.is_empty() && self.over.is_empty()))
    }

    /// Tells a driver, at the next settling, that what it was given is entered completely.
    pub(crate) fn notify_later(&mut self, ticket: Arc<Ticket>) {
        let event = ticket.event();
        self.notify_next(ticket, event);
    }

    /// Notes that a driver is to be told; it is told at once where there is no memory for the note.
    fn notify_next(&mut self, ticket: Arc<Ticket>, event: oxcl_driver::EventId) {
        if faults::reserve(&mut self.notify, 1).is_ok() {
            self.notify.push((ticket, event));
        } else {
            crate::device::notify(&ticket, event, self);
        }
    }

    /// Puts what is for threads of the host program where they find it.
    pub(crate) fn give_to_callers(&mut self) {
        while let Some(task) = self.callers.pop() {
            core_of(task).accept_for_callers(task);
        }
    }

    pub(crate) fn has_callbacks(&self) -> bool {
        !self.callbacks.is_empty()
    }

    /// Calls the callbacks. They were taken out of their events before, and nothing is locked. What a callback sets
    /// free is called after it, not within it.
    pub(crate) fn call(&mut self) {
        if self.callbacks.is_empty() {
            return;
        }
        let mut mine = std::mem::take(&mut self.callbacks);
        let outer = CALLING.with(|calling| match &mut *calling.borrow_mut() {
            Some(waiting) => {
                waiting.append(std::mem::take(&mut mine));
                false
            }
            waiting => {
                *waiting = Some(ManuallyDrop::new(Callbacks::EMPTY));
                true
            }
        });
        if !outer {
            return;
        }
        while !mine.is_empty() {
            while let Some(mut callback) = mine.pop() {
                if let Some((event, outcome)) = callback.ended.take() {
                    // A callback that panics has nobody to tell; the other callbacks and commands go on.
                    let _ = catch_unwind(AssertUnwindSafe(|| callback.call(event, &outcome)));
                }
            }
            mine = CALLING
                .with(|calling| calling.borrow_mut().as_mut().map(|waiting| std::mem::take(&mut **waiting)))
                .unwrap_or_default();
        }
        CALLING.with(|calling| *calling.borrow_mut() = None);
    }
}

crate::shim::per_thread! {
    /// Callbacks that were set free while this thread is in a callback. Empty at the thread's end, so nothing of it is to be
    /// dropped then: the system would need memory to remember that.
    static CALLING: RefCell<Option<ManuallyDrop<Callbacks>>> = RefCell::new(None);
}

/// A failure, if there was one, passes on to a task that is about to be told.
fn blame(target: TaskPtr, cause: Option<&Arc<Failure>>) {
    if let Some(cause) = cause {
        // SAFETY: the target cannot end before it was told.
        unsafe { target.get() }.blame(cause);
    }
}

/// A task waits for one event less. Whether that was the last; where it was not, the task may end now.
fn count_down(target: TaskPtr) -> bool {
    // SAFETY: the target cannot end before this was counted.
    let pending = unsafe { &target.get().pending };
    // Release passes on what this thread saw; acquire collects it from everyone before.
    pending.fetch_sub(1, Ordering::AcqRel) == 1
}

/// A task that nobody waits for yet ends.
pub(crate) fn end_unheard(at: TaskPtr) {
    let mut released = Released::default();
    end(at, &Ok(()), &mut released);
    released.settle(false);
}

/// A task that was executed (or needs no execution) ends: those who wait for it are told. The caller is its only
/// executor left. Settling `released` does the rest.
pub(crate) fn end(at: TaskPtr, outcome: &Outcome, released: &mut Released) {
    // SAFETY: the scheduler's reference is held until `retire` or `let_go`.
    let task = unsafe { at.get() };
    // SAFETY: the list is closed below.
    unsafe { task.executed.prefetch_target() };
    // The work and all that it holds go before anyone hears of the end. Joins and user events have none, and nothing is read of
    // where it would be: workers wait for their ends.
    if matches!(task.role, Role::InOrder | Role::OutOfOrder) {
        // SAFETY: the caller is the only executor left, and nobody else reads the body.
        let body = task.body.with_mut(|body| unsafe { (*body).take() });
        if body.is_some() {
            let _ = catch_unwind(AssertUnwindSafe(|| drop(body)));
        }
        task.clear_ticket();
    }
    if let Err(cause) = outcome {
        task.blame(cause);
    }
    match task.role {
        Role::InOrder => {
            // A command without work was never begun. Set before the look at the callbacks below: whoever registers one
            // too late for that look sees the bit, and calls it.
            if !task.state.load().is_running() {
                task.state.set(Snapshot::RUNNING);
            }
            let entries = task.executed.close();
            released.deliver(entries, task);
        }
        Role::OutOfOrder => {
            end_without_work(task);
            task.state.set(Snapshot::COMPLETE);
            let entries = task.executed.close();
            released.deliver(entries, task);
        }
        Role::Join | Role::User => {
            task.state.set(Snapshot::COMPLETE.and(Snapshot::EXECUTED).and(Snapshot::RETIRED));
            let waiting = task.rare.row.close();
            let shared = waiting >= SHARED && task.executor == Executor::Row;
            if !shared {
                released.tell(task, 0..waiting);
            }
            let entries = task.executed.close();
            released.deliver(entries, task);
            if shared {
                task.weight.store(weight::of_work(task.rare.row.nanoseconds()), Ordering::Relaxed);
                released.rows.push(at);
            } else {
                released.told(at);
            }
            return;
        }
    }
    early_callbacks(task);
    // From here on another thread may retire the task, unless it is up to this one.
    if task.state.set(Snapshot::EXECUTED).is_before_retired() {
        released.retiring.push(at);
    }
}

/// A command without work ends when nothing before it is left: that is its time. Comes before anyone sees it complete.
fn end_without_work(task: &Task) {
    if task.profiled && task.executor == Executor::Nobody {
        // SAFETY: the queue is alive until the task retires, which it does not before this.
        let core = unsafe { &(*task.queue).core };
        task.times.ended.store(core.now(), crate::shim::Ordering::Relaxed);
    }
}

/// The end of a join or a user event that has ended and that everyone was told of.
pub(crate) fn let_go(at: TaskPtr) {
    // SAFETY: the scheduler's reference is held until the release below.
    let task = unsafe { at.get() };
    early_callbacks(task);
    // SAFETY: only who ends such a task touches the field.
    let queue = task.queue_alive.with_mut(|queue| unsafe { (*queue).take() });
    // SAFETY: the scheduler's reference, which nobody else gives back.
    unsafe { at.release() };
    drop(queue);
}

/// Retires a task that was executed and whose predecessors have retired, and all that could only wait for that.
fn retire(first: TaskPtr, released: &mut Released) {
    let mut at = first;
    for count in 0_usize.. {
        // SAFETY: the scheduler's reference is held until the release below.
        let task = unsafe { at.get() };
        // SAFETY: only who retires the task touches the field.
        let queue = task.queue_alive.with_mut(|queue| unsafe { (*queue).take() });
        if task.role == Role::InOrder {
            end_without_work(task);
        }
        task.state.set(Snapshot::COMPLETE.and(Snapshot::RETIRED));
        let entries = task.retired.close();
        // Another worker has executed what comes next.
        if let Some(next) = entries.prefetch_chained()
            && count >= RETIRED_IN_A_ROW
        {
            next.prefetch_beyond(at);
        }
        let next = released.deliver(entries, task);
        // SAFETY: the scheduler's reference, which nobody else gives back.
        unsafe { at.release() };
        let Some(next) = next else {
            // The last of the queue: the queue may end here.
            drop(queue);
            return;
        };
        // SAFETY: the next task cannot retire before it is told so, below.
        let record = unsafe { next.get() };
        // SAFETY: only who retires the task touches the field, and that is decided below.
        record.queue_alive.with_mut(|alive| unsafe { *alive = queue });
        if !record.state.set(Snapshot::BEFORE_RETIRED).is_executed() {
            return;
        }
        at = next;
    }
}

/// Calls what waits for any stage before completion and was not called yet.
pub(crate) fn early_callbacks(task: &Task) {
    if task.state.load().has_early_callbacks() {
        early_callbacks_up_to(task, Stage::Running);
    }
}

/// Calls what waits for `stage` or an earlier one and was not called yet.
pub(crate) fn early_callbacks_up_to(task: &Task, stage: Stage) {
    let mut due = Callbacks::EMPTY;
    let mut early = crate::shim::lock(&task.rare.early);
    let mut all = std::mem::take(&mut *early);
    while let Some(callback) = all.pop() {
        let list = if callback.stage <= stage { &mut due } else { &mut *early };
        list.push(callback);
    }
    drop(early);
    while let Some(callback) = due.pop() {
        let _ = catch_unwind(AssertUnwindSafe(|| callback.call(task.id, &task.outcome())));
    }
}

/// A user event's status was set, or can no longer be. Consumes the scheduler's reference.
pub(crate) fn complete_user_event(task: TaskPtr) {
    let mut released = Released::default();
    end(task, &Ok(()), &mut released);
    conclude(&mut released);
}

crate::shim::per_thread! {
    /// Ends reported to this thread by drivers while it is in [`conclude`] already: they wait for their turn.
    static NESTED: RefCell<Option<TaskList>> = RefCell::new(None);
}

/// A driver says that a task has ended. Never recurses, even if the driver executes within `submit`.
pub(crate) fn ended_on_device(task: TaskPtr, outcome: Outcome) {
    let mut report = Some(outcome);
    NESTED.with(|nested| {
        if let Some(waiting) = &mut *nested.borrow_mut()
            && let Some(outcome) = report.take()
        {
            if let Err(cause) = &outcome {
                // SAFETY: the scheduler's reference is held until the end that follows.
                unsafe { task.get() }.blame(cause);
            }
            // Neither the driver nor any list has it now.
            waiting.push(task);
        }
    });
    if let Some(outcome) = report {
        let mut released = Released::default();
        end(task, &outcome, &mut released);
        conclude(&mut released);
    }
}

/// Passes on what was set free, from a thread that is not executing: ready tasks go to their schedulers, callbacks are
/// called.
pub(crate) fn conclude(released: &mut Released) {
    settle_nested(released, false);
    released.give_to_callers();
    released.ready.append(std::mem::take(&mut released.rows));
    let mut local: Option<(*const Core, TaskList)> = None;
    while let Some(task) = released.ready.pop() {
        // SAFETY: a ready task and its queue are alive, and so is the queue's scheduler.
        let core = core_of(task);
        match &mut local {
            Some((same, list)) if *same == Arc::as_ptr(&core) => list.push(task),
            _ => {
                let mut list = TaskList::default();
                list.push(task);
                if let Some((_, full)) = local.replace((Arc::as_ptr(&core), list)) {
                    give(full);
                }
            }
        }
    }
    if let Some((_, list)) = local {
        give(list);
    }
    released.call();
}

/// What needs no worker is done, with what drivers report meanwhile, until nothing of it is left. What only tidies up
/// is left for a second call if workers are to be told `first` of what they can execute.
pub(crate) fn settle_nested(released: &mut Released, first: bool) {
    if !first {
        // Most of the time nothing follows from this.
        released.tidy();
    }
    if released.is_settled(first) {
        return;
    }
    let outer = NESTED.with(|nested| {
        let mut nested = nested.borrow_mut();
        nested.is_none().then(|| *nested = Some(TaskList::EMPTY)).is_some()
    });
    loop {
        released.settle(first);
        if !outer {
            return;
        }
        let mut reported =
            NESTED.with(|nested| nested.borrow_mut().as_mut().map(std::mem::take)).unwrap_or_default();
        if reported.is_empty() {
            NESTED.with(|nested| *nested.borrow_mut() = None);
            return;
        }
        while let Some(task) = reported.pop() {
            end(task, &Ok(()), released);
        }
    }
}

/// The scheduler of a ready task.
fn core_of(task: TaskPtr) -> Arc<Core> {
    // SAFETY: a ready task holds the scheduler's reference.
    let record = unsafe { task.get() };
    // SAFETY: the queue is alive until the task retires.
    Arc::clone(&unsafe { &*record.queue }.core)
}

fn give(list: TaskList) {
    let mut list = list;
    let Some(first) = list.pop() else { return };
    let core = core_of(first);
    list.push_front(first);
    core.accept(list);
}

/// The failure of a command for which there was no memory when it became ready. Was made before that.
pub(crate) fn out_of_memory() -> Arc<Failure> {
    static FAILURE: LazyLock<Arc<Failure>> = LazyLock::new(|| Arc::new(Failure::OutOfHostMemory));
    Arc::clone(&FAILURE)
}

/// The failure behind a caught panic.
pub(crate) fn panicked(payload: &(dyn std::any::Any + Send)) -> Arc<Failure> {
    Arc::new(Failure::from_panic(payload))
}
