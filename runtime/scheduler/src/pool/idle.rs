//! Who searches for work, who sleeps, and whom to wake.
//!
//! The word counts searching workers and sleeping workers, and says whether a sleeping worker keeps watch (wakes every
//! 50 us to see whether something lies untaken) and whether the sleeping ones include the host thread's slot. It is
//! written with the lock of the list of sleepers, except for the count of searching workers.
//!
//! No wake-up is lost: who adds work does so, then a fence, then reads the word; who goes to sleep writes itself into
//! the word, then a fence, then looks for work again. One of the two sees the other. A worker that stops searching
//! looks once more too (it either goes to sleep, as above, or found work and then, as the last one searching, after a
//! fence, wakes another if there is more). So while somebody searches nobody needs to be woken.

use std::sync::Arc;

use super::parker::Parker;
use crate::shim::{AtomicU64, Mutex, Ordering, fence, lock};

const SEARCHING: u64 = 1;
const SEARCHING_MASK: u64 = 0xffff;
const SLEEPING: u64 = 1 << 16;
const SLEEPING_MASK: u64 = 0xffff << 16;
const WATCH: u64 = 1 << 32;
const HOST: u64 = 1 << 33;

/// The word, read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdleSnapshot(u64);

impl IdleSnapshot {
    /// How many workers search.
    pub(crate) fn searching(self) -> usize {
        usize::try_from(self.0 & SEARCHING_MASK).unwrap_or(usize::MAX)
    }

    pub(crate) fn sleeping(self) -> bool {
        self.0 & SLEEPING_MASK != 0
    }

    pub(crate) fn watched(self) -> bool {
        self.0 & WATCH != 0
    }

    pub(crate) fn host_sleeps(self) -> bool {
        self.0 & HOST != 0
    }
}

/// A sleeping worker.
#[derive(Debug)]
struct Sleeper {
    slot: usize,
    watches: bool,
    parker: Arc<Parker>,
}

/// See the module's header.
#[derive(Debug)]
pub(crate) struct Idle {
    word: AtomicU64,
    sleepers: Mutex<Vec<Sleeper>>,
}

impl Idle {
    pub(crate) fn new(workers: usize) -> Idle {
        Idle { word: AtomicU64::new(0), sleepers: Mutex::new(Vec::with_capacity(workers)) }
    }

    /// The word, after work was added: sees every sleeper that did not see the work.
    pub(crate) fn after_push(&self) -> IdleSnapshot {
        // Pairs with the fence in `sleep`.
        fence(Ordering::SeqCst);
        IdleSnapshot(self.word.load(Ordering::Relaxed))
    }

    /// Whether anybody sleeps, to look at: the answer may be old.
    pub(crate) fn has_sleepers(&self) -> bool {
        IdleSnapshot(self.word.load(Ordering::Relaxed)).sleeping()
    }

    /// How many workers search or sleep.
    pub(crate) fn resting(&self) -> usize {
        // Relaxed: a number to look at.
        let word = self.word.load(Ordering::Relaxed);
        let sleeping = usize::try_from((word & SLEEPING_MASK) / SLEEPING).unwrap_or(usize::MAX);
        IdleSnapshot(word).searching().saturating_add(sleeping)
    }

    pub(crate) fn begin_search(&self) {
        self.word.fetch_add(SEARCHING, Ordering::AcqRel);
    }

    /// The caller found work. Who searches and sleeps now; who falls asleep later looks for work by itself.
    pub(crate) fn end_search(&self) -> IdleSnapshot {
        let now = IdleSnapshot(self.word.fetch_sub(SEARCHING, Ordering::AcqRel) - SEARCHING);
        if now.sleeping() {
            // Pairs with the fence in `after_push`: who added work and saw the caller search left it to the caller,
            // who sees the work.
            fence(Ordering::SeqCst);
        }
        now
    }

    /// The caller, who was searching, goes to sleep. It must look for work once more and then either park or
    /// [`Idle::rise`]. Whether it is to keep watch, which it is only asked to if it `can`.
    pub(crate) fn sleep(&self, slot: usize, parker: &Arc<Parker>, can: bool) -> bool {
        let mut sleepers = lock(&self.sleepers);
        let watches = can && self.word.load(Ordering::Relaxed) & WATCH == 0;
        sleepers.push(Sleeper { slot, watches, parker: Arc::clone(parker) });
        let mut change = SLEEPING - SEARCHING;
        if watches {
            change += WATCH;
        }
        if slot == 0 {
            change += HOST;
        }
        self.word.fetch_add(change, Ordering::AcqRel);
        drop(sleepers);
        // Pairs with the fence in `after_push`.
        fence(Ordering::SeqCst);
        watches
    }

