//! The end by an interrupt (Ctrl-C): the line of progress goes, one line says so, and the exit code is 130.
//!
//! Nothing is waited for: kernels end with the process, and files that a command writes appear under their names only when
//! they are whole. Who started the program with interrupts switched off (`nohup`, a job in the background) wants none.

use crate::exit::Exit;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// What is said, made ahead: a handler may not allocate.
static TEXT: AtomicPtr<String> = AtomicPtr::new(std::ptr::null_mut());
/// A line of progress stands on the terminal.
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// Ends this process with code 130 when it is interrupted, after `text`.
pub(crate) fn install(text: String) {
    // Never freed: the handler may read it until the process has gone. Release pairs with the handler's acquire.
    TEXT.store(Box::into_raw(Box::new(text)), Ordering::Release);
    // SAFETY: all bytes of the structure may be zero: no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is there to be written to, and nothing is changed.
    let asked = unsafe { libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut action) };
    if asked != 0 || action.sa_sigaction != libc::SIG_DFL {
        return;
    }
    action.sa_sigaction = interrupted as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler calls nothing but what a handler may call.
    unsafe { libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut()) };
}

/// Notes whether a line of progress stands on the terminal.
pub(crate) fn progress_is_shown(shown: bool) {
    // Relaxed: at worst a line is left, or cleared that has gone.
    PROGRESS.store(shown, Ordering::Relaxed);
}

/// Whether a line of progress stands on the terminal.
pub(crate) fn is_progress_shown() -> bool {
    // Relaxed: as above.
    PROGRESS.load(Ordering::Relaxed)
}

extern "C" fn interrupted(_: libc::c_int) {
    if is_progress_shown() {
        say(b"\r\x1b[K");
    }
    let text = TEXT.load(Ordering::Acquire);
    if !text.is_null() {
        // SAFETY: it was made by `install` and is never freed or changed.
        say(unsafe { &*text }.as_bytes());
    }
    // SAFETY: ends the process at once, which a handler may do.
    unsafe { libc::_exit(i32::from(Exit::Interrupted as u8)) }
}

fn say(bytes: &[u8]) {
    // SAFETY: as many bytes as there are; `write` may be called by handlers. Whoever has closed standard error wants none.
    unsafe { libc::write(2, bytes.as_ptr().cast(), bytes.len()) };
}
