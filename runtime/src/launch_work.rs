//! What a launch gives to the scheduler: one for devices in the host's address space, whose arguments have their
//! addresses from the beginning, and one for devices with memory of their own.

use std::sync::Arc;

use oxcl_driver::Launch;
use oxcl_driver::printer::Printer;
use oxcl_driver_cpu::{DiscreteLaunch, Failure, Geometry, KernelWork, PreparedLaunch};

use crate::buffer::Buffer;
use crate::guarded::Guarded;

/// The work of a launch, with its buffers, which are held while it runs.
#[derive(Debug)]
pub(crate) enum LaunchWork {
    Host(Arc<Guarded<KernelWork>>),
    Discrete(Arc<Guarded<DiscreteLaunch>>),
    /// On a device that executes launches by itself.
    Device(Arc<Guarded<dyn Launch>>, Geometry),
}

impl LaunchWork {
    /// For a command.
    pub(crate) fn command(&self) -> Arc<dyn Launch> {
        match self {
            Self::Host(work) => Arc::clone(work) as Arc<dyn Launch>,
            Self::Discrete(work) => Arc::clone(work) as Arc<dyn Launch>,
            Self::Device(work, _) => Arc::clone(work) as Arc<dyn Launch>,
        }
    }

    /// The launch as it looks from outside, where threads of the host execute it.
    pub(crate) fn prepared(&self) -> Option<&PreparedLaunch> {
        match self {
            Self::Host(work) => Some(work.work().prepared()),
            Self::Discrete(work) => Some(work.work().prepared()),
            Self::Device(..) => None,
        }
    }

    /// What collects the text that it prints.
    pub(crate) fn printer(&self) -> Option<&Printer> {
        match self {
            Self::Host(work) => Some(work.work().prepared().printer()),
            Self::Discrete(work) => Some(work.work().prepared().printer()),
            Self::Device(work, _) => work.work().printer(),
        }
    }

    /// Cycles that the last execution took, on devices that count them.
    pub(crate) fn cycles(&self) -> Option<u64> {
        match self {
            Self::Host(_) | Self::Discrete(_) => None,
            Self::Device(work, _) => work.cycles(),
        }
    }

    /// Its index space.
    pub(crate) fn geometry(&self) -> &Geometry {
        match self {
            Self::Host(work) => work.work().prepared().geometry(),
            Self::Discrete(work) => work.work().prepared().geometry(),
            Self::Device(_, geometry) => geometry,
        }
    }

    /// Why the last execution failed; once.
    pub(crate) fn take_failure(&self) -> Option<Failure> {
        match self {
            Self::Host(work) => work.work().take_failure(),
            Self::Discrete(work) => work.work().take_failure(),
            Self::Device(..) => None,
        }
    }

    /// The buffers, one for each memory.
    pub(crate) fn buffers(&self) -> &[Buffer] {
        match self {
            Self::Host(work) => work.buffers(),
            Self::Discrete(work) => work.buffers(),
            Self::Device(work, _) => work.buffers(),
        }
    }
}
