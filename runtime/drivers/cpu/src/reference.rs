//! The reference executor: each work-item of a group is a thread, barriers are real.
//!
//! In: a launch for the reference entry whose kernel has barriers (kernels without run their items one after another,
//! see `launch`). Groups run one after another in linear order; the threads are kept from group to group and from
//! launch to launch. Every item is running, waiting at a barrier or finished, and the three are counted: when nobody
//! runs any more and some wait while others have finished, the barrier was not met by all and the launch fails. No
//! time-out is involved, and those that wait leave by a non-local exit, so no thread is lost.
//!
//! Where items of a sub-group meet, those wait who have come, until nobody of the sub-group runs any more; then those go on
//! whose place comes first in the kernel (the compiler has numbered the places), and know of one another.
//!
//! An item that loops for ever makes the launch last for ever. Two halves of a group that wait at two different
//! barriers of the source count as one barrier.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use oxcl_binary::abi::{MemoryRanges, PrintBlock, REF_CELL_BYTES, RefEntry, RefItem};
use oxcl_driver::lock;
use oxcl_scheduler::thread::spawn;

use crate::faults::{self, Ended};
use crate::floating::FloatingMode;
use crate::launch::{ItemCall, PreparedLaunch, call_item};
use crate::nonlocal::{self, Frame};
use crate::print;
use crate::worker::Worker;
use oxcl_driver::fault::{GroupRun, KernelFailure, OutOfResources, Resource};

/// Stack of an item's thread.
const STACK_BYTES: usize = 1 << 20;

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
    /// Threads inside, one for each work-item of a whole group.
    items: u64,
    /// Where the group's local memory lies.
    local: [u64; 2],
    /// Memory to clear before each group, and its bytes.
    to_clear: (*mut u8, usize),
    /// Where all items print to; emptied between groups.
    print: *mut PrintBlock,
    /// Lock rank 3.
    progress: Mutex<Progress>,
    /// Where items wait at a barrier. Changes when it opens; odd: it cannot be met, and those who wait leave.
    barrier: Gate,
    /// Where items of each sub-group wait to meet. Changes when some have.
    meetings: Vec<Gate>,
    /// Items of a sub-group.
    sub_group: u64,
    /// What items of a sub-group show one another.
    cells: *mut u8,
    /// Where items that have ended wait for the next group. Changes when that begins, or all is over.
    next_group: Gate,
}

/// A number that threads wait for to change: the system call below the standard library's condition variable, without
/// the lock that all would queue for after waking.
#[derive(Debug, Default)]
struct Gate(AtomicU32);

impl Gate {
    /// The number now. Read under the lock under which it changes.
    fn number(&self) -> u32 {
        self.0.load(Ordering::Relaxed) // the lock orders it
    }

    /// Returns the number once it is not `old` any more.
    fn wait(&self, old: u32) -> u32 {
        loop {
            let number = self.0.load(Ordering::Acquire); // pairs with the release store in `open`
            if number != old {
                return number;
            }
            let (call, private) = (libc::SYS_futex, libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG);
            let no_limit = std::ptr::null::<libc::timespec>();
            // SAFETY: the word is aligned and lives as long as the gate; the system only compares it.
            unsafe { libc::syscall(call, self.0.as_ptr(), private, old, no_limit) };
        }
    }

    /// Changes the number, and wakes everyone.
    fn open(&self, number: u32) {
        self.0.store(number, Ordering::Release); // pairs with the acquire load in `wait`
        let (call, private) = (libc::SYS_futex, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG);
        // SAFETY: the word is aligned and lives as long as the gate.
        unsafe { libc::syscall(call, self.0.as_ptr(), private, i32::MAX) };
    }
}

// SAFETY: the arguments and the print buffer belong to the team's worker, which stays bound to the launch while the job
// exists; the cells to `Team::run`, which returns when no thread is in the job any more.
unsafe impl Send for Job {}
// SAFETY: as above; the arguments are only read, and the print block is written by kernels, atomically, or under the
// lock when no kernel runs.
unsafe impl Sync for Job {}

