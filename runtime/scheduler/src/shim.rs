//! Atomics, locks, cells and threads: the standard library's, or loom's under `--cfg loom`. Everything in this crate
//! that two threads share comes from here, so that the models check the code that runs.

/// A value for each thread, from a constant expression. Loom runs its threads on one thread of the system, so it brings
/// its own.
#[cfg(loom)]
macro_rules! per_thread {
    ($(#[$meta:meta])* static $name:ident: $type:ty = $value:expr;) => {
        loom::thread_local! { $(#[$meta])* static $name: $type = $value; }
    };
}
#[cfg(not(loom))]
macro_rules! per_thread {
    ($(#[$meta:meta])* static $name:ident: $type:ty = $value:expr;) => {
        std::thread_local! { $(#[$meta])* static $name: $type = const { $value }; }
    };
}
pub(crate) use per_thread;

#[cfg(loom)]
mod loomed {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

    /// A pause while another thread makes progress.
    pub(crate) fn spin_loop() {
        loom::thread::yield_now();
    }
}

#[cfg(not(loom))]
mod native {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

    /// The standard cell with loom's interface.
    #[derive(Debug)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> UnsafeCell<T> {
            UnsafeCell(std::cell::UnsafeCell::new(value))
        }

        /// Calls `f` with a pointer for reading.
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        /// Calls `f` with a pointer for writing.
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[cfg(loom)]
pub(crate) use loomed::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering,
    UnsafeCell, fence, spin_loop,
};
#[cfg(not(loom))]
pub(crate) use native::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering,
    UnsafeCell, fence, spin_loop,
};

/// Locks; a panic elsewhere while the lock was held is of no interest, as no lock here guards broken invariants.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
