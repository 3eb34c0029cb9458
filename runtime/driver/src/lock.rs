//! The lock of everything here and in drivers whose state a panic cannot leave half-changed.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks. That another thread has panicked with the lock held is of no interest.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