#[derive(Debug, Default)]
struct Progress {
    /// Linear index of the group that runs.
    group: u64,
    /// Items of it that wait at a barrier.
    waiting: u64,
    /// Items of it that have ended.
    finished: u64,
    /// Threads that have no item in it, because it lies at the edge, and wait for the next.
    absent: u64,
    /// What each item of it does.
    doing: Vec<Doing>,
    failure: Option<KernelFailure>,
    over: bool,
}

/// What an item does, as far as its sub-group asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    Runs,
    /// Waits to meet others at the place of this number.
    Meets(u32),
    /// Has met these, and goes on as soon as it has seen it.
    HasMet(u64),
    /// Waits at a barrier, or has ended.
    Rests,
}

/// What an item's callback finds behind [`RefItem::executor`].
struct Member {
    frame: Frame,
    job: *const Job,
    /// The item's number in its group.
    index: u64,
}

#[derive(Debug, PartialEq, Eq)]
enum Barrier {
    Met,
    Doomed,
}

/// The next even number, where 0 follows the last.
fn next_even(number: u32) -> u32 {
    (number & !1).wrapping_add(2)
}

impl Job {
    fn group_id(&self, group: u64) -> GroupRun {
        self.launch.geometry().run_at(group, 1)
    }

    /// Items of the group with linear index `group`.
    fn present(&self, group: u64) -> u64 {
        self.launch.geometry().items_of(self.group_id(group).first)
    }

    /// An item has arrived at a barrier. Returns when all have, or none of them can go on.
    fn wait_at_barrier(&self, index: u64) -> Barrier {
        let mut progress = lock(&self.progress);
        progress.waiting += 1;
        self.rest(&mut progress, index);
        if progress.waiting + progress.finished == self.present(progress.group) {
            if progress.finished > 0 {
                self.doom(&mut progress);
                return Barrier::Doomed;
            }
            progress.waiting = 0;
            progress.doing.fill(Doing::Runs);
            let number = self.barrier.number();
            drop(progress);
            // Nobody else changes the number meanwhile: all other items wait for it.
            self.barrier.open(next_even(number));
            return Barrier::Met;
        }
        let number = self.barrier.number();
        drop(progress);
        // Still that of the opening waited for: nothing else happens to the group before this item goes on.
        if self.barrier.wait(number) % 2 == 1 { Barrier::Doomed } else { Barrier::Met }
    }

    /// An item does nothing that its sub-group could wait for.
    fn rest(&self, progress: &mut Progress, index: u64) {
        progress.doing[index as usize] = Doing::Rests;
        self.let_meet(progress, index / self.sub_group);
    }

    /// Lets those of a sub-group go on who wait at the first place, if nobody runs who might still come there.
    fn let_meet(&self, progress: &mut Progress, sub_group: u64) {
        let from = sub_group * self.sub_group;
        let to = (from + self.sub_group).min(self.present(progress.group));
        let doing = &mut progress.doing[from as usize..to as usize];
        let mut first = None;
        for doing in doing.iter() {
            match *doing {
                Doing::Runs | Doing::HasMet(_) => return,
                Doing::Meets(place) => first = Some(first.map_or(place, |first: u32| first.min(place))),
                Doing::Rests => {}
            }
        }
        let Some(first) = first else { return };
        let meets = |doing: &Doing| *doing == Doing::Meets(first);
        let bits = (0..64).zip(doing.iter()).filter(|(_, doing)| meets(doing));
        let met = bits.fold(0_u64, |met, (lane, _)| met | 1 << lane);
        doing.iter_mut().filter(|doing| meets(doing)).for_each(|doing| *doing = Doing::HasMet(met));
        let gate = &self.meetings[sub_group as usize];
        gate.open(gate.number().wrapping_add(1));
    }

    /// An item has come where those of its sub-group meet. Returns when they have, and who they are.
    fn meet(&self, index: u64, place: u32) -> u64 {
        let sub_group = index / self.sub_group;
        let mut progress = lock(&self.progress);
        progress.doing[index as usize] = Doing::Meets(place);
        self.let_meet(&mut progress, sub_group);
        loop {
            if let Doing::HasMet(met) = progress.doing[index as usize] {
                progress.doing[index as usize] = Doing::Runs;
                return met;
            }
            let gate = &self.meetings[sub_group as usize];
            let number = gate.number();
            drop(progress);
            gate.wait(number);
            progress = lock(&self.progress);
        }
    }

