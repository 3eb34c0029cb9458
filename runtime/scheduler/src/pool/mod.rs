//! The worker pool. N workers are N threads that may execute: N-1 threads of the pool, and slot 0, which one waiting
//! thread of the host program has at a time. With N = 1 there is no thread: work is executed by whoever waits, and by
//! whoever calls what must make progress (flush, a status query, setting a user event).
//!
//! Locks, outermost first: a queue's state, the idle list, the inject queue, the host slot's list. None is held while
//! work, callbacks or destructors run. Of drivers' functions one, `submit` of a device that orders commands
//! itself, is called with a queue's state locked, which keeps the queue's commands in order: a driver that calls the queue
//! from there would wait for itself.

pub(crate) mod affinity;
mod aside;
pub(crate) mod board;
mod callers;
mod cut;
pub(crate) mod idle;
pub(crate) mod inject;
mod looker;
#[cfg(all(test, loom))]
mod models;
pub(crate) mod parker;
pub(crate) mod ring;
mod spare;
mod threads;
mod wait;
mod waiters;
pub(crate) mod weight;
mod work;

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use self::aside::HostPlace;
use self::board::Board;
use self::callers::Callers;
use self::idle::Idle;
use self::inject::Inject;
use self::looker::Looker;
use self::ring::Ring;
use self::spare::Spare;
use self::waiters::Waiters;
use crate::observe::{CommandRecord, Observer};
use crate::shim::{AtomicBool, AtomicU64, Ordering};
use crate::task::list::TaskList;
use crate::task::{Task, TaskPtr};

pub(crate) use threads::Threads;
pub(crate) use wait::Goal;
use work::Found;

/// Ready tasks that a worker takes from the inject queue at once, at most.
const BATCH: usize = 32;

/// More tasks than there are workers.
const MANY: usize = usize::MAX;

/// Workers that one thread wakes at once, where it is not known that there is work for more.
const WAKE_AT_ONCE: usize = 2;

/// Workers that one thread wakes at once, at most: each that is woken wakes others in turn.
const WAKE_AT_MOST: usize = 16;

/// Of so many tasks one is taken from the inject queue before the worker's own ring, so that neither starves.
const FAIRNESS: u32 = 61;

/// Bits of the numbers that one scheduler gives.
const FIRST_NUMBERS: u32 = 43;

/// What all threads of a scheduler share.
#[derive(Debug)]
pub(crate) struct Core {
    /// N.
    pub(crate) workers: usize,
    rings: Box<[Ring]>,
    /// What several workers do together.
    board: Board,
    inject: Inject,
    /// What only threads of the host program take.
    callers: Callers,
    idle: Idle,
    /// The pool's threads are there and take work.
    threads_alive: AtomicBool,
    /// Somebody has slot 0.
    host_slot: AtomicBool,
    /// Where the host's thread runs.
    host_place: HostPlace,
    /// Host threads that wait for slot 0.
    host_waiters: Waiters,
    /// Work was left for whoever has slot 0, when there are no other threads.
    host_request: AtomicBool,
    spare: Spare,
    looker: Looker,
    next_id: AtomicU64,
    epoch: Instant,
    /// Workers may spin: there is a processor for each.
    may_spin: bool,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

/// A thread while it has a slot.
pub(crate) struct Local {
    slot: usize,
    ticks: Cell<u32>,
    /// Where its last chunk of a row came from.
    place: Cell<Option<usize>>,
    /// Chunks of one row that it has told and not reported.
    told: Cell<Option<Told>>,
}

impl Local {
    fn new(slot: usize) -> Local {
        Local { slot, ticks: Cell::new(0), place: Cell::new(None), told: Cell::new(None) }
    }
}

/// Tasks of a row that were told, which whoever tells the last has to know. The row, and its place on the board, stay until
/// they are reported.
#[derive(Debug, Clone, Copy)]
struct Told {
    place: usize,
    row: TaskPtr,
    count: u64,
}

crate::shim::per_thread! {
    /// The scheduler that this thread executes for, and its slot.
    static CURRENT: Cell<Option<(*const Core, usize)>> = Cell::new(None);
}

/// Marks the thread as a worker; the mark before comes back at the end.
struct Entered(Option<(*const Core, usize)>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.with(|current| current.set(self.0));
    }
}

