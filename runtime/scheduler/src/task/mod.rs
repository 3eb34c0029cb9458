//! The record behind every command and every event: one reference-counted block of memory from a pool.
//!
//! A task counts the events it waits for in `pending`; when that reaches zero it is ready, and exactly one thread
//! sees it reach zero. It ends in two steps. *Executed*: its work is done, and what waits for it inside its queue goes
//! on. *Retired*: every earlier task of its queue has retired too. An event of an in-order queue is complete when it is
//! retired, any other when it is executed.
//!
//! Who may touch what:
//! * `body` and `times`: the thread that makes the task, until the task is ready; then its executor (of several
//!   executors of one launch, `body` is only read until the last of them ends the task).
//! * `queue_alive`: the maker; then whoever retires the task, or ends it if it is a row's.
//! * everything else is atomic or constant.
//!
//! References: one is the scheduler's from the making to the retirement (of user events and joins: to the
//! completion); the others are handles, the queue's tail, synchronisation points, and offers of a launch's pieces.

pub(crate) mod callback;
pub(crate) mod list;
pub(crate) mod memory;
pub(crate) mod notice;
pub(crate) mod row;
pub(crate) mod state;

use std::ptr::NonNull;
use std::sync::Arc;

use oxcl_driver::{EventId, Failure, Launch};

use self::callback::Callbacks;
use self::notice::{Notice, NoticeList};
use self::row::Row;
use self::state::{Snapshot, State};
use crate::device::Ticket;
use crate::queue::QueueShared;
use crate::queue::reach::Reach;
use crate::shim::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Mutex, Ordering, UnsafeCell, lock};

/// Entries for other tasks' lists that fit into the record beside the first; more are allocated.
pub(crate) const INLINE_NOTICES: usize = 4;

/// So many records ahead of one that is needed next [`TaskPtr::prefetch_beyond`] looks: about as many as take as long as a fetch.
const RECORDS_AHEAD: isize = 3;

/// What a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A command of an in-order queue.
    InOrder,
    /// A command of an out-of-order queue.
    OutOfOrder,
    /// A user event.
    User,
    /// A hidden task that stands for a list of events.
    Join,
}

/// Who executes a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Executor {
    /// Nobody: it has no work.
    Nobody,
    /// The workers.
    Workers,
    /// Threads of the host program, one at a time, as a whole (`pool::callers`).
    Caller,
    /// Nobody; but if many tasks wait in its row, the workers tell those.
    Row,
    /// The driver, which gets it when it is ready.
    Driver,
    /// The driver, which has it from the beginning and is told of every event it waited for.
    OrderingDriver,
}

/// Times in nanoseconds since the scheduler began; 0 is not yet.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// The command was enqueued.
    pub queued: u64,
    /// Nothing held it back any more.
    pub submitted: u64,
    /// Its execution began.
    pub started: u64,
    /// Its execution ended.
    pub ended: u64,
}

/// The times as they come.
#[derive(Debug)]
pub(crate) struct AtomicTimes {
    pub(crate) queued: AtomicU64,
    pub(crate) submitted: AtomicU64,
    pub(crate) started: AtomicU64,
    pub(crate) ended: AtomicU64,
}

impl AtomicTimes {
    pub(crate) fn new(queued: u64) -> AtomicTimes {
        let zero = || AtomicU64::new(0);
        AtomicTimes { queued: AtomicU64::new(queued), submitted: zero(), started: zero(), ended: zero() }
    }

    pub(crate) fn read(&self) -> Times {
        Times {
            queued: self.queued.load(Ordering::Relaxed),
            submitted: self.submitted.load(Ordering::Relaxed),
            started: self.started.load(Ordering::Relaxed),
            ended: self.ended.load(Ordering::Relaxed),
        }
    }
}

