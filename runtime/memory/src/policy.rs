//! In which order objects are reclaimed. A policy sees objects become resident, be used and leave, and names candidates;
//! the pool passes over those that are pinned or in use, and takes no more of them than it needs.
//!
//! All policies here keep resident objects in doubly linked lists over their owner ids ([`list`]): every operation is
//! constant time and allocates nothing but the table. What else was tried, and how fast it is, is in `docs/memory.md`.

pub mod list;
mod recency;
mod segmented;

use std::fmt;

pub use recency::{ByLastUse, Lru, Mru};
pub use segmented::SegmentedLru;

/// An order of reclaim. Owners are small numbers (see [`crate::ObjectId::owner`]).
pub trait ReclaimPolicy: Send + fmt::Debug {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// An object of `bytes` bytes has become resident for a command: its first use.
    fn added(&mut self, owner: u32, bytes: u64);

    /// A resident object is used by another command.
    fn used(&mut self, owner: u32);

    /// An object is not resident any more.
    fn removed(&mut self, owner: u32);

    /// The candidate after `after` in the order of reclaim; the first one for `None`.
    fn next(&self, after: Option<u32>) -> Option<u32>;

    /// A round of the program has ended, for policies that count by rounds.
    fn end_frame(&mut self) {}
}