    fn remove(&self, sleepers: &mut Vec<Sleeper>, index: usize) -> Sleeper {
        let sleeper = sleepers.remove(index);
        let mut change = SLEEPING - SEARCHING;
        if sleeper.watches {
            change += WATCH;
        }
        if sleeper.slot == 0 {
            change += HOST;
        }
        self.word.fetch_sub(change, Ordering::AcqRel);
        sleeper
    }

    /// The caller does not sleep any longer; it searches, whether it was woken or not. Whether nobody had woken it.
    pub(crate) fn rise(&self, slot: usize) -> bool {
        let mut sleepers = lock(&self.sleepers);
        match sleepers.iter().position(|sleeper| sleeper.slot == slot) {
            Some(index) => {
                self.remove(&mut sleepers, index);
                true
            }
            None => false,
        }
    }

    /// The caller sleeps on, but keeps watch no longer. It must look for work once more.
    pub(crate) fn stop_watching(&self, slot: usize) {
        let mut sleepers = lock(&self.sleepers);
        if let Some(sleeper) = sleepers.iter_mut().find(|sleeper| sleeper.slot == slot)
            && sleeper.watches
        {
            sleeper.watches = false;
            self.word.fetch_sub(WATCH, Ordering::AcqRel);
        }
        drop(sleepers);
        // Pairs with the fence in `after_push`.
        fence(Ordering::SeqCst);
    }

    /// Wakes a sleeping worker, unless one is searching.
    pub(crate) fn wake_one(&self) {
        let seen = IdleSnapshot(self.word.load(Ordering::Relaxed));
        if seen.searching() == 0 && seen.sleeping() {
            self.wake(|now| now.searching() == 0);
        }
    }

    /// Wakes a sleeping worker beside those who are searching: there is work for more. Whether one slept.
    pub(crate) fn wake_another(&self) -> bool {
        self.wake(|_| true)
    }

    /// Wakes a sleeping worker if `wanted` says so with the list locked: the host's slot first, as it waits for a
    /// result, then the one that fell asleep last. Whether one was woken.
    fn wake(&self, wanted: impl Fn(IdleSnapshot) -> bool) -> bool {
        let mut sleepers = lock(&self.sleepers);
        if !wanted(IdleSnapshot(self.word.load(Ordering::Relaxed))) {
            return false;
        }
        let host = sleepers.iter().position(|sleeper| sleeper.slot == 0);
        let Some(index) = host.or_else(|| sleepers.len().checked_sub(1)) else { return false };
        // The woken worker counts as searching from here on.
        let sleeper = self.remove(&mut sleepers, index);
        drop(sleepers);
        sleeper.parker.unpark();
        true
    }

    /// Wakes the worker of the pool that has slept longest: there is no work yet, but there will be. Whether one slept.
    pub(crate) fn wake_early(&self) -> bool {
        // Nothing is lost if an older word is read: who adds the work will wake somebody.
        if !IdleSnapshot(self.word.load(Ordering::Relaxed)).sleeping() {
            return false;
        }
        let mut sleepers = lock(&self.sleepers);
        let Some(index) = sleepers.iter().position(|sleeper| sleeper.slot != 0) else { return false };
        let sleeper = self.remove(&mut sleepers, index);
        drop(sleepers);
        sleeper.parker.unpark();
        true
    }

    /// Wakes the host's slot, if it sleeps.
    pub(crate) fn wake_host(&self) {
        let mut sleepers = lock(&self.sleepers);
        if let Some(index) = sleepers.iter().position(|sleeper| sleeper.slot == 0) {
            let sleeper = self.remove(&mut sleepers, index);
            drop(sleepers);
            sleeper.parker.unpark();
        }
    }

    /// Wakes everybody, to end.
    pub(crate) fn wake_all(&self) {
        let mut sleepers = lock(&self.sleepers);
        while !sleepers.is_empty() {
            let sleeper = self.remove(&mut sleepers, 0);
            sleeper.parker.unpark();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn who_is_woken_early_is_of_the_pool_and_has_slept_longest() {
        let idle = Idle::new(3);
        let parkers: [Arc<Parker>; 3] = std::array::from_fn(|_| Arc::new(Parker::new()));
        let was_woken = || parkers.each_ref().map(|parker| parker.park_timeout(Duration::ZERO));
        assert!(!idle.wake_early());
        for slot in [0, 2, 1] {
            idle.begin_search();
            idle.sleep(slot, &parkers[slot], false);
        }
        assert_eq!(was_woken(), [false; 3]);
        assert!(idle.wake_early());
        assert_eq!(was_woken(), [false, false, true]);
        // It counts as searching until it says that it does not.
        assert_eq!(idle.after_push().searching(), 1);
        assert!(idle.wake_early());
        assert_eq!(was_woken(), [false, true, false]);
        assert!(!idle.wake_early());
        assert_eq!(was_woken(), [false; 3]);
        assert!(idle.after_push().host_sleeps());
    }
}
