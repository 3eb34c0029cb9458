//! The reference executor: each work-item of a group is a thread, barriers are real.
//!
//! In: a launch for the reference entry whose kernel has barriers (kernels without run their items one after another,
//! see `launch`). Groups run one after another in linear order; the threads are kept from group to group and from
//! launch to launch. Every item is running, waiting at a barrier or finished, and the three are counted: when nobody
//! runs any more and some wait while others have finished, the barrier was not met by all and the launch fails. No
//! time-out is involved, and those that wait leave by a non-local exit, so no thread is lost.
//!
//! An item that loops for ever makes the launch last for ever. Two halves of a group that wait at two different
//! barriers of the source count as one barrier.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use oxcl_binary::abi::{RefEntry, RefItem};

use crate::error::{Failure, GroupRun, OutOfResources, Resource};
use crate::faults::{self, Ended};
use crate::floating::FloatingMode;
use crate::launch::{ItemCall, PreparedLaunch, call_item};
use crate::nonlocal::{self, Frame};
use crate::worker::Worker;

/// Stack of an item's thread.
const STACK_BYTES: usize = 256 * 1024;

/// The threads of the reference executor.
#[derive(Debug)]
pub(crate) struct Team {
    shared: Arc<Shared>,
    /// Held during a launch. Lock rank 1.
    turn: Mutex<Members>,
}

#[derive(Debug, Default)]
struct Members {
    handles: Vec<JoinHandle<()>>,
    /// Local memory and arguments, which all items of a group share.
    worker: Worker,
}

#[derive(Debug, Default)]
struct Shared {
    /// Lock rank 2.
    state: Mutex<Assignment>,
    /// A job was published, or the team ends.
    changed: Condvar,
    /// The last thread has left the job.
    left: Condvar,
}

#[derive(Debug, Default)]
struct Assignment {
    job: Option<Arc<Job>>,
    /// Counts jobs, so that a thread does not take one twice.
    number: u64,
    /// Threads that have yet to leave the job.
    inside: u64,
    ends: bool,
}

/// One launch being run.
#[derive(Debug)]
struct Job {
    launch: Arc<PreparedLaunch>,
    entry: RefEntry,
    arguments: *const *mut c_void,
    items: u64,
    /// Lock rank 3.
    progress: Mutex<Progress>,
    /// A barrier opened, or the next group begins, or all is over.
    moved: Condvar,
}

// SAFETY: the arguments belong to the team's worker, which stays bound to the launch while the job exists.
unsafe impl Send for Job {}
// SAFETY: as above; the arguments are only read.
unsafe impl Sync for Job {}

#[derive(Debug, Default)]
struct Progress {
    /// Linear index of the group that runs.
    group: u64,
    /// Items of it that wait at a barrier.
    waiting: u64,
    /// Items of it that have ended.
    finished: u64,
    /// Counts openings of barriers.
    opened: u64,
    /// The barrier can never be met: those that wait there leave.
    doomed: bool,
    failure: Option<Failure>,
    over: bool,
}

/// What an item's callback finds behind [`RefItem::executor`].
struct Member {
    frame: Frame,
    job: *const Job,
}