impl Core {
    pub(crate) fn new(workers: usize, may_spin: bool, observer: Option<Arc<dyn Observer>>) -> Core {
        static CORES: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        // Devices may serve several schedulers: none has the numbers of another.
        let number = CORES.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % (1 << 20);
        // It must be there when there is no memory for it.
        drop(crate::release::out_of_memory());
        Core {
            workers,
            rings: (0..workers).map(|_| Ring::new()).collect(),
            board: Board::new(workers),
            inject: Inject::new(),
            callers: Callers::new(),
            idle: Idle::new(workers),
            threads_alive: AtomicBool::new(false),
            host_slot: AtomicBool::new(false),
            host_place: HostPlace::new(),
            host_waiters: Waiters::new(),
            host_request: AtomicBool::new(false),
            spare: Spare::new(),
            looker: Looker::new(),
            next_id: AtomicU64::new(number << FIRST_NUMBERS | 1),
            epoch: Instant::now(),
            may_spin,
            observer,
        }
    }

    /// Whether a thread that takes commands does neither look for some nor sleep.
    pub(crate) fn is_busy(&self) -> bool {
        // Relaxed: the answer is old when it is given, whatever it is.
        let host = usize::from(self.host_slot.load(Ordering::Relaxed));
        self.idle.resting() < self.workers.saturating_sub(1) + host
    }

    /// Whether a thread has slot 0.
    #[cfg(all(test, not(loom)))]
    pub(crate) fn has_host(&self) -> bool {
        self.host_slot.load(Ordering::Relaxed)
    }

