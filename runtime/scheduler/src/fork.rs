//! Locks of the process around `fork`: a child has only the thread that forked, so a lock that another thread held at
//! that moment would never be free there.
//!
//! In: the locks that are not bound to objects of one process, each with a rank. Out: around every `fork` of the host
//! program's they are taken in the order of their ranks, so that nobody is in the middle of what they guard, and given
//! back in parent and child. Objects of the parent, and their locks, are the parent's: a child leaves them alone.

use std::any::Any;
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Takes a lock, and gives its guard. Or makes sure that something which is made once is made: a child would wait for ever
/// for a thread that was about to.
pub type Hold = fn() -> Box<dyn Any>;

/// A lock of the process.
#[derive(Debug, Clone, Copy)]
pub struct ForkLock {
    /// Locks under which others are taken have smaller ranks than these.
    pub rank: u32,
    /// Takes it.
    pub hold: Hold,
    /// Puts what it guards right in a child, where it speaks of threads that are not there. Called while it is held.
    pub in_child: Option<fn(&mut dyn Any)>,
}

static KNOWN: Mutex<Vec<ForkLock>> = Mutex::new(Vec::new());

fn known() -> MutexGuard<'static, Vec<ForkLock>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the forking thread holds: the list of locks, and the locks.
struct Held {
    locks: Vec<(ForkLock, Box<dyn Any>)>,
    _known: MutexGuard<'static, Vec<ForkLock>>,
}

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// Has the locks taken around every later `fork`. Called once for each; the locks are free.
pub fn hold(locks: &[ForkLock]) {
    let mut all = known();
    all.extend_from_slice(locks);
    all.sort_by_key(|lock| lock.rank);
    drop(all);
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the three functions may be called at any later fork: this code is never unloaded. Without memory for
        // them a child runs the risk that they take away.
        unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    });
}

/// Has the scheduler's own locks taken around every later `fork`. Called once.
pub fn hold_scheduler() {
    #[cfg(not(loom))]
    crate::task::memory::hold_at_fork();
}

extern "C" fn before() {
    let known = known();
    let locks = known.iter().map(|lock| (*lock, (lock.hold)())).collect();
    let held = Held { locks, _known: known };
    let _ = HELD.try_with(|place| *place.borrow_mut() = Some(held));
}

fn take() -> Option<Held> {
    HELD.try_with(|place| place.borrow_mut().take()).ok().flatten()
}

extern "C" fn in_parent() {
    give_back(take());
}

extern "C" fn in_child() {
    let mut held = take();
    for (lock, guard) in held.iter_mut().flat_map(|held| &mut held.locks) {
        if let Some(mend) = lock.in_child {
            mend(guard.as_mut());
        }
    }
    give_back(held);
}

/// The last one taken is the first to be given back.
fn give_back(held: Option<Held>) {
    if let Some(mut held) = held {
        while held.locks.pop().is_some() {}
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    static GUARDED: Mutex<(u64, u64)> = Mutex::new((0, 0));
    static OTHER: Mutex<u64> = Mutex::new(0);
    static STOP: AtomicBool = AtomicBool::new(false);

    /// Children that are forked while other threads hold the locks find them free, and what they guard whole.
    #[test]
    fn a_child_finds_locks_free_and_what_they_guard_whole() {
        type Guard = MutexGuard<'static, (u64, u64)>;
        let mend = |guard: &mut dyn Any| {
            if let Some(guard) = guard.downcast_mut::<Guard>() {
                guard.1 = u64::MAX;
            }
        };
        hold(&[
            ForkLock { rank: 2, hold: || Box::new(GUARDED.lock().unwrap()), in_child: Some(mend) },
            ForkLock { rank: 1, hold: || Box::new(OTHER.lock().unwrap()), in_child: None },
        ]);
        let busy = std::thread::spawn(|| {
            while !STOP.load(Ordering::Relaxed) {
                let other = OTHER.lock().unwrap();
                let mut both = GUARDED.lock().unwrap();
                both.0 += 1;
                std::thread::sleep(Duration::from_micros(50));
                both.1 += 1;
                drop(both);
                drop(other);
            }
        });
        for _ in 0..100 {
            // SAFETY: the child calls only what may be called there, and ends.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let whole =
                    OTHER.try_lock().is_ok() && GUARDED.try_lock().is_ok_and(|both| both.1 == u64::MAX);
                // SAFETY: ends the child.
                unsafe { libc::_exit(i32::from(!whole)) };
            }
            let mut status = -1;
            // SAFETY: a place to write to.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!(status, 0);
            let both = GUARDED.lock().unwrap();
            assert_eq!(both.0, both.1);
        }
        STOP.store(true, Ordering::Relaxed);
        busy.join().unwrap();
    }
}
