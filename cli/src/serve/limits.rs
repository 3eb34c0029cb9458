//! What a server may use, and how it learns that its host has ended: from its socket, and from the host's process
//! itself, because forked children of the host may hold the socket open.

use std::os::fd::RawFd;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Ends this process when the other side of standard input is closed, if that is a socket, or when `host` ends.
pub(super) fn die_with(host: Option<u32>) {
    let mut watched = Vec::new();
    if is_socket(0) {
        watched.push(libc::pollfd { fd: 0, events: libc::POLLRDHUP, revents: 0 });
    }
    if let Some(host) = host {
        match open_process(host) {
            Ok(fd) => watched.push(libc::pollfd { fd, events: libc::POLLIN, revents: 0 }),
            // It has ended already.
            Err(Some(libc::ESRCH)) => end(),
            // No such handles here; the socket must do.
            Err(_) => {}
        }
    }
    if watched.is_empty() {
        return;
    }
    // Without the thread the end of input between two jobs ends the server.
    let _ = thread::Builder::new().name("watch".into()).stack_size(64 << 10).spawn(move || {
        loop {
            let count = libc::nfds_t::try_from(watched.len()).unwrap_or(0);
            // SAFETY: the pointer and the count are those of a vector that lives until the call returns.
            let ready = unsafe { libc::poll(watched.as_mut_ptr(), count, -1) };
            if ready > 0 && watched.iter().any(|one| one.revents != 0) {
                end();
            }
        }
    });
}

/// Ends the process without running anything of LLVM's, which another thread may be in.
fn end() -> ! {
    // SAFETY: takes a number.
    unsafe { libc::_exit(0) }
}

/// Whether something has arrived on standard input.
pub(super) fn is_asked() -> bool {
    let mut input = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
    // SAFETY: one structure to read from and to write to.
    let ready = unsafe { libc::poll(&raw mut input, 1, 0) };
    ready > 0 && input.revents & libc::POLLIN != 0
}

fn is_socket(fd: RawFd) -> bool {
    let mut data = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: a number, and a structure to write to.
    let known = unsafe { libc::fstat(fd, data.as_mut_ptr()) } == 0;
    // SAFETY: a structure of zeros is one, and the call has filled it.
    let data = unsafe { data.assume_init() };
    known && data.st_mode & libc::S_IFMT == libc::S_IFSOCK
}

fn open_process(process: u32) -> Result<RawFd, Option<i32>> {
    // SAFETY: numbers only.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0_u32) };
    match RawFd::try_from(fd) {
        Ok(fd) if fd >= 0 => Ok(fd),
        _ => Err(std::io::Error::last_os_error().raw_os_error()),
    }
}

/// How much less than others a process gets that steps back: about a tenth.
const NICENESS: libc::c_int = 10;
/// How long a job is let wait behind others.
const PATIENCE: Duration = Duration::from_millis(300);
/// Linux takes changes of a group's niceness that often, from all processes together.
const AGAIN: Duration = Duration::from_millis(110);

/// Lets other processes go first: this one and the threads that it starts later get a tenth of what they get.
pub(super) fn step_back() {
    // SAFETY: numbers only. Where the system refuses the priority stays as it is.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICENESS) };
    set_group_niceness(NICENESS);
}

/// Linux divides processors among sessions first, where it groups processes automatically: niceness says nothing to those of
/// other sessions, and a server has one of its own. The group has a niceness as well, which may go up and down. Says whether
/// it is to be tried again later.
fn set_group_niceness(niceness: libc::c_int) -> bool {
    // SAFETY: takes a number.
    let session = unsafe { libc::getsid(0) };
    // Without such groups there is no such file, and the niceness of the process is enough.
    u32::try_from(session) == Ok(std::process::id())
        && std::fs::write("/proc/self/autogroup", niceness.to_string())
            .is_err_and(|error| error.raw_os_error() == Some(libc::EAGAIN))
}

/// Runs a job that nobody waits for: behind all others as long as it would take if a processor were idle, then beside them,
/// because none is and what runs there waits for better code.
pub(super) fn patiently<T>(job: impl FnOnce() -> T) -> T {
    set_group_niceness(NICENESS);
    let (running, ended) = channel::<()>();
    // Without the thread the job has patience for ever.
    let timer = thread::Builder::new().name("patience".into()).stack_size(64 << 10).spawn(move || {
        let mut wait = PATIENCE;
        while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) && set_group_niceness(0) {
            wait = AGAIN;
        }
    });
    let result = job();
    drop(running);
    // It ends at once now, and a panic in it would concern nobody here.
    let _ = timer.map(thread::JoinHandle::join);
    result
}

/// Limits the memory of this process. Where the system refuses there is no limit.
pub(super) fn memory(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // Private memory that can be written, not what libraries map of their files.
    // SAFETY: a structure to read from.
    unsafe { libc::setrlimit(libc::RLIMIT_DATA, &raw const limit) };
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // What is known of a crash goes to the host; nobody looks for core files of a process that nobody started.
    // SAFETY: a structure to read from.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
}
