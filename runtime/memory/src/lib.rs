//! Device memory without touching it: this crate says where things lie and what has to be copied; drivers copy.
//!
//! - [`bufalloc`] divides a contiguous region of addresses into chunks.
//! - [`Pool`] runs a region that is smaller than what is asked of it: objects come and go, are reclaimed in the order
//!   of a [`ReclaimPolicy`] when memory is short, and come back. A command's whole set is made resident at once, or not
//!   at all; what the driver has to do for it is a [`Plan`].
//! - [`Reservation`] is the same in seven steps, for callers that lock, wait, validate, patch, submit, fence and release
//!   one after the other; [`SharedPool`] runs them from several threads.
//! - [`Heap`] chooses among pools by what a buffer requires.
//!
//! `docs/memory.md` tells the whole story. Nothing here waits for a device, moves a byte or calls a driver.

#![forbid(unsafe_code)]

pub mod bench;
pub mod bufalloc;
mod classes;
mod heap;
mod lists;
mod object;
mod owners;
mod places;
mod plan;
pub mod policy;
mod pool;
pub mod residency;
mod shared;
mod shim;
mod submit;

pub use heap::{Capabilities, Heap, HeapError, HeapObject, PoolIndex};
pub use lists::NoMemory;
pub use object::{Block, BlockFlags, ObjectId};
pub use plan::{
    Access, Action, Extent, Fence, Located, Place, Plan, PoolError, PoolUsage, Shortage, Source, Use,
};
pub use policy::ReclaimPolicy;
pub use pool::Pool;
pub use shared::{Held, SharedPool};
pub use submit::{DevicePart, Engine, Patch, Reservation};

#[cfg(all(test, loom))]
mod models;