    /// An item of `group` has ended, or is not there (`None`). Gives the next group to run it for.
    fn finish(&self, group: u64, index: u64, ended: Option<Ended>) -> Option<u64> {
        let mut progress = lock(&self.progress);
        if let Some(Ended::Faulted(fault)) = ended {
            let failure = self.launch.fault(fault, self.group_id(group));
            progress.failure.get_or_insert(failure);
        }
        if ended.is_some() {
            progress.finished += 1;
            self.rest(&mut progress, index);
        } else {
            progress.absent += 1;
        }
        if progress.waiting > 0 && progress.waiting + progress.finished == self.present(group) {
            self.doom(&mut progress);
        } else if progress.finished + progress.absent == self.items {
            progress.finished = 0;
            progress.absent = 0;
            progress.doing.fill(Doing::Runs);
            if self.launch.prints() {
                // SAFETY: the block is over the team's worker, and no item runs: the group has ended.
                unsafe { print::drain(self.launch.printer(), self.print, self.launch.image_range()) };
            }
            self.clear();
            progress.group += 1;
            progress.over = progress.failure.is_some() || progress.group == self.launch.group_count();
            let next = (!progress.over).then_some(progress.group);
            let number = self.next_group.number();
            drop(progress);
            // Nobody else changes the number meanwhile: all other items wait for it.
            self.next_group.open(number.wrapping_add(1));
            return next;
        }
        let number = self.next_group.number();
        drop(progress);
        self.next_group.wait(number);
        let progress = lock(&self.progress);
        (!progress.over).then_some(progress.group)
    }

    /// Clears what is to be zero where a group begins. No item runs.
    fn clear(&self) {
        let (memory, bytes) = self.to_clear;
        // SAFETY: it is local memory of the team's worker, which was reserved for the launch.
        unsafe { memory.write_bytes(0, bytes) };
    }

    /// Opens the barrier for those who wait, to leave.
    fn doom(&self, progress: &mut Progress) {
        let failure = KernelFailure::BarrierNotMet {
            kernel: self.launch.kernel().to_owned(),
            groups: self.group_id(progress.group),
            waiting: progress.waiting,
            items: self.present(progress.group),
        };
        // After a fault of another item, that is the cause.
        progress.failure.get_or_insert(failure);
        progress.waiting = 0;
        progress.doing.fill(Doing::Runs);
        self.barrier.open(next_even(self.barrier.number()) + 1);
    }

