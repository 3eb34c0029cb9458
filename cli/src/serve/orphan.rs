//! What a server does when its host ends in the middle of a job whose result other processes will want: it finishes that
//! one job, keeps the result, and ends.
//!
//! In: the job that is begun and ended, and word from the watch that the host has gone. Out: a result in the cache, or
//! nothing after [`PATIENCE`]. Jobs that only the host wanted are not finished.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use oxcl_binary::pipe::Done;
use oxcl_runtime::{Cache, CacheKey, Claimed};

use super::limits;

/// How long a job goes on after its host has ended. On a machine with idle processors all but the largest kernels take less
/// than a second; where none is idle, what is made at idle priority is given up after this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// What watch and server know of each other.
#[derive(Debug, Default)]
pub(super) struct Orphan {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The job at hand is for the cache.
    job: Option<Kept>,
    host_has_ended: bool,
    /// The host's claim, once that has ended.
    claimed: Option<Claimed>,
}

/// Where a result is kept.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) cache: Cache,
    pub(super) key: CacheKey,
}

impl Orphan {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock is left half-changed by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A job begins whose result is to be kept.
    pub(super) fn begin(&self, kept: Kept) {
        self.lock().job = Some(kept);
    }

    /// The job is done, or was not to be done. Keeps the result, and ends the process if nobody is left to take it. Says
    /// where it was kept.
    pub(super) fn end(&self, done: Option<&Done>) -> Option<Cache> {
        let kept = self.lock().job.clone()?;
        let written = done.map_or(0, |done| kept.cache.keep(&kept.key, done));
        let mut state = self.lock();
        state.job = None;
        if state.host_has_ended {
            drop(state.claimed.take());
            limits::end();
        }
        (written > 0).then_some(kept.cache)
    }

    /// The host has ended. Returns when this process is to end too: at once if no job is for the cache.
    pub(super) fn host_has_ended(&self) {
        let mut state = self.lock();
        state.host_has_ended = true;
        let Some(kept) = state.job.clone() else { return };
        // Whoever wants the same now waits for this process, as it would have for the host.
        state.claimed = kept.cache.take_over(&kept.key);
        drop(state);
        thread::sleep(PATIENCE);
        drop(self.lock().claimed.take());
    }
}
