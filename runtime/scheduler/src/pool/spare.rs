//! Who executes while a thread of the host program waits for what only the program itself can bring about: for a user event, or
//! for a command that one holds back.
//!
//! Such a thread must be back as soon as it may go on: it executes nothing, as a piece of some other command can take
//! any time. So that N threads execute all the same, one thread more stands in for all of them: it is as a thread of the
//! host program that waits until none of them is left. It is started when it is first needed; where it cannot be had, who waits
//! executes as others do.
//!
//! Who goes to sleep counts itself first and then leaves a token; who comes back counts itself out, and leaves one if
//! it was the last. The thread looks at the count before each sleep, so it never misses either.

use std::sync::{Arc, OnceLock, Weak};

use super::Core;
use super::parker::Parker;
use super::wait::{Goal, Place};
use crate::shim::{AtomicUsize, Mutex, Ordering, lock};
use crate::task::{Role, Task};

/// Stack of the thread, as of the pool's others.
#[cfg(not(loom))]
const STACK: usize = 8 << 20;

/// What the thread and those it stands in for share.
#[derive(Debug)]
pub(super) struct Spare {
    /// Threads that wait and execute nothing.
    absent: AtomicUsize,
    /// User events that are not set yet.
    gates: AtomicUsize,
    parker: Arc<Parker>,
    life: Mutex<Life>,
    core: OnceLock<Weak<Core>>,
}

#[derive(Debug, Default)]
struct Life {
    is_there: bool,
    ends: bool,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Spare {
    pub(super) fn new() -> Spare {
        Spare {
            absent: AtomicUsize::new(0),
            gates: AtomicUsize::new(0),
            parker: Arc::new(Parker::new()),
            life: Mutex::new(Life::default()),
            core: OnceLock::new(),
        }
    }

    /// Whose spare thread it is.
    pub(super) fn belongs_to(&self, core: &Arc<Core>) {
        let _ = self.core.set(Arc::downgrade(core));
    }

    /// Whether it stands in for nobody.
    pub(super) fn is_over(&self) -> bool {
        // Acquire: as for the state of an event that is waited for.
        self.absent.load(Ordering::Acquire) == 0
    }

    pub(super) fn place(&self) -> Place {
        Place::known(Arc::clone(&self.parker))
    }

    /// Makes sure that the thread is there. Whether it is.
    #[cfg(not(loom))]
    fn call(&self) -> bool {
        let mut life = lock(&self.life);
        if !life.is_there && !life.ends {
            let Some(core) = self.core.get().and_then(Weak::upgrade) else { return false };
            let main = move || {
                super::affinity::precise_sleeps();
                core.stand_in();
            };
            life.thread = crate::thread::spawn("oxcl-worker-0", STACK, main).ok();
            life.is_there = life.thread.is_some();
        }
        life.is_there && !life.ends
    }

    /// In a model the thread is there if the model has one.
    #[cfg(loom)]
    fn call(&self) -> bool {
        let life = lock(&self.life);
        life.is_there && !life.ends
    }

    #[cfg(loom)]
    pub(super) fn is_in_model(&self) {
        lock(&self.life).is_there = true;
    }

    /// Ends the thread, once it stands in for nobody. It is to be joined by who need not be afraid to wait for itself.
    pub(super) fn end(&self) -> Option<std::thread::JoinHandle<()>> {
        let mut life = lock(&self.life);
        life.ends = true;
        let thread = life.thread.take();
        drop(life);
        self.parker.unpark();
        thread
    }
}

impl Core {
    /// There is one user event more that is not set.
    pub(crate) fn add_gate(&self) {
        self.spare.gates.fetch_add(1, Ordering::Relaxed);
    }

    /// A user event was set.
    pub(crate) fn remove_gate(&self) {
        self.spare.gates.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether the task waits for the program, as far as is known: a hint, which may be old.
    fn is_up_to_the_program(&self, task: &Task) -> bool {
        (task.role == Role::User || task.state.load().is_held())
            && self.spare.gates.load(Ordering::Relaxed) > 0
    }

    /// Waits without executing anything, if the task waits for the program and another thread stands in. Whether it did.
    /// Not where commands are there that threads of the program execute.
    pub(super) fn wait_aside(&self, task: &Task, goal: Goal) -> bool {
        if !self.is_up_to_the_program(task) || self.callers.is_used() || !self.spare.call() {
            return false;
        }
        let mut place = Place::default();
        if place.register(task, goal) {
            return true;
        }
        let Some(parker) = place.heard() else { return false };
        // Release and acquire: what this thread has enqueued is seen by the one that executes it.
        if self.spare.absent.fetch_add(1, Ordering::AcqRel) == 0 {
            self.spare.parker.unpark();
        }
        // What this thread has enqueued last was left to it.
        self.rouse();
        while !goal.reached(task) {
            parker.park();
        }
        if self.spare.absent.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.spare.parker.unpark();
        }
        true
    }

    /// The life of the thread that stands in.
    pub(crate) fn stand_in(&self) {
        loop {
            if !self.spare.is_over() {
                self.wait_as_host_while_absent();
            } else if lock(&self.spare.life).ends {
                return;
            } else {
                self.spare.parker.park();
            }
        }
    }
}
