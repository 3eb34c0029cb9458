//! Work of a server's that somebody else may want to end: what is made at idle priority, where no processor is idle.
//!
//! In: the server that is at work. Out: how it gets on, and its end. Who abandons an attempt does the work himself; nobody does
//! what was given up because its time was over.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::server::ServerHandle;

/// So long an attempt is left alone: a server may have to start first.
const AT_FIRST: Duration = Duration::from_millis(10);

/// A piece of work that can be given up from outside.
#[derive(Debug, Default)]
pub(crate) struct Attempt {
    state: Mutex<State>,
    /// When it is given up if it is not done.
    until: Option<Instant>,
}

#[derive(Debug, Default)]
struct State {
    abandoned: bool,
    at_work: Option<AtWork>,
}

#[derive(Debug)]
struct AtWork {
    server: ServerHandle,
    since: Instant,
    /// Processor time that the server had had then.
    before: Option<Duration>,
}

impl Attempt {
    /// One that is given up at that time.
    pub(crate) fn until(end: Instant) -> Self {
        Self { until: Some(end), ..Self::default() }
    }

    /// How long it may take, and no longer than `most`.
    pub(super) fn time(&self, most: Duration) -> Duration {
        self.until.map_or(most, |end| most.min(end.saturating_duration_since(Instant::now())))
    }

    /// Its server has not answered in [`Self::time`]: gives it up if that was its own end.
    pub(super) fn timed_out(&self) {
        if self.until.is_some_and(|end| Instant::now() >= end) {
            self.lock().abandoned = true;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock is left half-changed by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the work is somebody else's now.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.lock().abandoned
    }

    /// Gives the work up: a server that is at work on it ends.
    pub(crate) fn abandon(&self) {
        let mut state = self.lock();
        state.abandoned = true;
        if let Some(at_work) = state.at_work.take() {
            at_work.server.end();
        }
    }

    /// Whether the server gets less than half of a processor, or has not begun. Unknown counts as enough.
    pub(crate) fn is_starved(&self) -> bool {
        let state = self.lock();
        let Some(at_work) = &state.at_work else { return true };
        let elapsed = at_work.since.elapsed();
        let had = at_work.server.processor_time().zip(at_work.before);
        elapsed >= AT_FIRST && had.is_some_and(|(now, before)| now.saturating_sub(before) * 2 < elapsed)
    }

    /// A server is about to get the work; false: it was given up, and the server can do something else.
    pub(super) fn begin(&self, server: ServerHandle) -> bool {
        let mut state = self.lock();
        let before = server.processor_time();
        state.at_work = Some(AtWork { server, since: Instant::now(), before });
        !state.abandoned
    }

    /// The server has answered, or is gone: it is nobody's to end any more.
    pub(super) fn end(&self) {
        self.lock().at_work = None;
    }
}