/// The record. The first cache line is all that telling a waiting task, and finding it ready, touches; the second is
/// what executing and retiring it adds.
#[repr(C, align(64))]
pub(crate) struct Task {
    pub(crate) state: State,
    /// Events it waits for, plus one until it is enqueued completely.
    pub(crate) pending: AtomicU32,
    refs: AtomicU32,
    pub(crate) role: Role,
    /// Times are kept.
    pub(crate) profiled: bool,
    pub(crate) executor: Executor,
    /// How long its work took before, as `pool::weight` counts; of a row, all of it.
    pub(crate) weight: AtomicU8,
    /// Closed when executed.
    pub(crate) executed: NoticeList,
    /// Closed when retired; unused by user events and joins.
    pub(crate) retired: NoticeList,
    /// Its entry in the list of the first task that it waits for.
    pub(crate) first_notice: UnsafeCell<Notice>,
    /// Links ready tasks in lists; written and read by whoever has the task.
    pub(crate) ready_next: AtomicPtr<Task>,
    /// Why it failed: an `Arc` given up as a raw pointer, or null.
    cause: AtomicPtr<Failure>,

    pub(crate) body: UnsafeCell<Option<Arc<dyn Launch>>>,
    /// The queue; null for user events and joins. Valid until the task is retired.
    pub(crate) queue: *const QueueShared,
    /// Keeps the queue alive, in the first task of those that are not retired, and in tasks with a row that
    /// workers share.
    pub(crate) queue_alive: UnsafeCell<Option<Arc<QueueShared>>>,
    /// Its entry in the queue's chain.
    pub(crate) chain_notice: UnsafeCell<Notice>,
    /// Pieces of the work.
    pub(crate) groups: u64,
    pub(crate) id: EventId,

    /// Pieces that were executed, or entries of its row that were told. Of commands in queues of devices that order
    /// commands, which have neither, this and the next one are the reach.
    pub(crate) finished: AtomicU64,
    reach_last: AtomicU64,
    /// The order of the parts, of launches that have a history; else 0. Written before the launch is offered.
    pub(crate) order: AtomicU64,
    /// This execution is measured. Written as `order` is.
    pub(crate) measured: AtomicBool,
    /// Pieces that workers take together, but for the last ones; at least 1. Of work of many pieces.
    grain: u32,
    pub(crate) notices: [UnsafeCell<Notice>; INLINE_NOTICES],
    pub(crate) times: AtomicTimes,
    /// Empty unless the state or the executor say that there is something in it.
    pub(crate) rare: Rare,
}

/// What few tasks have.
#[repr(C)]
pub(crate) struct Rare {
    /// Tasks that wait for it, beside those in `executed`: in joins. Closed with that.
    pub(crate) row: Row,
    pub(crate) more_notices: Box<[UnsafeCell<Notice>]>,
    /// Functions to call at a stage before completion.
    pub(crate) early: Mutex<Callbacks>,
    /// The driver's view of it, from the enqueue to the end, for drivers that order commands themselves.
    ticket: Mutex<Option<Arc<Ticket>>>,
}

#[cfg(not(any(loom, oxcl_tsan)))]
const _: () = assert!(
    std::mem::offset_of!(Task, body) == 64
        && std::mem::offset_of!(Task, finished) == 128
        && std::mem::offset_of!(Task, rare).is_multiple_of(64)
);

// SAFETY: the header says which thread may touch which field when; the raw queue pointer is valid until retirement.
unsafe impl Send for Task {}
// SAFETY: as for Send.
unsafe impl Sync for Task {}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task").field("id", &self.id).field("role", &self.role).finish_non_exhaustive()
    }
}

impl Task {
    /// A record for no task yet.
    pub(crate) fn blank() -> Task {
        let notice = || UnsafeCell::new(Notice::new(notice::Kind::Order, None));
        Task {
            state: State::new(Snapshot::NEW),
            pending: AtomicU32::new(1),
            refs: AtomicU32::new(1),
            role: Role::Join,
            profiled: false,
            executor: Executor::Nobody,
            weight: AtomicU8::new(crate::pool::weight::UNKNOWN),
            executed: NoticeList::new(),
            retired: NoticeList::new(),
            first_notice: notice(),
            ready_next: AtomicPtr::new(std::ptr::null_mut()),
            cause: AtomicPtr::new(std::ptr::null_mut()),
            body: UnsafeCell::new(None),
            queue: std::ptr::null(),
            queue_alive: UnsafeCell::new(None),
            chain_notice: notice(),
            id: EventId(0),
            groups: 0,
            grain: 1,
            finished: AtomicU64::new(0),
            reach_last: AtomicU64::new(0),
            order: AtomicU64::new(0),
            measured: AtomicBool::new(false),
            times: AtomicTimes::new(0),
            notices: std::array::from_fn(|_| notice()),
            rare: Rare::none(),
        }
    }

