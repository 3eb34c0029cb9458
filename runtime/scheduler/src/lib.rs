//! Scheduling: [`Event`]s and [`UserEvent`]s, command [`Queue`]s whose commands run side by side where their memory
//! allows it, and the pool of workers that executes them. How it works and what holds when: `docs/scheduler.md`.
//!
//! The crate knows nothing of OpenCL objects or memory: a command is a [`oxcl_driver::Launch`], the bytes it touches,
//! and the events it waits for. It checks nothing that the API layer has to check.

pub mod bench;
mod device;
mod event;
mod faults;
pub mod fork;
mod observe;
#[cfg(test)]
mod own_device;
mod points;
mod pool;
mod queue;
mod release;
mod scheduler;
mod shim;
mod task;
pub mod thread;
pub mod transfer;

pub use event::{Event, Stage, Status, UserEvent};
pub use faults::try_box;
pub use observe::{CommandRecord, Observer, ShareRecord, Times};
pub use points::{ALL_BANDS, Access, BANDS, ResourceId, Touch};
pub use pool::affinity::{Bound, allowed_processors, available_processors, online_processors};
pub use queue::{Command, EnqueueError, Facts, Fence, Queue, QueueProperties};
pub use scheduler::{MAX_WORKERS, Options, Scheduler, StartError};
pub use task::callback::Prepared;

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod models;
