//! What a launch prints, on its way to whoever shows it.
//!
//! In: text, in the order in which parts of the launch ended. Out: the same, given to the launch's sink at once, or kept
//! until somebody takes it.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Takes text that a kernel has printed, and how many printf calls found no room in the buffer. Called by the threads
/// that execute, possibly by several at the same time, before the launch is complete.
pub type PrintSink = Arc<dyn Fn(&[u8], u64) + Send + Sync>;

/// What a launch has printed and nobody has taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    /// The text.
    pub text: Vec<u8>,
    /// Calls of printf that found no room.
    pub dropped: u64,
}

/// Collects what a launch prints, from the threads that execute it.
#[derive(Default)]
pub struct Printer {
    kept: Mutex<Printed>,
    sink: OnceLock<PrintSink>,
}

impl fmt::Debug for Printer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Printer").field("kept", &self.kept).finish_non_exhaustive()
    }
}

impl Printer {
    /// Gives all further text to `sink`; the first one given stays.
    pub fn print_to(&self, sink: PrintSink) {
        let _ = self.sink.set(sink);
    }

    /// What was kept since the last call.
    #[must_use]
    pub fn take(&self) -> Printed {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds text, and how many calls of printf found no room.
    pub fn add(&self, text: &[u8], dropped: u64) {
        if text.is_empty() && dropped == 0 {
            return;
        }
        if let Some(sink) = self.sink.get() {
            sink(text, dropped);
            return;
        }
        // Nothing under the lock is left half-changed by a panic.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.text.extend_from_slice(text);
        kept.dropped += dropped;
    }
}
