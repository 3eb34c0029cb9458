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
        AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
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
        AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
    #[cfg(not(oxcl_tsan))]
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

    #[cfg(oxcl_tsan)]
    pub(crate) use super::watched::{Condvar, Mutex, MutexGuard};

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
    AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering,
    UnsafeCell, fence, spin_loop,
};
#[cfg(not(loom))]
pub(crate) use native::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering,
    UnsafeCell, fence, spin_loop,
};

/// Tells the processor that the memory at `address` is needed soon. Without effect on anything but time.
#[inline]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// As [`prefetch`], for memory that this processor is about to write: no other keeps a copy.
#[inline]
pub(crate) fn prefetch_to_write<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch never faults, whatever the address; processors without this one do nothing instead.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

/// Locks; a panic elsewhere while the lock was held is of no interest, as no lock here guards broken invariants.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Locks that ThreadSanitizer can see: the standard library's are compiled without instrumentation, so everything they
/// guard would be reported. Only for runs with `--cfg oxcl_tsan`; slow, and made of nothing but atomics.
#[cfg(all(oxcl_tsan, not(loom)))]
mod watched {
    use std::cell::UnsafeCell;
    use std::ops::{Deref, DerefMut};
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::sync::{LockResult, WaitTimeoutResult};
    use std::time::{Duration, Instant};

    /// A spinning lock.
    #[derive(Debug)]
    pub(crate) struct Mutex<T> {
        locked: AtomicBool,
        value: UnsafeCell<T>,
    }

    // SAFETY: the lock gives access to one thread at a time.
    unsafe impl<T: Send> Sync for Mutex<T> {}

    /// Access to what a lock guards.
    #[derive(Debug)]
    pub(crate) struct MutexGuard<'a, T>(&'a Mutex<T>);

    impl<T: Default> Default for Mutex<T> {
        fn default() -> Mutex<T> {
            Mutex::new(T::default())
        }
    }

    impl<T> Mutex<T> {
        pub(crate) const fn new(value: T) -> Mutex<T> {
            Mutex { locked: AtomicBool::new(false), value: UnsafeCell::new(value) }
        }

        #[expect(clippy::unnecessary_wraps, reason = "the standard lock's interface")]
        pub(crate) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
            // Acquire pairs with the release in the guard's drop.
            while self.locked.swap(true, Ordering::Acquire) {
                std::thread::yield_now();
            }
            Ok(MutexGuard(self))
        }
    }

    impl<T> Drop for MutexGuard<'_, T> {
        fn drop(&mut self) {
            self.0.locked.store(false, Ordering::Release);
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            // SAFETY: the lock is held.
            unsafe { &*self.0.value.get() }
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            // SAFETY: the lock is held.
            unsafe { &mut *self.0.value.get() }
        }
    }

    /// Wakes by counting.
    #[derive(Debug)]
    pub(crate) struct Condvar(AtomicU32);

    impl Condvar {
        pub(crate) fn new() -> Condvar {
            Condvar(AtomicU32::new(0))
        }

        pub(crate) fn notify_one(&self) {
            self.0.fetch_add(1, Ordering::Release);
        }

        pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
            Ok(self.sleep(guard, None))
        }

        pub(crate) fn wait_timeout<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            limit: Duration,
        ) -> LockResult<(MutexGuard<'a, T>, Option<WaitTimeoutResult>)> {
            Ok((self.sleep(guard, Some(limit)), None))
        }

        fn sleep<'a, T>(&self, guard: MutexGuard<'a, T>, limit: Option<Duration>) -> MutexGuard<'a, T> {
            let (mutex, before, begin) = (guard.0, self.0.load(Ordering::Acquire), Instant::now());
            drop(guard);
            while self.0.load(Ordering::Acquire) == before
                && limit.is_none_or(|limit| begin.elapsed() < limit)
            {
                std::thread::yield_now();
            }
            mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
        }
    }
}
