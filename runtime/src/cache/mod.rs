//! Archives that were built before, on disk, for all processes of a user.
//!
//! A result is found by what it was made of and nothing else: sources, headers, options, target, and the compiler by its
//! contents ([`key`]). A hit reads one file (two if headers were included, whose contents are compared), checks it
//! against its hash and starts nothing.
//!
//! Any number of processes on any number of machines may use one folder. Files are written under another name and
//! renamed, never changed; whatever is not whole and not what its name says is not there. Nothing here ever fails a
//! build: a cache that cannot be read or written is an empty one.

mod entry;
mod host;
mod key;
mod lock;
mod place;
mod store;
mod tidy;

pub(crate) use host::{HostMark, LastRun};
pub use key::Key;
pub(crate) use key::{Material, this_cpu};
pub use lock::Claimed;
pub(crate) use lock::{Claim, claim};
pub use store::{Cache, Stored};
pub use tidy::{CacheInfo, CacheRow, CacheStats, Damage, Pruned, Told};