    /// Runs item number `index` of every group.
    fn run(&self, index: u64) {
        let _mode = FloatingMode::enter(self.launch.flush_denorms());
        let mut next = Some(0);
        while let Some(group) = next {
            if index >= self.present(group) {
                next = self.finish(group, index, None);
                continue;
            }
            let mut member = Member { frame: Frame::default(), job: self, index };
            let member = &raw mut member;
            let mut item = self.launch.item(self.group_id(group).first, index);
            item.barrier = Some(barrier);
            item.meet = Some(meet);
            item.cells = self.cells;
            item.executor = member.cast();
            item.print = self.print;
            // The thread runs on its own stack, and the item lies near the top of that.
            let top = (&raw const item) as u64;
            let stack = [top.saturating_sub(STACK_BYTES as u64), top];
            item.ranges = MemoryRanges { local: self.local, stack, scratch: [0; 2] };
            let mut call =
                ItemCall { entry: self.entry, arguments: self.arguments, item: (&raw mut item).cast_const() };
            // SAFETY: the field lies inside the structure.
            let frame = unsafe { &raw mut (*member).frame };
            let data = (&raw mut call).cast();
            // SAFETY: the call's parts are those that the entry takes; nothing that runs in it has destructors: the
            // callback has dropped its guards when it leaves.
            let ended = unsafe { faults::call(self.launch.image_range(), frame, None, call_item, data) };
            next = self.finish(group, index, Some(ended));
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
    // SAFETY: as above.
    let index = unsafe { (*member).index };
    if job.wait_at_barrier(index) == Barrier::Doomed {
        // SAFETY: the field lies inside the structure.
        let frame = unsafe { &raw const (*member).frame };
        // SAFETY: the frame is that of the item's call on this thread; no frame in between has a destructor.
        unsafe { nonlocal::leave(frame) }
    }
}

/// What a kernel calls where work-items of a sub-group meet.
unsafe extern "C" fn meet(item: *mut RefItem, place: u32) {
    // SAFETY: the item is the one that `Job::run` passed in, whose executor is a member.
    let member = unsafe { (*item).executor }.cast::<Member>();
    // SAFETY: as above.
    let job = unsafe { (*member).job };
    // SAFETY: as above.
    let index = unsafe { (*member).index };
    // SAFETY: the job lives while its items run.
    let met = unsafe { &*job }.meet(index, place);
    // SAFETY: the item is this thread's, and `Job::run` holds no reference to it while its entry runs.
    unsafe { (*item).met = met };
}

/// A piece of the cells: what they are aligned to.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(128))]
struct CellLine([u8; CELL_LINE]);

const CELL_LINE: usize = 128;

impl Team {
    /// A team without threads; they come with the launches that need them.
    pub(crate) fn new() -> Self {
        Self { shared: Arc::default(), turn: Mutex::default() }
    }

    /// Runs a launch and waits for its end.
    ///
    /// # Safety
    /// As for [`PreparedLaunch::run_groups`], for all groups; `entry` is the launch's.
    pub(crate) unsafe fn run(
        &self,
        launch: &Arc<PreparedLaunch>,
        entry: RefEntry,
    ) -> Result<(), KernelFailure> {
        let mut members = lock(&self.turn);
        let items = launch.geometry().group_items();
        launch.prepare(&mut members.worker)?;
        let (number, cells) = launch.cells();
        members.worker.bind(number, cells);
        while (members.handles.len() as u64) < items {
            let index = members.handles.len() as u64;
            let shared = Arc::clone(&self.shared);
            let handle = spawn(format!("oxcl-ref-{index}"), STACK_BYTES, move || shared.serve(index));
            members.handles.push(handle.map_err(|_| OutOfResources::of(Resource::Threads, items))?);
        }
        let mut print = members.worker.print_block();
        let local = members.worker.ranges(cells, 0).local;
        let (memory, bytes) = members.worker.local_memory(cells);
        let to_clear = (memory, if launch.clears_local() { bytes } else { 0 });
        // Cells for whole lines of work-items: as many bytes for each line's as it has work-items, times those of one.
        let lines = (items as usize).div_ceil(CELL_LINE) * REF_CELL_BYTES;
        let mut cells = vec![CellLine([0; CELL_LINE]); lines];
        let sub_group = u64::from(launch.sub_group_size());
        let job = Arc::new(Job {
            launch: Arc::clone(launch),
            entry,
            arguments: members.worker.arguments(),
            items,
            local,
            to_clear,
            print: &raw mut print,
            progress: Mutex::new(Progress {
                doing: vec![Doing::Runs; items as usize],
                ..Progress::default()
            }),
            meetings: (0..items.div_ceil(sub_group)).map(|_| Gate::default()).collect(),
            sub_group,
            cells: cells.as_mut_ptr().cast(),
            barrier: Gate::default(),
            next_group: Gate::default(),
        });
        job.clear();
        let mut state = lock(&self.shared.state);
        state.job = Some(Arc::clone(&job));
        state.number += 1;
        state.inside = items;
        drop(state);
        // Only those with an item: a thousand threads that find nothing to do would hold up the rest.
        members.handles.iter().take(items as usize).for_each(|handle| handle.thread().unpark());
        let mut state = lock(&self.shared.state);
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
        loop {
            let state = lock(&self.state);
            if state.ends {
                return;
            }
            let number = state.number;
            let job = state.job.as_ref().filter(|job| number != seen && index < job.items).cloned();
            drop(state);
            let Some(job) = job else {
                thread::park();
                continue;
            };
            seen = number;
            job.run(index);
            drop(job);
            let mut state = lock(&self.state);
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
        let mut members = lock(&self.turn);
        members.handles.iter().for_each(|handle| handle.thread().unpark());
        for handle in members.handles.drain(..) {
            // A thread that panicked has said so already.
            let _ = handle.join();
        }
    }
}