    /// A number that no other event, queue or resource of this scheduler has.
    pub(crate) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Nanoseconds since the scheduler began; never 0.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX).max(1)
    }

    fn enter(&self, slot: usize) -> Entered {
        let mark = Some((std::ptr::from_ref(self), slot));
        Entered(CURRENT.with(|current| current.replace(mark)))
    }

    /// The slot of the calling thread, if it executes for this scheduler.
    fn current_slot(&self) -> Option<usize> {
        CURRENT.with(Cell::get).filter(|(core, _)| std::ptr::eq(*core, self)).map(|(_, slot)| slot)
    }

    fn has_threads(&self) -> bool {
        self.threads_alive.load(Ordering::Acquire)
    }

    /// Ready tasks that lie in queues, and chunks on the board, about.
    fn lying(&self) -> usize {
        let rings = self.rings.iter().map(|ring| usize::try_from(ring.len()).unwrap_or(usize::MAX));
        rings.fold(self.inject.len().saturating_add(self.board.left()), usize::saturating_add)
    }

    /// Whether any ready task lies in a queue, or a chunk is left on the board.
    fn has_work(&self) -> bool {
        self.inject.len() > 0 || self.board.has_work() || self.rings.iter().any(|ring| !ring.is_empty())
    }

    /// Takes tasks that an enqueue made ready. Wakes nobody for a single piece of work, unless nobody would find it
    /// later: a waiting thread is likely to follow, and a sleeping worker keeps watch.
    pub(crate) fn accept_enqueued(&self, task: TaskPtr) {
        // SAFETY: a ready task holds the scheduler's reference, until another thread can take it below.
        let pieces = unsafe { task.get() }.groups;
        let mut list = TaskList::default();
        list.push(task);
        let length = self.inject.push(list);
        self.tell(if pieces > 1 { MANY } else { length });
    }

    /// Takes tasks that became ready outside the workers. Without threads of the pool they are executed here and now,
    /// as the caller may be the last one to come by.
    pub(crate) fn accept(&self, list: TaskList) {
        let worth = self.worth_waking(&list);
        let for_many = list.iter().any(weight::is_for_many);
        let length = self.inject.push(weight::longest_first(list));
        if self.has_threads() {
            self.tell_at_once(if for_many { MANY } else { length }, worth);
        } else {
            self.help_out();
        }
    }

    /// Lets sleeping workers know of `amount` ready tasks: at once if it is more than one, else only if nobody keeps
    /// watch. Who searches already will find one of them.
    fn tell(&self, amount: usize) {
        self.tell_at_once(amount, WAKE_AT_ONCE);
    }

    /// How many workers to wake at once for these tasks.
    fn worth_waking(&self, list: &TaskList) -> usize {
        if self.workers <= 1 + WAKE_AT_ONCE {
            return WAKE_AT_ONCE;
        }
        weight::worth_waking(list, WAKE_AT_MOST).max(WAKE_AT_ONCE)
    }

    /// How many workers to wake at once for so much work that they can share.
    fn worth_waking_for(&self, nanoseconds: u64) -> usize {
        if self.workers <= 1 + WAKE_AT_ONCE {
            return WAKE_AT_ONCE;
        }
        weight::workers_for(nanoseconds, WAKE_AT_MOST).max(WAKE_AT_ONCE)
    }

    /// As [`Core::tell`], waking up to so many `at_once`.
    fn tell_at_once(&self, amount: usize, at_once: usize) {
        let seen = self.idle.after_push();
        if !seen.sleeping() || seen.searching() >= amount {
            return;
        }
        if amount > 1 {
            if self.current_slot().is_none() {
                self.host_place.is_here();
            }
            // Each of those who are woken wakes others in turn, so the workers are up after a few steps.
            for _ in 0..(amount - seen.searching()).min(at_once) {
                if !self.idle.wake_another() {
                    break;
                }
            }
        } else if seen.host_sleeps() || !seen.watched() {
            self.idle.wake_one();
        }
    }

    /// So much work waits for one task: when that ends there is work for several workers at once, of which so many were
    /// `told`. Others that sleep are woken beforehand, as a processor that has slept for long begins some hundred
    /// microseconds after it was told to; if the task does not end while they look for work, they sleep lightly for a
    /// while. Returns how many were told now.
    pub(crate) fn expect(&self, nanoseconds: u64, told: u64) -> u64 {
        // The thread that ends the task, or waits, is one of them.
        let wanted = (nanoseconds / weight::EXPECTED).min(self.workers as u64 - 1);
        if wanted <= told || !self.has_threads() {
            return told;
        }
        let woken = (told..wanted).take_while(|_| self.idle.wake_early()).count();
        if woken > 0 && self.current_slot().is_none() {
            self.host_place.is_here();
        }
        wanted
    }

    /// What is ready must make progress from here on, whether or not anybody calls again.
    pub(crate) fn flush(&self) {
        if let Some(slot) = self.current_slot() {
            // The caller executes, and goes on to; what only slot 0 takes needs a promise.
            if slot != 0 {
                self.promise();
            }
            return;
        }
        if !self.has_threads() {
            self.help_out();
            return;
        }
        // First, as what they set free may be for the workers.
        self.call_in();
        self.promise();
        self.rouse();
    }

    /// Wakes a worker if there is something to do for it.
    fn rouse(&self) {
        if self.inject.len() > 0 && self.idle.after_push().sleeping() {
            self.idle.wake_one();
        }
    }

    /// As [`Core::flush`], but a single task is left for a moment to whoever keeps watch: the caller is likely to wait
    /// for it next, and executes it then.
    pub(crate) fn flush_soon(&self) {
        if self.callers.is_used() || self.inject.len() != 1 || !self.idle.after_push().watched() {
            self.flush();
        }
    }

    /// Takes what a worker does next. Unless that is more of the same row, what it has told is reported.
    fn find(&self, local: &Local) -> Option<Found> {
        let found = self.find_next(local);
        let goes_on = |told: Told| matches!(found, Some(Found::Chunk(claim)) if claim.task == told.row);
        if local.told.get().is_some_and(|told| !goes_on(told)) {
            self.report(local);
        }
        found
    }

    fn find_next(&self, local: &Local) -> Option<Found> {
        if local.slot == 0
            && self.callers.has_work()
            && let Some(task) = self.callers.take()
        {
            return Some(Found::Task(task));
        }
        let ticks = local.ticks.get().wrapping_add(1);
        local.ticks.set(ticks);
        if ticks.is_multiple_of(FAIRNESS)
            && let Some(task) = self.take_injected(local.slot)
        {
            return Some(Found::Task(task));
        }
        if let Some(task) = self.rings[local.slot].pop() {
            return Some(Found::Task(task));
        }
        // Where there was a chunk last there is mostly another one.
        let again = local.place.take().and_then(|place| self.board.claim_seen(place, local.slot));
        if let Some(claim) = again.or_else(|| self.board.claim_any(local.slot)) {
            return Some(Found::Chunk(claim));
        }
        self.take_injected(local.slot).or_else(|| self.steal(local.slot)).map(Found::Task)
    }

    /// Takes a share of the inject queue: one task to return, the others for the worker's ring.
    fn take_injected(&self, slot: usize) -> Option<TaskPtr> {
        let waiting = self.inject.len();
        if waiting == 0 {
            return None;
        }
        let room =
            ring::CAPACITY.saturating_sub(usize::try_from(self.rings[slot].len()).unwrap_or(usize::MAX));
        let share = (waiting / (2 * self.workers)).clamp(1, BATCH.min(room + 1));
        let mut first = None;
        let mut rest = TaskList::default();
        let mut enough = weight::Enough::default();
        self.inject.take(share, |task| {
            if first.is_none() {
                first = Some(task);
            } else {
                rest.push(task);
            }
            enough.after(task)
        });
        self.push_own(slot, rest);
        first
    }

    fn steal(&self, slot: usize) -> Option<TaskPtr> {
        let mine = &self.rings[slot];
        (1..self.workers).find_map(|step| self.rings[(slot + step) % self.workers].steal(mine, self.workers))
    }

    /// Puts tasks on a worker's ring, and what does not fit on the inject queue.
    fn push_own(&self, slot: usize, mut list: TaskList) {
        self.rings[slot].push_list(&mut list);
        if !list.is_empty() {
            self.inject.push(list);
        }
    }

    /// Remembers when a task ended, and tells the observer.
    pub(crate) fn finish_times(&self, task: &Task, lane: Option<usize>) {
        if !task.profiled {
            return;
        }
        // A device of another machine has said when that was.
        if task.times.ended.load(Ordering::Relaxed) == 0 {
            task.times.ended.store(self.now(), Ordering::Relaxed);
        }
        if let Some(observer) = &self.observer {
            // SAFETY: the body is set before the task is ready and taken when it ends, which is after this.
            let body = task.body.with(|body| unsafe { (*body).clone() });
            observer.command(&CommandRecord {
                event: task.id,
                label: body.as_ref().map_or("command", |launch| launch.label()),
                times: task.times.read(),
                groups: task.groups,
                lane,
            });
        }
    }

    /// From here on there are threads that take work.
    pub(crate) fn begin_threads(&self) {
        self.threads_alive.store(self.workers > 1, Ordering::Release);
    }

    /// Ends the pool's threads' work: from here on work is executed as with N = 1.
    pub(crate) fn stop_threads(&self) {
        self.threads_alive.store(false, Ordering::Release);
        // Pairs with the fence in `Idle::sleep`: a thread that falls asleep now sees the store above.
        crate::shim::fence(Ordering::SeqCst);
        self.idle.wake_all();
        self.host_waiters.wake_all();
    }
}
