//! While a node waits for its host, in calls of MPI's that only the host ends: whether there is still one to wait for. A host
//! program that ends without a call of MPI's leaves its nodes in such a call for ever, which MPICH's starter does not notice.
//!
//! On the host's own machine the node looks for its process: one of the same starter, with rank 0 in its environment, where the
//! starters that there are put it. Programs that ranks are wrapped in (a script, `numactl`) have their ranks as well. It is this machine if the first of the ranks here is 0. On others a node
//! has patience, and no more.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use oxcl_scheduler::thread::{SMALL_STACK, spawn};

/// How often it looks.
const PAUSE: Duration = Duration::from_millis(200);
/// How many milliseconds the starter may take for an answer.
const ANSWER: libc::c_int = 2000;
/// The variables that starters put ranks in.
const RANKS: [&str; 4] = ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"];

/// The variables that say how many ranks of this machine come before this one, and this one's own.
const PLACES: [[&str; 2]; 3] = [
    ["MPI_LOCALRANKID", "PMI_RANK"],
    ["OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_RANK"],
    ["SLURM_LOCALID", "SLURM_PROCID"],
];

/// How often in a row it is not there until it is gone: a process that is just beginning has its starter's environment.
const LOOKS: u32 = 4;

/// A watcher; it ends when it is told to.
pub(crate) struct Watcher(Arc<AtomicBool>);

impl Watcher {
    pub(crate) fn end(self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Ends the process once there is no host any more, or patience is at its end.
pub(crate) fn begin(patience: Duration) -> Watcher {
    let over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&over);
    // SAFETY: the call takes nothing.
    let waits = unsafe { libc::pthread_self() };
    // Without a thread there is only the starter to end the node.
    let _ = spawn("mpi-watcher", SMALL_STACK, move || {
        let begun = Instant::now();
        let is_here = host_is_here(|name| std::env::var(name).ok());
        let mut missed = 0;
        while !told.load(Ordering::Acquire) && begun.elapsed() < patience && missed < LOOKS {
            missed = if is_here && !host_is_there() { missed + 1 } else { 0 };
            std::thread::sleep(PAUSE);
        }
        if !told.load(Ordering::Acquire) {
            take_leave(waits);
            // SAFETY: the process ends at once: nothing of it is of use, and another thread is in a call that does not end.
            unsafe { libc::_exit(0) };
        }
    });
    Watcher(over)
}

/// The thread that waits for the host has stopped.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Stops the thread that gets the signal, for ever.
extern "C" fn stop(_signal: libc::c_int) {
    // Release pairs with the acquire in `take_leave`.
    STOPPED.store(true, Ordering::Release);
    loop {
        // SAFETY: the call takes nothing, and may be made in a handler.
        unsafe { libc::pause() };
    }
}

/// Tells MPICH's starter that this rank is over in order: else it kills the others, which are about to end as well, and says that
/// the job has failed. The words are of the protocol that it speaks with ranks (PMI 1); no other starter gets them. Its answer is
/// waited for, as it takes a rank that is gone when it answers for a failure too; and the thread that `waits` for another answer of
/// it, in a call of MPI's, is stopped before, as it would end the process with an error when it heard this one.
fn take_leave(waits: libc::pthread_t) {
    let number = |name: &str| std::env::var(name).ok()?.parse::<i32>().ok();
    let (Some(starter), Some(_)) = (number("PMI_FD"), number(PLACES[0][0])) else { return };
    let handler: extern "C" fn(libc::c_int) = stop;
    // SAFETY: the handler makes one call, which may be made in handlers. Nobody else uses the signal in this process.
    unsafe { libc::signal(libc::SIGUSR2, handler as libc::sighandler_t) };
    // SAFETY: the thread is there: it is the process's first, and ends with it.
    unsafe { libc::pthread_kill(waits, libc::SIGUSR2) };
    let begun = Instant::now();
    while !STOPPED.load(Ordering::Acquire) && begun.elapsed() < PAUSE {
        std::thread::sleep(Duration::from_millis(1));
    }
    let words = b"cmd=finalize\n";
    // SAFETY: the bytes live as long as the call; whether the starter is still there makes no difference.
    unsafe { libc::write(starter, words.as_ptr().cast(), words.len()) };
    let mut answer = libc::pollfd { fd: starter, events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which lives as long as the call.
    unsafe { libc::poll(&raw mut answer, 1, ANSWER) };
}

/// The parent of a process, if that runs.
fn parent(status: &str) -> Option<u32> {
    let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    if line("State:").is_some_and(|state| state.starts_with('Z')) {
        return None;
    }
    line("PPid:")?.parse().ok()
}

/// The rank that an environment says.
fn rank_of(environment: &[u8]) -> Option<u32> {
    let rank = |variable: &[u8]| {
        let text = String::from_utf8_lossy(variable);
        let (name, value) = text.split_once('=')?;
        if RANKS.contains(&name) { value.parse().ok() } else { None }
    };
    environment.split(|byte| *byte == 0).find_map(rank)
}

/// The rank that a process belongs to.
fn rank_of_process(process: u32) -> Option<u32> {
    rank_of(&fs::read(format!("/proc/{process}/environ")).ok()?)
}

/// Who started the rank that a process belongs to: the nearest one above it that belongs to none.
fn starter(process: u32) -> Option<u32> {
    let mut at = process;
    loop {
        let above = parent(&fs::read_to_string(format!("/proc/{at}/status")).ok()?)?;
        if rank_of_process(above).is_none() {
            return Some(above);
        }
        at = above;
    }
}

/// Whether rank 0 is on this machine.
fn host_is_here(variable: impl Fn(&str) -> Option<String>) -> bool {
    let number = |name: &str| variable(name)?.parse::<u32>().ok();
    PLACES
        .iter()
        .any(|[local, rank]| number(local).zip(number(rank)).is_some_and(|(local, rank)| local == rank))
}

fn host_is_there() -> bool {
    let own = starter(std::process::id());
    let Ok(processes) = fs::read_dir("/proc") else { return true };
    let numbers = processes.flatten().filter_map(|process| process.file_name().to_str()?.parse().ok());
    own.is_none()
        || numbers.filter(|number| rank_of_process(*number) == Some(0)).any(|number| starter(number) == own)
}

#[cfg(test)]
mod tests {
    use super::{host_is_here, parent, rank_of};

    #[test]
    fn the_host_is_here_if_the_first_rank_is() {
        let here = |local: &'static str, rank: &'static str| {
            host_is_here(move |name| match name {
                "MPI_LOCALRANKID" => Some(local.to_owned()),
                "PMI_RANK" => Some(rank.to_owned()),
                _ => None,
            })
        };
        assert!(here("3", "3") && !here("1", "5") && !host_is_here(|_| None));
    }

    #[test]
    fn ranks_are_known_by_their_environment() {
        assert_eq!(rank_of(b"HOME=/\0PMI_RANK=0\0PMI_SIZE=4\0"), Some(0));
        assert_eq!(rank_of(b"OMPI_COMM_WORLD_RANK=10\0"), Some(10));
        assert_eq!(rank_of(b"X=0\0PMI_SIZE=0\0"), None);
    }

    #[test]
    fn a_process_that_has_ended_has_no_parent() {
        assert_eq!(parent("Name:\ta\nState:\tS (sleeping)\nPPid:\t17\n"), Some(17));
        assert_eq!(parent("Name:\ta\nState:\tZ (zombie)\nPPid:\t17\n"), None);
    }
}
