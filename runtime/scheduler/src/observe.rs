//! Seeing what the scheduler does: one record for each executed command of a queue that keeps times.

use std::fmt;

use oxcl_driver::EventId;

pub use crate::task::Times;

/// A command that was executed.
#[derive(Debug, Clone, Copy)]
pub struct CommandRecord<'a> {
    /// Its event.
    pub event: EventId,
    /// What it was.
    pub label: &'a str,
    /// When it was what.
    pub times: Times,
    /// Its pieces.
    pub groups: u64,
    /// The worker that ended it (0 is a waiting host thread); `None` for devices that execute by themselves.
    pub lane: Option<usize>,
}

/// One worker's share in a command that several workers may have executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareRecord {
    /// The command's event.
    pub event: EventId,
    /// The worker; 0 is a waiting host thread.
    pub lane: usize,
    /// Pieces that it executed, at least one.
    pub groups: u64,
    /// When it took the first, in nanoseconds since the scheduler began.
    pub started: u64,
    /// When it had executed the last.
    pub ended: u64,
}

/// Gets a record of each executed command, from the thread that executed it. Must not block or wait.
pub trait Observer: Send + Sync + fmt::Debug {
    /// A worker has executed its share of a command of several pieces. Comes before the record of the command.
    fn share(&self, _record: &ShareRecord) {}

    /// A command was executed. Its event may not be complete yet.
    fn command(&self, record: &CommandRecord<'_>);

    /// A device with memory of its own moved bytes between two times: by a command, or because memory was short.
    fn paged(&self, _what: &'static str, _bytes: u64, _times: std::ops::Range<u64>) {}
}
