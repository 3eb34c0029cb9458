//! One line of progress on standard error, for work that takes long enough to wonder about: on a terminal only, after
//! 300 ms, and gone when the work is done.

use super::Ui;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Work shorter than this shows no progress.
const DELAY: Duration = Duration::from_millis(300);

/// A line that comes and goes.
#[derive(Debug)]
pub(crate) struct Progress {
    enabled: bool,
    start: Instant,
    shown: bool,
}

impl Progress {
    /// Nothing is shown yet.
    pub(crate) fn new(ui: &Ui) -> Self {
        let enabled = !ui.json && !ui.quiet && io::stderr().is_terminal();
        Self { enabled, start: Instant::now(), shown: false }
    }

    /// Says what is being done now.
    pub(crate) fn step(&mut self, text: &str) {
        if self.enabled && self.start.elapsed() >= DELAY {
            self.shown = true;
            // The terminal may be gone; progress is no reason to fail.
            let _ = write!(io::stderr().lock(), "\r\x1b[K{text}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}
