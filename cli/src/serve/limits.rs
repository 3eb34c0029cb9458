//! What a server may use, and how it learns that its host has ended: from its socket, and from the host's process
//! itself, because forked children of the host may hold the socket open.

use std::os::fd::RawFd;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::orphan::Orphan;

/// Ends this process when the other side of standard input is closed, if that is a socket, or when `host` ends; later if
/// `orphan` says that there is something to finish.
pub(super) fn die_with(host: Option<u32>, orphan: &Arc<Orphan>) {
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
    let orphan = Arc::clone(orphan);
    let _ = thread::Builder::new().name("watch".into()).stack_size(64 << 10).spawn(move || {
        loop {
            let count = libc::nfds_t::try_from(watched.len()).unwrap_or(0);
            // SAFETY: the pointer and the count are those of a vector that lives until the call returns.
            let ready = unsafe { libc::poll(watched.as_mut_ptr(), count, -1) };
            if ready > 0 && watched.iter().any(|one| one.revents != 0) {
                orphan.host_has_ended();
                end();
            }
        }
    });
}

/// Ends the process without running anything of LLVM's, which another thread may be in.
pub(super) fn end() -> ! {
    // SAFETY: takes a number.
    unsafe { libc::_exit(0) }
}

/// Nothing more comes in: whoever waits for it learns that, also where forked children of the host hold the other side open.
pub(super) fn close_input() {
    // SAFETY: numbers only. What is no socket stays as it is.
    unsafe { libc::shutdown(0, libc::SHUT_RD) };
}

/// Whether something has arrived on standard input.
pub(super) fn is_asked() -> bool {
    let mut input = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
    // SAFETY: one structure to read from and to write to.
    let ready = unsafe { libc::poll(&raw mut input, 1, 0) };
    ready > 0 && input.revents & libc::POLLIN != 0
}

/// Waits for something to arrive on standard input. Whether nothing does for so long; files and terminals are not waited
/// for here.
pub(super) fn is_left_alone(most: Duration) -> bool {
    if !is_socket(0) {
        return false;
    }
    let until = Instant::now() + most;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut input = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
        // Rounded up, so that the last wait is not repeated.
        let wait = libc::c_int::try_from(left.as_millis() + 1).unwrap_or(libc::c_int::MAX);
        // SAFETY: one structure to read from and to write to.
        match unsafe { libc::poll(&raw mut input, 1, wait) } {
            0 => return true,
            ready if ready > 0 => return false,
            // A signal came in between.
            _ => {}
        }
    }
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

/// Lets everything else on the machine go first: this process and the threads that it starts later get a processor when
/// nobody else wants it. There is no way back, and where the system refuses the priority stays as it is.
pub(super) fn step_back() {
    let lowest = libc::sched_param { sched_priority: 0 };
    // SAFETY: the calling thread, which is the main one, and a structure to read from.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const lowest) };
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

/// Processor time of the calling thread.
pub(crate) fn processor_time() -> Duration {
    read_clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of this process.
pub(super) fn processor_time_of_all() -> Duration {
    read_clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn read_clock(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a clock, and a structure to write to.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}
