//! What a launch gives to the scheduler: one for devices in the host's address space, whose arguments have their
//! addresses from the beginning, and one for devices with memory of their own.

use std::sync::Arc;

use oxcl_driver_cpu::{DiscreteLaunch, Failure, KernelWork, PreparedLaunch};

use crate::buffer::Buffer;
use crate::guarded::Guarded;

/// The work of a launch, with its buffers, which are held while it runs.
#[derive(Debug)]
pub(crate) enum LaunchWork {
    Host(Arc<Guarded<KernelWork>>),
    Discrete(Arc<Guarded<DiscreteLaunch>>),
}

impl LaunchWork {
    /// For a command.
    pub(crate) fn command(&self) -> Arc<dyn oxcl_driver::Launch> {
        match self {
            Self::Host(work) => Arc::clone(work) as Arc<dyn oxcl_driver::Launch>,
            Self::Discrete(work) => Arc::clone(work) as Arc<dyn oxcl_driver::Launch>,
        }
    }

    /// The launch as it looks from outside.
    pub(crate) fn prepared(&self) -> &PreparedLaunch {
        match self {
            Self::Host(work) => work.work().prepared(),
            Self::Discrete(work) => work.work().prepared(),
        }
    }

    /// Why the last execution failed; once.
    pub(crate) fn take_failure(&self) -> Option<Failure> {
        match self {
            Self::Host(work) => work.work().take_failure(),
            Self::Discrete(work) => work.work().take_failure(),
        }
    }

    /// The buffers, one for each memory.
    pub(crate) fn buffers(&self) -> &[Buffer] {
        match self {
            Self::Host(work) => work.buffers(),
            Self::Discrete(work) => work.buffers(),
        }
    }
}
