//! Threads of the host program that wait: they execute work meanwhile, if slot 0 is free, and sleep otherwise.

use std::sync::Arc;
use std::time::Duration;

use super::aside::Aside;
use super::board::Claim;
use super::parker::Parker;
use super::spare::Spare;
use super::{Core, Found, Local};
use crate::faults;
use crate::shim::{Ordering, fence, spin_loop};
use crate::task::Task;
use crate::task::notice::{NoticeList, Registered};

/// What a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// The event is complete.
    Complete,
    /// The command and all before it in its queue have ended.
    Retired,
}

impl Goal {
    pub(crate) fn reached(self, task: &Task) -> bool {
        let state = task.state.load();
        match self {
            Goal::Complete => state.is_complete(),
            Goal::Retired => state.is_retired(),
        }
    }

    /// The list that is delivered right after the goal is reached.
    fn list(self, task: &Task) -> &NoticeList {
        match self {
            Goal::Complete => task.completion(),
            Goal::Retired => &task.retired,
        }
    }
}

/// How long somebody spins before sleeping: about what waking costs.
const SPIN_ROUNDS: u32 = if cfg!(loom) { 1 } else { 1600 };

/// How often a worker looks at the board before it says that it searches, and hints between two looks: a few microseconds
/// in all.
const LINGER_ROUNDS: u32 = if cfg!(loom) { 0 } else { 50 };
const LINGER_PAUSE: u32 = 2;

/// After so many rounds a worker of the pool takes a task that lies alone: a few microseconds.
const PATIENCE: u32 = if cfg!(loom) { 1 } else { 64 };

/// How long a thread sleeps at a time for which there was no memory for the entry that would wake it.
const UNHEARD: Duration = Duration::from_micros(100);

/// Sleeps until woken, or for a while if not everybody knows whom to wake.
fn sleep(parker: &Parker, registered: bool) {
    if registered {
        parker.park();
    } else {
        parker.park_timeout(UNHEARD);
    }
}

/// What a thread waits for.
#[derive(Clone, Copy)]
pub(super) enum Awaited<'a> {
    /// A task, of which the caller holds a reference.
    Task(&'a Task, Goal),
    /// That all threads are back for which this one stands in.
    Others(&'a Spare),
}

impl Awaited<'_> {
    fn is_reached(self) -> bool {
        match self {
            Awaited::Task(task, goal) => goal.reached(task),
            Awaited::Others(spare) => spare.is_over(),
        }
    }
}

/// A thread's place to sleep, for as long as it waits for one thing. There may be no memory for it: then nobody can wake
/// the thread.
#[derive(Default)]
pub(super) struct Place {
    parker: Option<Arc<Parker>>,
    /// Who brings about what is awaited wakes it.
    registered: bool,
}

impl Place {
    /// A place that those know who will wake the thread.
    pub(super) fn known(parker: Arc<Parker>) -> Place {
        Place { parker: Some(parker), registered: true }
    }

    fn get(&mut self) -> Option<&Arc<Parker>> {
        if self.parker.is_none() {
            self.parker = faults::try_arc(Parker::going_elsewhere()).ok();
        }
        self.parker.as_ref()
    }

    /// The place, if whoever reaches the goal wakes the thread.
    pub(super) fn heard(self) -> Option<Arc<Parker>> {
        self.parker.filter(|_| self.registered)
    }

    /// Has the thread woken when the goal is reached. Whether it was reached before.
    pub(super) fn register(&mut self, task: &Task, goal: Goal) -> bool {
        if self.registered {
            return false;
        }
        let Some(parker) = self.get() else { return false };
        let result = goal.list(task).push_thread(Arc::clone(parker));
        self.registered = result != Registered::NoMemory;
        result == Registered::Closed
    }

    fn register_for(&mut self, awaited: Awaited<'_>) -> bool {
        match awaited {
            Awaited::Task(task, goal) => self.register(task, goal),
            Awaited::Others(_) => false,
        }
    }
}

/// Spin-loop hints between two looks for work, at most: about 0.05 us, as that is what a start is late.
const LONGEST_PAUSE: u32 = 4;

/// Sleeps for a while: nobody can wake this thread.
fn doze() {
    #[cfg(not(loom))]
    std::thread::sleep(UNHEARD);
    #[cfg(loom)]
    spin_loop();
}

impl Core {
    /// Returns when the goal is reached. The caller holds a reference to the task.
    pub(crate) fn wait(&self, task: &Task, goal: Goal) {
        if goal.reached(task) {
            return;
        }
        if let Some(slot) = self.current_slot() {
            // Within a callback or a kernel of this scheduler: go on executing in the same slot.
            if slot != 0 {
                self.promise();
            }
            let local = Local::new(slot);
            self.help_until(&local, Awaited::Task(task, goal), Place::default());
        } else if !self.wait_aside(task, goal) {
            self.wait_as_host(Awaited::Task(task, goal), Place::default());
        }
    }