    /// Makes a record that was [`Task::clear`]ed a new task, with one count of `pending`. Entries for lists, and the
    /// times, keep what they were: they are filled in before they are used, where they are.
    fn renew(&mut self, role: Role, id: EventId) {
        self.state = State::new(Snapshot::NEW);
        self.pending = AtomicU32::new(1);
        self.role = role;
        self.profiled = false;
        self.executor = Executor::Nobody;
        self.weight = AtomicU8::new(crate::pool::weight::UNKNOWN);
        self.executed = NoticeList::new();
        self.retired = NoticeList::new();
        self.queue = std::ptr::null();
        self.groups = 0;
        self.id = id;
    }

    /// Lets go of whatever the task still holds. The rarely used part is left alone where nothing was in it: who frees a
    /// record that another processor has used fetches no more of it than it must.
    fn clear(&mut self) {
        if let Some(raw) = NonNull::new(self.cause.load(Ordering::Relaxed)) {
            self.cause = AtomicPtr::new(std::ptr::null_mut());
            // SAFETY: `blame` gave up this count, and it is taken back once.
            drop(unsafe { Arc::from_raw(raw.as_ptr()) });
        }
        if self.state.load().has_rare() || self.executor == Executor::OrderingDriver {
            self.rare = Rare::none();
        }
        // SAFETY: nobody else uses the task.
        let body = self.body.with_mut(|body| unsafe { (*body).take() });
        // SAFETY: as above.
        let queue = self.queue_alive.with_mut(|queue| unsafe { (*queue).take() });
        drop((body, queue));
    }

    /// Work of so many pieces, of which so many are best taken together, for so many workers; while nobody else sees the task.
    pub(crate) fn set_groups(&mut self, groups: u64, grain: u64, workers: usize) {
        self.groups = groups;
        if groups > 1 {
            // A run that leaves a worker without work would save nothing.
            let share = groups.div_ceil(workers.max(1) as u64);
            self.grain = u32::try_from(grain.clamp(1, share)).unwrap_or(u32::MAX);
            self.finished = AtomicU64::new(0);
            self.order = AtomicU64::new(0);
            self.measured = AtomicBool::new(false);
        }
    }

    /// Runs of pieces, which workers take, of work of many; all but the last one have the same length.
    pub(crate) fn runs(&self) -> u64 {
        self.groups.div_ceil(u64::from(self.grain))
    }

    /// The first of the pieces of neighbouring runs, and how many they are.
    pub(crate) fn pieces_of(&self, first: u64, count: u64) -> (u64, u64) {
        let grain = u64::from(self.grain);
        let begin = first.saturating_mul(grain).min(self.groups);
        (begin, count.saturating_mul(grain).min(self.groups - begin))
    }

    /// How far a command of a device that orders commands reaches back, while nobody else sees the task.
    pub(crate) fn set_reach(&mut self, reach: Reach) {
        self.finished = AtomicU64::new(reach.first);
        self.reach_last = AtomicU64::new(reach.last);
    }

    /// What [`Task::set_reach`] said; of no meaning for other tasks.
    pub(crate) fn reach(&self) -> Reach {
        Reach { first: self.finished.load(Ordering::Relaxed), last: self.reach_last.load(Ordering::Relaxed) }
    }

    /// When it was what; zeros where no times are kept.
    pub(crate) fn times(&self) -> Times {
        if self.profiled { self.times.read() } else { Times::default() }
    }

    pub(crate) fn ticket(&self) -> Option<Arc<Ticket>> {
        lock(&self.rare.ticket).clone()
    }

    pub(crate) fn set_ticket(&self, ticket: Arc<Ticket>) {
        *lock(&self.rare.ticket) = Some(ticket);
    }

    /// The ticket refers to the task: it goes when the task ends.
    pub(crate) fn clear_ticket(&self) {
        if self.executor == Executor::OrderingDriver {
            let ticket = lock(&self.rare.ticket).take();
            drop(ticket);
        }
    }

