//! Starting a process that the host program never notices.
//!
//! In: a program, its arguments, a file for its standard input and output and one for its messages. Out: its process
//! id and a handle to end it by. What it does not do: wait for it, or know how it ended.
//!
//! The new process is no child of the host: a child in between starts it and ends at once. So a host that waits for
//! any of its children neither gets nor waits for ours, and `SIGCHLD` is never sent: the child in between has no exit
//! signal. Nothing is copied (`CLONE_VM`, `CLONE_VFORK`), whatever the size of the host, and none of its fork
//! handlers runs. The new process has its own process group, default signals, and no other file of the
//! host's. It stays in the host's session: Linux divides processors among sessions before it looks at the priorities of
//! processes, so one that is to step back behind the host's threads must be beside them.

use std::ffi::{CString, c_char, c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

use oxcl_scheduler::thread::SignalsBlocked;

/// Bytes of stack for each of the two short-lived functions below.
const STACK: usize = 64 << 10;

/// A process that was started.
#[derive(Debug)]
pub(super) struct Process {
    /// Its id.
    pub(super) id: u32,
    /// Refers to this process and no later one of the same id; none on systems without such handles.
    handle: Option<OwnedFd>,
}

/// What the two functions share with the thread that waits for them.
struct Shared {
    path: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    socket: c_int,
    messages: c_int,
    second_stack: *mut c_void,
    process: libc::pid_t,
    handle: c_int,
    error: c_int,
}

/// Starts `program` with these variables. Both files become standard input and output (`socket`) and standard error (`messages`).
pub(super) fn spawn(
    program: &Path,
    arguments: &[String],
    variables: &[CString],
    socket: BorrowedFd<'_>,
    messages: BorrowedFd<'_>,
) -> io::Result<Process> {
    let path = CString::new(program.as_os_str().as_bytes())?;
    let mut texts = vec![path.clone()];
    for argument in arguments {
        texts.push(CString::new(argument.as_str())?);
    }
    let list = |texts: &[CString]| -> Vec<*const c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (arguments, environment) = (list(&texts), list(variables));
    // Above the standard files, so that none of them is overwritten before it is used.
    let socket = above_standard(socket)?;
    let messages = above_standard(messages)?;
    let mut first = vec![0_u128; STACK / 16];
    let mut second = vec![0_u128; STACK / 16];
    let mut shared = Shared {
        path: path.as_ptr(),
        arguments: arguments.as_ptr(),
        environment: environment.as_ptr(),
        socket: socket.as_raw_fd(),
        messages: messages.as_raw_fd(),
        second_stack: second.as_mut_ptr_range().end.cast(),
        process: 0,
        handle: -1,
        error: 0,
    };
    let _blocked = SignalsBlocked::all();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES;
    let stack: *mut c_void = first.as_mut_ptr_range().end.cast();
    // SAFETY: the stack is ours and large enough for `in_between`, and grows down from its end; `shared` and all it
    // points to live until the call returns, and the caller's thread stands still so long (CLONE_VFORK); signals are
    // blocked, so no handler of the host's runs in the new process on the host's memory.
    let child = unsafe { clone(in_between, stack, flags, (&raw mut shared).cast()) };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    let mut status = 0;
    loop {
        // SAFETY: `status` is a place to write to. The child has no exit signal, hence the flag.
        let waited = unsafe { libc::waitpid(child, &raw mut status, libc::__WALL) };
        if waited >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            break;
        }
    }
    let handle = (shared.handle >= 0).then(|| {
        // SAFETY: the kernel has just made this descriptor for us; nobody else knows of it.
        unsafe { OwnedFd::from_raw_fd(shared.handle) }
    });
    match (shared.error, u32::try_from(shared.process)) {
        (0, Ok(id)) if id > 0 => {
            // Where a control group's memory runs out the system ends the compiler, which can be asked again, and not the
            // host. A refusal changes nothing else.
            let _ = std::fs::write(format!("/proc/{id}/oom_score_adj"), "1000");
            Ok(Process { id, handle })
        }
        (0, _) => Err(io::Error::other("no process could be started")),
        (error, _) => Err(io::Error::from_raw_os_error(error)),
    }
}

/// `clone` of the C library.
#[cfg(not(oxcl_tsan))]
use libc::clone;

#[cfg(oxcl_tsan)]
unsafe extern "C" {
    /// Its other name: ThreadSanitizer takes each `clone` for a `fork`, and there would be two of its own in one memory.
    #[link_name = "__clone"]
    fn clone(
        run: extern "C" fn(*mut c_void) -> c_int,
        stack: *mut c_void,
        flags: c_int,
        argument: *mut c_void,
        ...
    ) -> c_int;
}

