//! One line of progress on standard error, for work that takes long enough to wonder about: on a terminal only, after
//! 300 ms, and gone when the work is done. It says what is being done and for how long; where it is known how much there is
//! to do, about how long the rest takes.
//!
//! A thread writes it, so that the time goes on while one piece of work takes long. Of lines that are open within one another only
//! the innermost is shown.

use super::Ui;
use crate::interrupt;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Work shorter than this shows no progress.
const DELAY: Duration = Duration::from_millis(300);
/// The line is written so often.
const PERIOD: Duration = Duration::from_millis(500);
/// Times shorter than this are not worth saying.
const WORTH_SAYING: Duration = Duration::from_secs(2);

/// How many lines are open.
static OPEN: AtomicU32 = AtomicU32::new(0);

/// A line that comes and goes.
#[derive(Debug)]
pub(crate) struct Progress {
    /// None where nobody looks.
    writer: Option<(Arc<Shared>, JoinHandle<()>)>,
}

/// What the writing thread is told.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
    start: Instant,
    /// How many lines were open before this one.
    outer: u32,
}

#[derive(Debug, Default)]
struct State {
    text: String,
    /// Pieces that are done, and all.
    pieces: Option<(u64, u64)>,
    ended: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the line until the work is done, and takes it away then.
    fn write(&self) {
        let mut pause = DELAY;
        let mut shown = false;
        let mut state = self.state();
        while !state.ended {
            let waited = self.ended.wait_timeout_while(state, pause, |state| !state.ended);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            pause = PERIOD;
            // Relaxed: at worst the line of what is done around this is seen once more.
            if state.ended || state.text.is_empty() || OPEN.load(Ordering::Relaxed) != self.outer + 1 {
                continue;
            }
            shown = true;
            interrupt::progress_is_shown(true);
            // The terminal may be gone; progress is no reason to fail.
            let _ = write!(io::stderr().lock(), "\r\x1b[K{}", line(&state, self.start.elapsed()));
        }
        if shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
            interrupt::progress_is_shown(false);
        }
    }
}

impl Progress {
    /// Nothing is shown yet.
    pub(crate) fn new(ui: &Ui) -> Self {
        if ui.json || ui.quiet || !io::stderr().is_terminal() {
            return Self { writer: None };
        }
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            ended: Condvar::new(),
            start: Instant::now(),
            // Relaxed: one thread opens lines.
            outer: OPEN.fetch_add(1, Ordering::Relaxed),
        });
        let for_writer = Arc::clone(&shared);
        // Without the thread there is no progress to see, and the work is done all the same.
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(move || for_writer.write());
        let Ok(thread) = thread else {
            OPEN.fetch_sub(1, Ordering::Relaxed);
            return Self { writer: None };
        };
        Self { writer: Some((shared, thread)) }
    }

    /// Says what is being done now.
    pub(crate) fn step(&self, text: &str) {
        self.tell(text, None);
    }

    /// Says what is being done now, and how much of it is done.
    pub(crate) fn part(&self, text: &str, done: u64, all: u64) {
        self.tell(text, Some((done, all)));
    }

    fn tell(&self, text: &str, pieces: Option<(u64, u64)>) {
        if let Some((shared, _)) = &self.writer {
            let mut state = shared.state();
            text.clone_into(&mut state.text);
            state.pieces = pieces;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((shared, thread)) = self.writer.take() {
            shared.state().ended = true;
            shared.ended.notify_one();
            // A thread that panicked has written its last line.
            let _ = thread.join();
            OPEN.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The line.
fn line(state: &State, spent: Duration) -> String {
    let mut line = state.text.clone();
    if let Some((done, all)) = state.pieces {
        line += &format!(": {done} of {all}");
    }
    if spent >= WORTH_SAYING {
        line += &format!(", {}", about(spent));
        if let Some(left) = state.pieces.and_then(|(done, all)| left(spent, done, all)) {
            line += &format!(", about {} left", about(left));
        }
    }
    line
}

/// What is left of the time: as much for each piece as for those that are done.
fn left(spent: Duration, done: u64, all: u64) -> Option<Duration> {
    let rest = all.checked_sub(done)?;
    (done > 0).then(|| Duration::from_secs_f64(spent.as_secs_f64() / done as f64 * rest as f64))
}

/// A time as people say it: `40 s`, `3 min`, `2 h`.
fn about(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5999 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_done() {
        let state = |pieces| State { text: "launches".to_owned(), pieces, ended: false };
        let seconds = Duration::from_secs;
        assert_eq!(line(&state(None), seconds(1)), "launches");
        assert_eq!(line(&state(None), seconds(3)), "launches, 3 s");
        assert_eq!(line(&state(Some((1, 4))), seconds(10)), "launches: 1 of 4, 10 s, about 30 s left");
        assert_eq!(line(&state(Some((0, 4))), seconds(150)), "launches: 0 of 4, 3 min");
        assert_eq!(line(&state(Some((5, 4))), seconds(6000)), "launches: 5 of 4, 2 h");
    }
}