    /// The list that users of the event wait on.
    pub(crate) fn completion(&self) -> &NoticeList {
        if self.role == Role::InOrder { &self.retired } else { &self.executed }
    }

    /// Remembers why the task failed; the first cause stays.
    pub(crate) fn blame(&self, cause: &Arc<Failure>) {
        let raw = Arc::into_raw(Arc::clone(cause)).cast_mut();
        // Release publishes the failure to `cause`.
        let won =
            self.cause.compare_exchange(std::ptr::null_mut(), raw, Ordering::Release, Ordering::Relaxed);
        if won.is_err() {
            // SAFETY: the exchange failed, so the pointer just made is still only ours.
            drop(unsafe { Arc::from_raw(raw) });
        }
    }

    /// How many references there are.
    #[cfg(all(test, not(loom)))]
    pub(crate) fn references(&self) -> u32 {
        self.refs.load(Ordering::Relaxed)
    }

    pub(crate) fn has_cause(&self) -> bool {
        !self.cause.load(Ordering::Acquire).is_null()
    }

    /// Why the task failed.
    pub(crate) fn cause(&self) -> Option<Arc<Failure>> {
        // Pairs with the release in `blame`.
        let raw = NonNull::new(self.cause.load(Ordering::Acquire))?;
        // SAFETY: the pointer came from an `Arc` that this task holds until it is dropped.
        unsafe { Arc::increment_strong_count(raw.as_ptr()) };
        // SAFETY: the count was just taken.
        Some(unsafe { Arc::from_raw(raw.as_ptr()) })
    }

    pub(crate) fn outcome(&self) -> oxcl_driver::error::Outcome {
        self.cause().map_or(Ok(()), Err)
    }
}

impl Rare {
    fn none() -> Rare {
        Rare {
            row: Row::new(),
            more_notices: Box::default(),
            early: Mutex::new(Callbacks::EMPTY),
            ticket: Mutex::new(None),
        }
    }
}

/// A pointer to a task that something else keeps alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TaskPtr(NonNull<Task>);

// SAFETY: tasks are Send and Sync; the pointer is only an address.
unsafe impl Send for TaskPtr {}
// SAFETY: as for Send.
unsafe impl Sync for TaskPtr {}

impl TaskPtr {
    pub(crate) fn new(raw: *mut Task) -> Option<TaskPtr> {
        NonNull::new(raw).map(TaskPtr)
    }

    pub(crate) fn as_ptr(self) -> *mut Task {
        self.0.as_ptr()
    }

    /// Has what executing and retiring touch brought to this processor, as that is about to be done. Whether the record
    /// is still there is of no interest.
    #[inline]
    pub(crate) fn prefetch(self) {
        let lines = self.as_ptr().cast::<[u8; 64]>();
        crate::shim::prefetch_to_write(lines);
        crate::shim::prefetch_to_write(lines.wrapping_add(1));
    }

    /// Has a record brought to this processor that is likely to follow some steps behind this one, which follows on `before`: one
    /// cannot know where it is before those between are here, but records that were made in a row lie in a row.
    #[inline]
    pub(crate) fn prefetch_beyond(self, before: TaskPtr) {
        let step = (self.as_ptr().addr() as isize).wrapping_sub(before.as_ptr().addr() as isize);
        let beyond = self.as_ptr().wrapping_byte_offset(step.wrapping_mul(RECORDS_AHEAD));
        TaskPtr::new(beyond).inspect(|task| task.prefetch());
    }

    /// Has the count of what it waits for brought to this processor, which is about to change it.
    #[inline]
    pub(crate) fn prefetch_count(self) {
        crate::shim::prefetch_to_write(self.as_ptr());
    }

    /// Has a join's row brought to this processor, which may be about to close it.
    #[inline]
    pub(crate) fn prefetch_row(self) {
        crate::shim::prefetch_to_write(self.row());
    }

    /// The same for one of several processors that are about to read it.
    #[inline]
    pub(crate) fn prefetch_shared_row(self) {
        crate::shim::prefetch(self.row());
    }

    fn row(self) -> *const u8 {
        self.as_ptr().cast::<u8>().wrapping_add(std::mem::offset_of!(Task, rare))
    }