/// The child in between: starts the program and ends.
extern "C" fn in_between(shared: *mut c_void) -> c_int {
    let shared: *mut Shared = shared.cast();
    // SAFETY: `spawn` passes its `Shared`, which nobody else uses while its thread stands still.
    let shared = unsafe { &mut *shared };
    let argument: *mut c_void = (&raw mut *shared).cast();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: as in `spawn`; the descriptor of the process goes to `handle`. The files are not shared with the host
    // from here on.
    let process = unsafe {
        clone(program, shared.second_stack, flags | libc::CLONE_PIDFD, argument, &raw mut shared.handle)
    };
    shared.process = process;
    if process < 0 {
        // SAFETY: gives the place of this thread's `errno`, which is the waiting thread's.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: the place is valid.
        shared.error = unsafe { *errno };
    }
    0
}

/// Becomes the program. Calls nothing that may not be called between `vfork` and `exec`.
extern "C" fn program(shared: *mut c_void) -> c_int {
    let shared: *mut Shared = shared.cast();
    // SAFETY: the child in between passes on the `Shared` of `spawn` and stands still meanwhile.
    let shared = unsafe { &mut *shared };
    for signal in 1..=64 {
        // SAFETY: signals that cannot be changed are refused, which is as good. Handlers are this process's own now.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // What a terminal sends to the host's group is not for it.
    // SAFETY: numbers only.
    unsafe { libc::setpgid(0, 0) };
    let moved =
        [(shared.socket, 0), (shared.socket, 1), (shared.messages, 2)].into_iter().all(|(from, to)| {
            // SAFETY: numbers only; what was at `to` in this process's table is closed.
            unsafe { libc::dup2(from, to) >= 0 }
        });
    // Older kernels leave the host's other files open if they were not marked to be closed.
    // SAFETY: closes files of this process's own table, none of which is used any more.
    unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) };
    let mut none = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: a set to write to.
    unsafe { libc::sigemptyset(none.as_mut_ptr()) };
    // SAFETY: the set was just written; no old one is asked for.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut()) };
    if moved {
        // SAFETY: path and both lists are C strings and end with a null; they live in the waiting thread.
        unsafe { libc::execve(shared.path, shared.arguments, shared.environment) };
    }
    // SAFETY: gives the place of this thread's `errno`.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: the place is valid.
    shared.error = unsafe { *errno };
    127
}

/// A copy of the descriptor with a number above those of the standard files, closed in programs that are started.
fn above_standard(file: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: a valid descriptor, and a number.
    let copy = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// A file in memory that is written at its end only.
pub(super) fn memory_file() -> io::Result<File> {
    // SAFETY: the name is a C string.
    let file = unsafe { libc::memfd_create(c"oxcl-serve".as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    let file = unsafe { OwnedFd::from_raw_fd(file) };
    // SAFETY: a valid descriptor and flags.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_APPEND) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(file))
}

/// A handle on a process, for others than who started it.
#[derive(Debug)]
pub(super) struct ProcessHandle {
    id: u32,
    handle: Option<OwnedFd>,
}

impl Process {
    /// Ends the process at once, whatever it does. Nothing happens if it has ended.
    pub(super) fn kill(&self) {
        kill(self.id, self.handle.as_ref());
    }

    /// Another handle on it. Without one of the system's it goes by its number.
    pub(super) fn handle(&self) -> ProcessHandle {
        let handle = self.handle.as_ref().and_then(|handle| handle.try_clone().ok());
        ProcessHandle { id: self.id, handle }
    }

    /// Takes the remains of the process away where the host is the one who has to: a host that adopts orphans.
    fn reap(&self) {
        let Some(handle) = &self.handle else { return };
        let Ok(id) = libc::id_t::try_from(handle.as_raw_fd()) else { return };
        // SAFETY: a descriptor of a process, and no place for information, which is allowed. It was killed, so this
        // does not wait long; where it is no child of ours it does not wait at all.
        unsafe { libc::waitid(libc::P_PIDFD, id, std::ptr::null_mut(), libc::WEXITED | libc::__WALL) };
    }
}

impl ProcessHandle {
    /// Ends the process at once, whatever it does.
    pub(super) fn kill(&self) {
        kill(self.id, self.handle.as_ref());
    }

    /// How much processor time the process has had; none where the system does not say.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        let (mut clock, id) = (0, libc::pid_t::try_from(self.id).ok()?);
        // SAFETY: a number, and a place to write to.
        if unsafe { libc::clock_getcpuclockid(id, &raw mut clock) } != 0 {
            return None;
        }
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: a clock, and a structure to write to.
        let known = unsafe { libc::clock_gettime(clock, &raw mut time) } == 0;
        let seconds = u64::try_from(time.tv_sec).ok().filter(|_| known)?;
        Some(Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0)))
    }
}

/// Ends a process at once: the one of the handle, or the one of this number where there is no handle.
fn kill(id: u32, handle: Option<&OwnedFd>) {
    match handle {
        Some(handle) => {
            // SAFETY: a valid descriptor of a process; no information goes with the signal.
            unsafe {
                libc::syscall(
                    libc::SYS_pidfd_send_signal,
                    handle.as_raw_fd(),
                    libc::SIGKILL,
                    std::ptr::null::<libc::siginfo_t>(),
                    0_u32,
                )
            };
        }
        // SAFETY: numbers only.
        None => unsafe {
            libc::kill(id.cast_signed(), libc::SIGKILL);
        },
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        self.reap();
    }
}
