//! Puts one thread to sleep until it is told to go on. A token that arrives first is kept.

use std::time::Duration;

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
}

impl Parker {
    pub(crate) fn new() -> Parker {
        Parker { state: AtomicU32::new(EMPTY), mutex: Mutex::new(()), signal: Condvar::new() }
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
        loop {
            guard = match limit {
                None => self.signal.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner),
                Some(limit) => wait_timeout(&self.signal, guard, limit),
            };
            // Acquire pairs with the release in `unpark`. One step: what comes before a second token, which this one takes
            // with the first, is visible too.
            if self.state.compare_exchange(TOKEN, EMPTY, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return true;
            }
            if limit.is_some() {
                return self.state.swap(EMPTY, Ordering::Acquire) == TOKEN;
            }
        }
    }

    /// Leaves a token, and wakes the thread if it sleeps.
    pub(crate) fn unpark(&self) {
        // Release pairs with the acquires in `sleep`.
        if self.state.swap(TOKEN, Ordering::AcqRel) == ASLEEP {
            // The sleeper holds the lock from the moment it says so until it waits.
            drop(lock(&self.mutex));
            self.signal.notify_one();
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