    /// Executes in place of others until they are back.
    pub(super) fn wait_as_host_while_absent(&self) {
        self.wait_as_host(Awaited::Others(&self.spare), self.spare.place());
    }

    fn wait_as_host(&self, awaited: Awaited<'_>, mut place: Place) {
        let mut slotless = false;
        while !awaited.is_reached() {
            if self.take_host_slot() {
                let local = Local::new(0);
                self.help_until(&local, awaited, place);
                self.leave_host_slot();
                return;
            }
            slotless = true;
            // Another thread has the slot. Sleep until the goal is reached or the slot is free.
            if place.register_for(awaited) {
                continue;
            }
            self.sleep_slotless(awaited, &mut place);
        }
        if slotless {
            // Who left the slot may have left commands to this thread, which goes without having taken it.
            self.look_after_callers();
        }
    }

    /// Sleeps until the goal is reached or slot 0 may be free.
    fn sleep_slotless(&self, awaited: Awaited<'_>, place: &mut Place) {
        let Some(parker) = place.get().map(Arc::clone) else { return doze() };
        let listed = self.host_waiters.add(&parker);
        // Pairs with the fence in `leave_host_slot`: it sees this waiter, or this thread sees the slot free.
        fence(Ordering::SeqCst);
        if self.host_slot.load(Ordering::Relaxed) && !awaited.is_reached() {
            self.rouse();
            sleep(&parker, place.registered && listed);
        }
        self.host_waiters.remove(&parker);
    }

