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

/// Gets a record of each executed command, from the thread that executed it. Must not block or wait.
pub trait Observer: Send + Sync + fmt::Debug {
    /// A command was executed. Its event may not be complete yet.
    fn command(&self, record: &CommandRecord<'_>);

    /// A device with memory of its own moved pages between two times.
    fn paged(&self, _what: &'static str, _bytes: u64, _times: std::ops::Range<u64>) {}
}