#[derive(Debug, PartialEq, Eq)]
enum Barrier {
    Met,
    Doomed,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing under these locks is left half-changed by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Job {
    fn group_id(&self, group: u64) -> GroupRun {
        self.launch.geometry().run_at(group, 1)
    }

    /// An item has arrived at a barrier. Returns when all have, or none of them can go on.
    fn wait_at_barrier(&self) -> Barrier {
        let mut progress = lock(&self.progress);
        progress.waiting += 1;
        if progress.waiting + progress.finished == self.items {
            if progress.finished > 0 {
                self.doom(&mut progress);
                return Barrier::Doomed;
            }
            progress.waiting = 0;
            progress.opened += 1;
            drop(progress);
            self.moved.notify_all();
            return Barrier::Met;
        }
        let opened = progress.opened;
        while progress.opened == opened {
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        // Still that of the opening waited for: nothing else happens to the group before this item goes on.
        if progress.doomed { Barrier::Doomed } else { Barrier::Met }
    }

    /// An item of `group` has ended. Gives the next group to run it for.
    fn finish(&self, group: u64, ended: Ended) -> Option<u64> {
        let mut progress = lock(&self.progress);
        if let Ended::Faulted(fault) = ended {
            let failure = self.launch.fault(fault, self.group_id(group));
            progress.failure.get_or_insert(failure);
        }
        progress.finished += 1;
        if progress.waiting > 0 && progress.waiting + progress.finished == self.items {
            self.doom(&mut progress);
        } else if progress.finished == self.items {
            progress.finished = 0;
            progress.doomed = false;
            progress.group += 1;
            progress.over = progress.failure.is_some() || progress.group == self.launch.group_count();
            self.moved.notify_all();
        }
        while progress.group == group {
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        (!progress.over).then_some(progress.group)
    }

    /// Opens the barrier for those who wait, to leave.
    fn doom(&self, progress: &mut Progress) {
        let failure = Failure::BarrierNotMet {
            kernel: self.launch.kernel().to_owned(),
            groups: self.group_id(progress.group),
            waiting: progress.waiting,
            items: self.items,
        };
        // After a fault of another item, that is the cause.
        progress.failure.get_or_insert(failure);
        progress.doomed = true;
        progress.waiting = 0;
        progress.opened += 1;
        self.moved.notify_all();
    }

    /// Runs item number `index` of every group.
    fn run(&self, index: u64) {
        let _mode = FloatingMode::enter(self.launch.flush_denorms());
        let mut next = Some(0);
        while let Some(group) = next {
            let mut member = Member { frame: Frame::default(), job: self };
            let member = &raw mut member;
            let mut item = self.launch.item(self.group_id(group).first, index);
            item.barrier = Some(barrier);
            item.executor = member.cast();
            let mut call = ItemCall { entry: self.entry, arguments: self.arguments, item: &raw const item };
            // SAFETY: the field lies inside the structure.
            let frame = unsafe { &raw mut (*member).frame };
            let data = (&raw mut call).cast();
            // SAFETY: the call's parts are those that the entry takes; nothing that runs in it has destructors: the
            // callback has dropped its guards when it leaves.
            let ended = unsafe { faults::call(self.launch.image_range(), frame, call_item, data) };
            next = self.finish(group, ended);
        }
    }
}

/// What a kernel calls at a barrier.
unsafe extern "C" fn barrier(item: *const RefItem, _flags: u32) {
    // SAFETY: the item is the one that `Job::run` passed in.
    let member = unsafe { (*item).executor }.cast::<Member>();
    // SAFETY: the executor of such an item is a member.
    let job = unsafe { (*member).job };
    // SAFETY: the job lives while its items run.
    let job = unsafe { &*job };
    if job.wait_at_barrier() == Barrier::Doomed {
        // SAFETY: the field lies inside the structure.
        let frame = unsafe { &raw const (*member).frame };
        // SAFETY: the frame is that of the item's call on this thread; no frame in between has a destructor.
        unsafe { nonlocal::leave(frame) }
    }
}

impl Team {
    /// A team without threads; they come with the launches that need them.
    pub(crate) fn new() -> Self {
        Self { shared: Arc::default(), turn: Mutex::default() }
    }

    /// Runs a launch and waits for its end.
    ///
    /// # Safety
    /// As for [`PreparedLaunch::run_groups`], for all groups; `entry` is the launch's.
    pub(crate) unsafe fn run(&self, launch: &Arc<PreparedLaunch>, entry: RefEntry) -> Result<(), Failure> {
        let mut members = lock(&self.turn);
        let items = launch.geometry().group_items();
        launch.prepare(&mut members.worker)?;
        let (number, cells) = launch.cells();
        members.worker.bind(number, cells);
        while (members.handles.len() as u64) < items {
            let index = members.handles.len() as u64;
            let shared = Arc::clone(&self.shared);
            let builder = thread::Builder::new().name(format!("oxcl-ref-{index}")).stack_size(STACK_BYTES);
            let handle = builder.spawn(move || shared.serve(index));
            members
                .handles
                .push(handle.map_err(|_| OutOfResources { resource: Resource::Threads, amount: items })?);
        }
        let job = Arc::new(Job {
            launch: Arc::clone(launch),
            entry,
            arguments: members.worker.arguments(),
            items,
            progress: Mutex::default(),
            moved: Condvar::new(),
        });
        let mut state = lock(&self.shared.state);
        state.job = Some(Arc::clone(&job));
        state.number += 1;
        state.inside = items;
        self.shared.changed.notify_all();
        while state.inside > 0 {
            state = self.shared.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.job = None;
        drop(state);
        let failure = lock(&job.progress).failure.take();
        failure.map_or(Ok(()), Err)
    }
}

impl Shared {
    /// A thread's life.
    fn serve(&self, index: u64) {
        let mut seen = 0;
        let mut state = lock(&self.state);
        loop {
            if state.ends {
                return;
            }
            let job = state.job.as_ref().filter(|job| state.number != seen && index < job.items).cloned();
            let Some(job) = job else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            seen = state.number;
            drop(state);
            job.run(index);
            drop(job);
            state = lock(&self.state);
            state.inside -= 1;
            if state.inside == 0 {
                self.left.notify_one();
            }
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        lock(&self.shared.state).ends = true;
        self.shared.changed.notify_all();
        for handle in lock(&self.turn).handles.drain(..) {
            // A thread that panicked has said so already.
            let _ = handle.join();
        }
    }
}
