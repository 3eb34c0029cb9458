//! While a node waits for its host, in calls of MPI's that only the host ends: whether there is still one to wait for. A host
//! program that ends without a call of MPI's leaves its nodes in such a call for ever, which MPICH's starter does not notice.
//!
//! On the host's own machine the node looks for its process: one with the same parent, which started both, and rank 0 in its
//! environment, where the starters that there are put it. On others it has patience, and no more.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use oxcl_scheduler::thread::{SMALL_STACK, spawn};

/// How often it looks.
const PAUSE: Duration = Duration::from_millis(200);
/// The variables that starters put ranks in.
const RANKS: [&str; 4] = ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"];

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
    // Without a thread there is only the starter to end the node.
    let _ = spawn("mpi-watcher", SMALL_STACK, move || {
        let (begun, mut seen) = (Instant::now(), false);
        while !told.load(Ordering::Acquire) && begun.elapsed() < patience {
            let is_there = host_is_there();
            if seen && !is_there {
                break;
            }
            seen |= is_there;
            std::thread::sleep(PAUSE);
        }
        if !told.load(Ordering::Acquire) {
            // SAFETY: the process ends at once: nothing of it is of use, and another thread is in a call that does not end.
            unsafe { libc::_exit(0) };
        }
    });
    Watcher(over)
}

/// The parent of a process, if that runs.
fn parent(status: &str) -> Option<u32> {
    let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    if line("State:").is_some_and(|state| state.starts_with('Z')) {
        return None;
    }
    line("PPid:")?.parse().ok()
}

/// Whether an environment is that of rank 0.
fn is_host(environment: &[u8]) -> bool {
    let is_zero = |variable: &[u8]| {
        let text = String::from_utf8_lossy(variable);
        text.split_once('=').is_some_and(|(name, value)| RANKS.contains(&name) && value == "0")
    };
    environment.split(|byte| *byte == 0).any(is_zero)
}

fn host_is_there() -> bool {
    let own = std::os::unix::process::parent_id();
    let Ok(processes) = fs::read_dir("/proc") else { return true };
    processes.flatten().any(|process| {
        let path = process.path();
        let status = fs::read_to_string(path.join("status")).unwrap_or_default();
        parent(&status) == Some(own) && fs::read(path.join("environ")).is_ok_and(|text| is_host(&text))
    })
}

#[cfg(test)]
mod tests {
    use super::{is_host, parent};

    #[test]
    fn rank_0_is_known_by_its_environment() {
        assert!(is_host(b"HOME=/\0PMI_RANK=0\0PMI_SIZE=4\0"));
        assert!(is_host(b"OMPI_COMM_WORLD_RANK=0\0"));
        assert!(!is_host(b"PMI_RANK=10\0X=0\0PMI_SIZE=0\0"));
    }

    #[test]
    fn a_process_that_has_ended_has_no_parent() {
        assert_eq!(parent("Name:\ta\nState:\tS (sleeping)\nPPid:\t17\n"), Some(17));
        assert_eq!(parent("Name:\ta\nState:\tZ (zombie)\nPPid:\t17\n"), None);
    }
}