    /// The task.
    ///
    /// # Safety
    /// A reference to it is held, by whomever, for as long as the result is used.
    pub(crate) unsafe fn get<'a>(self) -> &'a Task {
        // SAFETY: the caller's promise.
        unsafe { self.0.as_ref() }
    }

    /// Takes `count` references more.
    ///
    /// # Safety
    /// A reference is held.
    pub(crate) unsafe fn retain(self, count: u32) {
        // SAFETY: the caller's promise. Relaxed, as a reference is already held.
        unsafe { self.get() }.refs.fetch_add(count, Ordering::Relaxed);
    }

    /// Gives one reference back.
    ///
    /// # Safety
    /// The reference was held and is not used afterwards.
    pub(crate) unsafe fn release(self) {
        // SAFETY: the caller's promise.
        let task = unsafe { self.get() };
        // Release publishes what was done with the task to whoever frees it; acquire is that one's side.
        if task.refs.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        // SAFETY: the last reference is gone, and the record was allocated by `Fresh::new`.
        unsafe { memory::free(self.0) };
    }
}

/// A reference to a task.
#[derive(Debug)]
pub(crate) struct TaskRef(TaskPtr);

/// A task that nobody else sees yet.
#[derive(Debug)]
pub(crate) struct Fresh(NonNull<Task>);

impl Fresh {
    /// A task with one count of `pending`; `None` where there is no memory.
    pub(crate) fn new(role: Role, id: EventId) -> Option<Fresh> {
        let mut fresh = Fresh(memory::allocate()?);
        fresh.renew(role, id);
        Some(fresh)
    }

    /// Sets bits of its state.
    pub(crate) fn mark(&mut self, bits: Snapshot) {
        self.state = State::new(self.state.load().and(bits));
    }

    /// What few tasks have, to put something there. All others leave it alone: it lies in cache lines that nothing else fetches.
    pub(crate) fn rare_mut(&mut self) -> &mut Rare {
        self.mark(Snapshot::RARE);
        &mut self.rare
    }

    /// From here on others may see it. The result is the first of so many references.
    pub(crate) fn share(mut self, references: u32) -> TaskRef {
        self.refs = AtomicU32::new(references);
        let record = self.0;
        std::mem::forget(self);
        TaskRef(TaskPtr(record))
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // Whatever was put there goes, whether or not it has been marked.
        self.rare = Rare::none();
        // SAFETY: the record is from `allocate`, and nobody else has seen it.
        unsafe { memory::free(self.0) };
    }
}

impl std::ops::Deref for Fresh {
    type Target = Task;

    fn deref(&self) -> &Task {
        // SAFETY: the record is a task's, and alive until this is dropped.
        unsafe { self.0.as_ref() }
    }
}

impl std::ops::DerefMut for Fresh {
    fn deref_mut(&mut self) -> &mut Task {
        // SAFETY: as above, and nobody else sees it.
        unsafe { self.0.as_mut() }
    }
}

impl TaskRef {
    /// A reference that was counted already.
    ///
    /// # Safety
    /// One count belongs to the result.
    pub(crate) unsafe fn adopt(task: TaskPtr) -> TaskRef {
        TaskRef(task)
    }

    /// Takes a reference to a task that is alive.
    ///
    /// # Safety
    /// A reference is held.
    pub(crate) unsafe fn share(task: TaskPtr) -> TaskRef {
        // SAFETY: the caller's promise.
        unsafe { task.retain(1) };
        TaskRef(task)
    }

    pub(crate) fn ptr(&self) -> TaskPtr {
        self.0
    }

    /// Gives the count to the caller.
    pub(crate) fn into_ptr(self) -> TaskPtr {
        let ptr = self.0;
        std::mem::forget(self);
        ptr
    }
}

impl Clone for TaskRef {
    fn clone(&self) -> TaskRef {
        // SAFETY: `self` is a reference.
        unsafe { TaskRef::share(self.0) }
    }
}

impl Drop for TaskRef {
    fn drop(&mut self) {
        // SAFETY: the count is ours and gone after this.
        unsafe { self.0.release() }
    }
}

impl std::ops::Deref for TaskRef {
    type Target = Task;

    fn deref(&self) -> &Task {
        // SAFETY: `self` is a reference.
        unsafe { self.0.get() }
    }
}
