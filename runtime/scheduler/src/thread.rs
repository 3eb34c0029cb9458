//! Threads of this library within a program that knows nothing of them: they take none of its signals, and starting one
//! reads nothing of its environment.
//!
//! On entry the program may have any signal open. On exit the new thread has all of them blocked from its first
//! instruction on, but for those that its own faults raise, and the caller's are as before.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Stack of a thread that does little: memory is taken only as far as it is used.
pub const SMALL_STACK: usize = 2 << 20;

/// Signals that a thread's own instructions raise: blocked, they would end the process whatever handles them.
const OWN: [i32; 6] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Starts a thread. The stack's size is given, as the standard library would look for it in the environment.
///
/// # Errors
/// The system gives no thread.
pub fn spawn<R: Send + 'static>(
    name: impl Into<String>,
    stack: usize,
    main: impl FnOnce() -> R + Send + 'static,
) -> io::Result<JoinHandle<R>> {
    if !has_room() {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    // A thread begins with the signals blocked that the one has blocked that starts it.
    let _blocked = SignalsBlocked::but(&OWN);
    Builder::new().name(name.into()).stack_size(stack).spawn(main)
}

/// Whether there is memory for what the standard library needs to start a thread: it asks for a few small pieces, and ends the
/// process where it gets none. So more than all of them is asked for, and given back, first.
fn has_room() -> bool {
    const ROOM: usize = 16 << 10;
    let mut room = Vec::<u8>::new();
    !crate::faults::refuse_allocation() && std::hint::black_box(&mut room).try_reserve_exact(ROOM).is_ok()
}

/// Signals are blocked for this thread while it exists.
#[derive(Debug)]
pub struct SignalsBlocked {
    before: libc::sigset_t,
    /// A thread's mask is its own.
    _here: std::marker::PhantomData<*const ()>,
}

impl SignalsBlocked {
    /// Blocks all of them.
    #[must_use]
    pub fn all() -> Self {
        Self::but(&[])
    }

    fn but(open: &[i32]) -> Self {
        let mut blocked = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: a set to write to.
        unsafe { libc::sigfillset(blocked.as_mut_ptr()) };
        for &signal in open {
            // SAFETY: the set was filled, and the number is a signal's.
            unsafe { libc::sigdelset(blocked.as_mut_ptr(), signal) };
        }
        let mut before = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: `blocked` was written, and `before` is a set to write to.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, blocked.as_ptr(), before.as_mut_ptr()) };
        // SAFETY: a set of zeros is one, and the call has filled it.
        Self { before: unsafe { before.assume_init() }, _here: std::marker::PhantomData }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        // SAFETY: the set was filled when the signals were blocked.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut()) };
    }
}
