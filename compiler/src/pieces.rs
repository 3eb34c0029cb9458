//! How far a compilation is, for who waits for it: the code of one kernel for one kind of processor is a piece.

use std::cell::Cell;
use std::fmt;

/// Hears how many pieces are done, and of how many; nobody does by default.
#[derive(Clone, Copy, Default)]
pub struct Told<'t>(Option<&'t (dyn Fn(u64, u64) + Sync)>);

impl<'t> Told<'t> {
    /// Calls `hear` when it is known how many pieces there are, and after each.
    #[must_use]
    pub fn new(hear: &'t (dyn Fn(u64, u64) + Sync)) -> Self {
        Self(Some(hear))
    }
}

impl fmt::Debug for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Told" } else { "nobody" })
    }
}

/// The pieces of a request.
#[derive(Debug, Default)]
pub(crate) struct Pieces<'t> {
    told: Told<'t>,
    done: Cell<u64>,
    all: Cell<u64>,
}

impl<'t> Pieces<'t> {
    /// Nothing is known yet.
    pub(crate) fn new(told: Told<'t>) -> Self {
        Self { told, ..Self::default() }
    }

    /// So many there are; where nobody says so, nobody hears anything.
    pub(crate) fn begin(&self, all: usize) {
        self.all.set(all as u64);
        self.add(0);
    }

    /// So many more are done.
    pub(crate) fn add(&self, done: usize) {
        self.done.set(self.done.get() + done as u64);
        if let Some(hear) = self.told.0
            && self.all.get() > 0
        {
            hear(self.done.get(), self.all.get());
        }
    }
}
