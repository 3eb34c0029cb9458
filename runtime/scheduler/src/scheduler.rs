//! The scheduler: owner of the worker pool, maker of queues and user events.

use std::sync::Arc;

use oxcl_driver::Driver;

use crate::event::UserEvent;
use crate::observe::Observer;
use crate::points::ResourceId;
use crate::pool::{Core, Threads, affinity};
use crate::queue::{EnqueueError, Queue, QueueProperties};

/// The largest number of workers.
pub const MAX_WORKERS: usize = 1024;

/// How to start a scheduler.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Threads that may execute, the waiting host thread included; 0: as many as the process may use processors.
    pub workers: usize,
    /// Bind each thread of the pool to one processor.
    pub pin: bool,
    /// Sees every executed command.
    pub observer: Option<Arc<dyn Observer>>,
}

/// Why a scheduler could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system gave no thread.
    #[error("cannot start a worker thread")]
    Thread(#[from] std::io::Error),
}

/// Events, queues and workers of one process (or of one test). Dropping it ends the pool's threads; commands that are
/// still pending then run in whatever thread sets them free.
#[derive(Debug)]
pub struct Scheduler {
    core: Arc<Core>,
    _threads: Threads,
}

impl Scheduler {
    /// Starts the workers.
    pub fn start(options: Options) -> Result<Scheduler, StartError> {
        let processors = affinity::available_processors();
        let workers = if options.workers == 0 { processors } else { options.workers }.min(MAX_WORKERS);
        let core = Arc::new(Core::new(workers, workers <= processors, options.observer));
        let pinning = if options.pin { affinity::allowed_processors() } else { Vec::new() };
        let threads = Threads::start(Arc::clone(&core), &pinning)?;
        Ok(Scheduler { core, _threads: threads })
    }

    #[cfg(all(test, not(loom)))]
    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    /// N: threads that may execute, the waiting host thread included.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.core.workers
    }

    /// A queue for a device.
    pub fn queue(&self, driver: Arc<dyn Driver>, properties: QueueProperties) -> Result<Queue, EnqueueError> {
        Queue::new(&self.core, driver, properties)
    }

    /// A user event.
    pub fn user_event(&self) -> Result<UserEvent, EnqueueError> {
        UserEvent::new(&self.core)
    }

    /// Whether a thread executes commands, as far as that can be told: one that looks for some counts as idle. Devices
    /// that execute themselves are not looked at.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.core.is_busy()
    }

    /// The clock of the times that events have: nanoseconds since the scheduler began.
    #[must_use]
    pub fn clock(&self) -> u64 {
        self.core.now()
    }

    /// A number for a new buffer.
    #[must_use]
    pub fn resource(&self) -> ResourceId {
        ResourceId(self.core.next_id())
    }
}
