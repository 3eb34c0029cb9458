//! Runs launches from beginning to end, in the manner of one of the three devices.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::error::Failure;
use crate::launch::PreparedLaunch;
use crate::pool::Pool;
use crate::reference::Team;

/// The manner in which work-groups run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// On several threads, the launching one included.
    Cpu,
    /// In the launching thread.
    Basic,
    /// On the reference executor: one thread for each work-item of a group.
    Reference,
}

/// Threads that run launches.
#[derive(Debug)]
pub struct Executor {
    kind: Kind,
    pool: Pool,
    team: Team,
}

impl Executor {
    /// An executor; `workers` is the number of threads that may run work-groups, which for [`Kind::Basic`] is 1
    /// whatever is asked. Threads start when they are first needed.
    #[must_use]
    pub fn new(kind: Kind, workers: NonZeroUsize) -> Self {
        let workers = if kind == Kind::Basic { NonZeroUsize::MIN } else { workers };
        Self { kind, pool: Pool::new(workers), team: Team::new() }
    }

    /// The manner in which it runs.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The number of threads that may run work-groups at the same time.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.pool.workers()
    }

    /// Runs a launch, and returns when it is over. Gives the text that the kernel printed.
    ///
    /// # Errors
    /// The kernel's failure, or memory or threads that could not be had.
    ///
    /// # Safety
    /// The buffers that the arguments point to are alive, and nobody else touches them meanwhile. The kernel keeps to
    /// them: nothing here stops it from writing elsewhere.
    pub unsafe fn run(&self, launch: &Arc<PreparedLaunch>) -> Result<Vec<u8>, Failure> {
        if let Some(entry) = launch.needs_team() {
            // SAFETY: by the caller's promise; the entry is the launch's.
            unsafe { self.team.run(launch, entry) }?;
            return Ok(Vec::new());
        }
        // SAFETY: by the caller's promise.
        unsafe { self.pool.run(launch) }
    }
}
