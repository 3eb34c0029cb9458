//! Commands that only threads of the host program execute (`Execution::Caller`), where the pool has threads: they lie in
//! a queue of their own, from which slot 0 takes, so a thread that waits, flushes, asks for a status, registers a
//! callback or sets a user event executes them.
//!
//! What was flushed must get on although nobody calls again. Events have growing numbers, so the promise is one number:
//! everything below it. A promised command that becomes ready, or is left behind, while no thread of the host program
//! has slot 0 goes to the pool's workers. What was never promised lies until the next call, or the scheduler's end.
//!
//! No command is forgotten: who adds one, or promises, does so, then a fence, then looks who has slot 0; who leaves it
//! gives it up, then a fence, then looks for commands, or wakes the threads that wait for the slot, which do. One of the two sees the other. The same holds for the thread
//! that has the slot and falls asleep (`pool::idle`).

use super::{Core, Found, Local};
use crate::shim::{AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, lock};
use crate::task::TaskPtr;
use crate::task::list::TaskList;

/// What lies for threads of the host program.
#[derive(Debug)]
pub(super) struct Callers {
    ready: Mutex<TaskList>,
    /// The list's length, to be read without the lock. Written with it.
    length: AtomicUsize,
    /// Every event with a number below gets on without further calls.
    promised: AtomicU64,
    /// There is, or was, a queue whose commands come here: before that nobody needs to look.
    used: AtomicBool,
}

impl Callers {
    pub(super) fn new() -> Callers {
        Callers {
            ready: Mutex::new(TaskList::default()),
            length: AtomicUsize::new(0),
            promised: AtomicU64::new(0),
            used: AtomicBool::new(false),
        }
    }

    /// Whether anything may ever have come here.
    pub(super) fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether anything lies here.
    pub(super) fn has_work(&self) -> bool {
        // Acquire pairs with the release in `change`.
        self.length.load(Ordering::Acquire) > 0
    }

    fn change<R>(&self, action: impl FnOnce(&mut TaskList) -> R) -> R {
        let mut ready = lock(&self.ready);
        let result = action(&mut ready);
        // Release pairs with the acquire in `has_work`: who decides to sleep or to leave finds what was added.
        self.length.store(ready.len(), Ordering::Release);
        result
    }

    /// Takes the oldest command.
    pub(super) fn take(&self) -> Option<TaskPtr> {
        if self.has_work() { self.change(TaskList::pop) } else { None }
    }

    /// Takes the commands that were promised to get on.
    fn take_promised(&self) -> TaskList {
        self.change(|ready| {
            let promised = self.promised.load(Ordering::Relaxed);
            let (mut given, mut kept) = (TaskList::default(), TaskList::default());
            while let Some(at) = ready.pop() {
                // SAFETY: a ready task holds the scheduler's reference until it ends.
                let id = unsafe { at.get() }.id;
                let list = if id.0 < promised { &mut given } else { &mut kept };
                list.push(at);
            }
            *ready = kept;
            given
        })
    }
}

impl Core {
    /// There is a queue whose commands only callers execute.
    pub(crate) fn expect_callers(&self) {
        // The queue's handle goes from thread to thread by other means, which order this before its use.
        self.callers.used.store(true, Ordering::Relaxed);
    }

    /// Takes a ready command that is for callers.
    pub(crate) fn accept_for_callers(&self, task: TaskPtr) {
        if self.has_threads() {
            self.callers.change(|ready| ready.push(task));
            self.settle_callers();
        } else {
            let mut list = TaskList::default();
            list.push(task);
            self.accept(list);
        }
    }

    /// Everything enqueued so far gets on without further calls.
    pub(crate) fn promise(&self) {
        if self.callers.is_used() {
            let next = self.next_id.load(Ordering::Relaxed);
            // Published by the fences of `settle_callers` and `leave_host_slot`.
            self.callers.promised.fetch_max(next, Ordering::Relaxed);
            self.settle_callers();
        }
    }

    /// The calling thread has given slot 0 up, or did not get it: what it would have executed must not be forgotten.
    pub(super) fn look_after_callers(&self) {
        if self.callers.has_work() && self.has_threads() {
            self.settle_callers();
        }
    }

    /// Something was added or promised: the thread that has slot 0 executes it, or what was promised goes to the workers.
    fn settle_callers(&self) {
        // Pairs with the fences in `leave_host_slot` and `Idle::sleep`.
        let seen = self.idle.after_push();
        if !self.host_slot.load(Ordering::Relaxed) {
            self.leave_to_workers();
        } else if seen.host_sleeps() {
            self.idle.wake_host();
        }
    }

    /// Gives what was promised to the workers: no thread of the host program is there to execute it.
    fn leave_to_workers(&self) {
        if !self.callers.has_work() {
            return;
        }
        let given = self.callers.take_promised();
        if !given.is_empty() {
            self.inject.push(given);
            // Nobody waits who would take one task that lies alone.
            self.tell(super::MANY);
        }
    }

    /// Executes what lies for callers, in the calling thread, which has no slot. Where another thread has slot 0 that one
    /// does it.
    pub(super) fn call_in(&self) {
        while self.callers.has_work() && self.take_host_slot() {
            self.execute_for_callers();
            self.leave_host_slot();
        }
    }

    /// Executes commands for callers until none is ready. The caller has slot 0.
    fn execute_for_callers(&self) {
        let local = Local::new(0);
        while let Some(task) = self.callers.take() {
            // What else it sets free is the workers'.
            self.run(&local, Found::Task(task), || true);
        }
    }

    /// Does something that may set commands for callers free, and executes those in the calling thread, unless another
    /// thread of the host program is there to do it.
    pub(crate) fn as_caller(&self, action: impl FnOnce()) {
        if !self.callers.is_used()
            || !self.has_threads()
            || self.current_slot().is_some()
            || !self.take_host_slot()
        {
            return action();
        }
        let entered = self.enter(0);
        action();
        drop(entered);
        self.execute_for_callers();
        self.leave_host_slot();
    }

    /// Whether a thread with this slot finds work.
    pub(super) fn has_work_for(&self, slot: usize) -> bool {
        self.has_work() || (slot == 0 && self.callers.has_work())
    }
}
