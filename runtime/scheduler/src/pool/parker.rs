//! Puts one thread to sleep until it is told to go on. A token that arrives first is kept.

use std::sync::OnceLock;
use std::time::Duration;

use rustix::thread::{Pid, gettid};

use super::affinity::{Elsewhere, is_virtual};
use crate::faults;
use crate::shim::{AtomicU32, Condvar, Mutex, Ordering, lock};

const EMPTY: u32 = 0;
const TOKEN: u32 = 1;
const ASLEEP: u32 = 2;

/// One thread's place to sleep.
#[derive(Debug)]
pub(crate) struct Parker {
    state: AtomicU32,
    mutex: Mutex<()>,
    signal: Condvar,
    /// Who wakes the thread cares for where it goes on.
    cares: bool,
    /// The thread, from its first sleep on, in that case. Most that wait do not sleep.
    sleeper: OnceLock<Option<Box<Sleeper>>>,
}

/// A thread that sleeps.
#[derive(Debug)]
struct Sleeper {
    thread: Pid,
    place: Elsewhere,
}

impl Parker {
    pub(crate) fn new() -> Parker {
        let (mutex, signal) = (Mutex::new(()), Condvar::new());
        Parker { state: AtomicU32::new(EMPTY), mutex, signal, cares: false, sleeper: OnceLock::new() }
    }

    /// One for one thread, which does not go on, when it is woken, where who wakes it does.
    pub(crate) fn going_elsewhere() -> Parker {
        Parker { cares: !cfg!(loom) && is_virtual(), ..Parker::new() }
    }

    /// Sleeps until there is a token, and takes it. Only one thread calls this.
    pub(crate) fn park(&self) {
        self.sleep(None);
    }

    /// Sleeps until there is a token, and takes it, but no longer than `limit`. Whether there was a token.
    pub(crate) fn park_timeout(&self, limit: Duration) -> bool {
        self.sleep(Some(limit))
    }

    fn sleep(&self, limit: Option<Duration>) -> bool {
        // Acquire pairs with the release in `unpark`: what came before the token is visible.
        if self.state.swap(EMPTY, Ordering::Acquire) == TOKEN {
            return true;
        }
        let mut guard = lock(&self.mutex);
        if self.state.compare_exchange(EMPTY, ASLEEP, Ordering::Acquire, Ordering::Acquire).is_err() {
            // A token came in between.
            return self.state.swap(EMPTY, Ordering::Acquire) == TOKEN;
        }
        let sleeper = if self.cares { self.sleeper() } else { None };
        sleeper.inspect(|sleeper| sleeper.place.sleeps());
        let told = loop {
            guard = match limit {
                None => self.signal.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner),
                Some(limit) => wait_timeout(&self.signal, guard, limit),
            };
            // Acquire pairs with the release in `unpark`. One step: what comes before a second token, which this one takes
            // with the first, is visible too.
            if self.state.compare_exchange(TOKEN, EMPTY, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                break true;
            }
            if limit.is_some() {
                break self.state.swap(EMPTY, Ordering::Acquire) == TOKEN;
            }
        };
        drop(guard);
        sleeper.inspect(|sleeper| sleeper.place.runs());
        told
    }

    /// The calling thread; none where there is no memory for it.
    fn sleeper(&self) -> Option<&Sleeper> {
        let this = || Sleeper { thread: gettid(), place: Elsewhere::default() };
        self.sleeper.get_or_init(|| faults::try_box(this()).ok()).as_deref()
    }

    /// Leaves a token, and wakes the thread if it sleeps.
    pub(crate) fn unpark(&self) {
        // Release pairs with the acquires in `sleep`.
        if self.state.swap(TOKEN, Ordering::AcqRel) == ASLEEP {
            // The sleeper holds the lock from the moment it says so until it waits.
            drop(lock(&self.mutex));
            self.signal.notify_one();
            let sleeper = self.sleeper.get().and_then(Option::as_ref);
            sleeper.inspect(|sleeper| sleeper.place.send_woken(sleeper.thread));
        }
    }
}

#[cfg(not(loom))]
fn wait_timeout<'a>(
    signal: &Condvar,
    guard: crate::shim::MutexGuard<'a, ()>,
    limit: Duration,
) -> crate::shim::MutexGuard<'a, ()> {
    signal.wait_timeout(guard, limit).unwrap_or_else(std::sync::PoisonError::into_inner).0
}

/// Loom has no time; sleeping with a limit is sleeping until woken.
#[cfg(loom)]
fn wait_timeout<'a>(
    signal: &Condvar,
    guard: crate::shim::MutexGuard<'a, ()>,
    _limit: Duration,
) -> crate::shim::MutexGuard<'a, ()> {
    signal.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner)
}