    pub(super) fn take_host_slot(&self) -> bool {
        // Acquire pairs with the release in `leave_host_slot`: the ring of slot 0 changes its owner.
        self.host_slot.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Gives slot 0 up, and makes sure that what is still to be done is found.
    pub(super) fn leave_host_slot(&self) {
        loop {
            // Release pairs with the acquire in `take_host_slot`.
            self.host_slot.store(false, Ordering::Release);
            // Pairs with the fences in `wait`, `help_out` and `settle_callers`.
            fence(Ordering::SeqCst);
            if self.has_threads() {
                match self.rings[0].len() {
                    0 => {}
                    left => self.tell(usize::try_from(left).unwrap_or(super::MANY)),
                }
            } else if self.host_request.swap(false, Ordering::AcqRel) && self.take_host_slot() {
                self.drain(0);
                continue;
            }
            break;
        }
        // All of them: one alone might have reached its goal meanwhile and leave the slot unused.
        if !self.host_waiters.wake_all() {
            self.look_after_callers();
        }
    }

    /// Executes everything that is ready, in the caller, where no thread of the pool will. If another thread has the
    /// slot it is asked to.
    pub(crate) fn help_out(&self) {
        if !self.has_work_for(0) {
            return;
        }
        self.host_request.store(true, Ordering::Release);
        if self.current_slot().is_some() {
            // This thread has a slot; if it leaves with work undone it finds the request.
            return;
        }
        // Pairs with the fence in `leave_host_slot`: it sees the request, or this thread gets the slot.
        fence(Ordering::SeqCst);
        if self.take_host_slot() {
            self.host_request.store(false, Ordering::Release);
            self.drain(0);
            self.leave_host_slot();
        } else if self.idle.after_push().host_sleeps() {
            self.idle.wake_one();
        }
    }

    /// Executes until nothing is ready. The caller has the slot.
    pub(crate) fn drain(&self, slot: usize) {
        let local = Local::new(slot);
        while let Some(task) = self.find(&local) {
            self.run(&local, task, || false);
        }
    }

    /// Executes work until the goal is reached; spins, then sleeps while there is none.
    fn help_until(&self, local: &Local, awaited: Awaited<'_>, mut place: Place) {
        let looker = if local.slot == 0 { self.looker.get() } else { None };
        // What the look has brought about counts at once.
        let is_over = || {
            awaited.is_reached()
                || looker.as_ref().is_some_and(|driver| {
                    driver.look();
                    awaited.is_reached()
                })
        };
        let aside = Aside::default();
        loop {
            if awaited.is_reached() {
                self.report(local);
                return;
            }
            if local.slot == 0 {
                // Each time, as the system may move the thread while it executes.
                aside.keep(&self.host_place);
                self.host_place.is_here();
            }
            if let Some(found) = self.find(local) {
                self.run(local, found, || awaited.is_reached());
                continue;
            }
            if looker.is_none()
                && let Some(found) = self.linger(local, || awaited.is_reached())
            {
                self.run(local, found, || awaited.is_reached());
                continue;
            }
            self.idle.begin_search();
            match self.search(local, looker.is_some(), is_over) {
                Search::Found(found) => {
                    self.stop_searching();
                    self.run(local, found, || awaited.is_reached());
                    continue;
                }
                Search::Over => {
                    self.stop_searching();
                    return;
                }
                Search::Nothing => {}
            }
            if place.register_for(awaited) {
                // The list is closed only after the goal was reached.
                self.stop_searching();
                continue;
            }
            let registered = place.registered;
            let Some(parker) = place.get() else {
                // As one that searches, which others rely on: it does so again soon.
                doze();
                self.stop_searching();
                continue;
            };
            self.idle.sleep(local.slot, parker, false);
            if !awaited.is_reached() && !self.has_work_for(local.slot) {
                if local.slot == 0 {
                    self.host_place.is_left();
                }
                sleep(parker, registered);
            }
            self.idle.rise(local.slot);
            self.stop_searching();
        }
    }

    /// The caller searches no longer. If nobody else does and there is work, somebody is woken; where there is plenty,
    /// more. Where nobody sleeps, the word that all share is not looked at twice: those who begin together wait for it.
    pub(super) fn stop_searching(&self) {
        let seen = self.idle.end_search();
        if !seen.sleeping() {
            return;
        }
        if seen.searching() == 0 && self.has_work() {
            self.idle.wake_one();
        }
        if self.workers > 2 {
            let lying = self.lying();
            if lying > 1 {
                self.tell(lying);
            }
        }
    }

    /// Looks at the board for a moment, where nobody sleeps, without counting as one who searches: workers that come out of a
    /// row of tasks or a launch one after the other, and begin the next one together, would pass the word that all share from
    /// one to the next for each of both, and begin late. Nobody relies on who is here: with somebody asleep that one is woken.
    pub(super) fn linger(&self, local: &Local, over: impl Fn() -> bool) -> Option<Found> {
        for _ in 0..LINGER_ROUNDS {
            if !self.may_spin || self.idle.has_sleepers() || over() {
                return None;
            }
            if let Some(claim) = self.claim_open(local) {
                return Some(Found::Chunk(claim));
            }
            // What is not on the board may be left to others for a while.
            if self.has_work_for(local.slot) {
                return None;
            }
            for _ in 0..LINGER_PAUSE {
                spin_loop();
            }
        }
        None
    }

    /// Takes a chunk of what stands on the board, for one who looks again and again. What only slot 0 executes comes first.
    fn claim_open(&self, local: &Local) -> Option<Claim> {
        let place = self.board.open_place()?;
        if local.slot == 0 && self.callers.has_work() {
            return None;
        }
        self.board.claim_seen(place, local.slot)
    }

    /// Looks for work for a while, less and less often. A worker of the pool leaves a task that lies alone for a little
    /// while to the thread that has just enqueued it, which is likely to wait for it next.
    /// Where `looks`, `over` does more than that, and somebody has made sure that there is a processor for it.
    pub(super) fn search(&self, local: &Local, looks: bool, over: impl Fn() -> bool) -> Search {
        let rounds = if self.may_spin || looks { SPIN_ROUNDS } else { SPIN_ROUNDS.min(4) };
        let mut pause = 1;
        let mut takes = self.inject.takes();
        let mut alone = 0;
        for _ in 0..rounds {
            if over() {
                return Search::Over;
            }
            if let Some(claim) = self.claim_open(local) {
                return Search::Found(Found::Chunk(claim));
            }
            if self.has_work_for(local.slot) {
                let now = self.inject.takes();
                alone = if now == takes { alone + 1 } else { 1 };
                takes = now;
                let leave = local.slot != 0 && alone < PATIENCE && self.is_alone();
                if !leave && let Some(task) = self.find(local) {
                    return Search::Found(task);
                }
            }
            for _ in 0..pause {
                spin_loop();
            }
            // A look at messages takes longer than a pause is to.
            pause = if cfg!(loom) || looks { 1 } else { (pause + 1).min(LONGEST_PAUSE) };
        }
        // What still lies there is taken before anybody sleeps.
        self.find(local).map_or(Search::Nothing, Search::Found)
    }

    /// Whether the only work that lies anywhere is one task on the inject queue.
    fn is_alone(&self) -> bool {
        self.inject.len() == 1 && !self.board.has_work() && self.rings.iter().all(super::ring::Ring::is_empty)
    }
}

/// What a search ended with.
pub(super) enum Search {
    Found(Found),
    Over,
    Nothing,
}
