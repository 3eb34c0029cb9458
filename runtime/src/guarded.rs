//! Work that holds its buffers: they live until the command has ended, and while a piece of it is being executed no
//! command of the host touches them.

use std::sync::Arc;

use oxcl_driver::command::LaunchFacts;
use oxcl_driver::fault::KernelFailure;
use oxcl_driver::printer::Printer;
use oxcl_driver::{Failure, History, Lane, Launch};

use crate::buffer::Buffer;
use crate::exclusion::UsedByPiece;

/// A command's work with the buffers that it uses.
pub(crate) struct Guarded<W: ?Sized> {
    /// In the order in which they are locked, each once.
    buffers: Box<[Buffer]>,
    work: Arc<W>,
}

impl<W: Launch + ?Sized> Guarded<W> {
    /// Work that uses `buffers`, which may come in any order.
    pub(crate) fn new(work: Arc<W>, mut buffers: Vec<Buffer>) -> Self {
        buffers.sort_unstable_by_key(Buffer::number);
        buffers.dedup_by_key(|buffer| buffer.number());
        Self { buffers: buffers.into_boxed_slice(), work }
    }

    /// The buffers.
    pub(crate) fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }
}

impl<W: Launch + ?Sized> std::fmt::Debug for Guarded<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guarded").field("work", &self.work.label()).field("buffers", &self.buffers).finish()
    }
}

impl<W: Launch + ?Sized> Launch for Guarded<W> {
    fn groups(&self) -> u64 {
        self.work.groups()
    }

    fn grain(&self) -> u64 {
        self.work.grain()
    }

    fn run(&self, first: u64, count: u64, lane: Lane) -> Result<(), Failure> {
        let _used = UsedByPiece::new(self.buffers.iter().map(Buffer::pieces));
        self.work.run(first, count, lane)
    }

    fn history(&self) -> Option<&History> {
        self.work.history()
    }

    fn facts(&self) -> LaunchFacts<'_> {
        self.work.facts()
    }

    fn take_failure(&self) -> Option<KernelFailure> {
        self.work.take_failure()
    }

    fn cycles(&self) -> Option<u64> {
        self.work.cycles()
    }

    fn printer(&self) -> Option<&Printer> {
        self.work.printer()
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        self.work.as_any()
    }

    fn label(&self) -> &str {
        self.work.label()
    }
}
