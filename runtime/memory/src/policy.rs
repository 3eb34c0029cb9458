//! In which order objects are reclaimed. A policy sees objects become resident, be used and leave, and names candidates;
//! the pool passes over those that are pinned or in use, and takes no more of them than it needs.
//!
//! All policies here keep resident objects in doubly linked lists over their owner ids ([`list`]): every operation is
//! constant time; room in the tables is taken when an object is created. What else was tried, and how fast it is, is in `docs/memory.md`.

mod adaptive;
pub mod list;
mod recency;
mod segmented;

use std::fmt;

use crate::lists::{NoMemory, room};

pub use adaptive::Adaptive;
pub use recency::{ByLastUse, Lru, Mru};
pub use segmented::SegmentedLru;

/// Room for an owner in a table of sizes.
fn table_room(table: &mut Vec<u64>, owner: u32) -> Result<(), NoMemory> {
    let wanted = owner as usize + 1;
    let known = table.len();
    if wanted > known {
        room(table, wanted - known)?;
        table.resize(wanted, 0);
    }
    Ok(())
}

/// An order of reclaim. Owners are small numbers (see [`crate::ObjectId::owner`]).
pub trait ReclaimPolicy: Send + fmt::Debug {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// There is an object of this owner id, not resident yet: takes room for everything that may be said of it, so that
    /// nothing else needs memory.
    ///
    /// # Errors
    /// The host has none; nothing has changed.
    fn created(&mut self, owner: u32) -> Result<(), NoMemory>;

    /// An object of `bytes` bytes has become resident for a command: its first use.
    fn added(&mut self, owner: u32, bytes: u64);

    /// A resident object is used by another command.
    fn used(&mut self, owner: u32);

    /// An object is not resident any more.
    fn removed(&mut self, owner: u32);

    /// An object is gone, and its owner id may come again for another one. What was resident has been removed before.
    fn destroyed(&mut self, _owner: u32) {}

    /// The candidate after `after` in the order of reclaim; the first one for `None`.
    fn next(&self, after: Option<u32>) -> Option<u32>;

    /// A round of the program has ended, for policies that count by rounds.
    fn end_frame(&mut self) {}
}
