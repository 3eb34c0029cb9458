//! Short commands that the thread that talks executes itself ([`Brief`]): the way to a worker and back takes longer than they do.
//! How long a launch takes is known from its executions ([`Pace`]); one of which nothing is known goes to the scheduler.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use oxcl_driver::{Failure, Lane, Launch, lock};

/// The thread that talks does what takes no longer than the first, and up to the second where nothing else is to be done.
const SHORTEST: Duration = Duration::from_micros(2);
const SHORT: Duration = Duration::from_micros(20);
/// Bytes that are moved in a microsecond, about.
const BYTES: u64 = 4096;

/// How long a launch takes.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Nanoseconds; 0: not known.
    time: AtomicU64,
    /// The last execution took much longer than those before.
    doubted: AtomicBool,
}

/// An execution that takes so many times as long as those before is long by chance, unless the next one is as well: the system may
/// have taken the processor away.
const BY_CHANCE: u64 = 4;

impl Pace {
    /// It took so many nanoseconds.
    pub(crate) fn took(&self, nanoseconds: u64) {
        // Relaxed, here and below: an estimate. Long executions count at once, short ones bit by bit.
        let before = self.time.load(Ordering::Relaxed);
        let is_odd = before > 0 && nanoseconds > before.saturating_mul(BY_CHANCE);
        let was_odd = self.doubted.load(Ordering::Relaxed);
        if is_odd || was_odd {
            self.doubted.store(is_odd && !was_odd, Ordering::Relaxed);
        }
        if is_odd && !was_odd {
            return;
        }
        let after = if nanoseconds > before { nanoseconds } else { before - (before - nanoseconds) / 4 };
        self.time.store(after.max(1), Ordering::Relaxed);
    }

    /// How long it will take, as far as that is known.
    pub(crate) fn expected(&self, launch: &dyn Launch) -> Option<Duration> {
        match self.time.load(Ordering::Relaxed) {
            0 => launch.history().and_then(|history| history.time()),
            time => Some(Duration::from_nanos(time)),
        }
    }

    /// How long it takes to move bytes.
    pub(crate) fn of_bytes(bytes: u64) -> Option<Duration> {
        Some(Duration::from_micros(bytes / BYTES))
    }
}

/// A command's event, what it does, and what of it is to be kept.
type PutOff<K> = (Option<u64>, Arc<dyn Launch>, K);

/// See the module's header.
pub(crate) struct Brief<K> {
    queue: Mutex<VecDeque<PutOff<K>>>,
    /// How many there are.
    count: AtomicUsize,
}

impl<K> Default for Brief<K> {
    fn default() -> Self {
        Self { queue: Mutex::default(), count: AtomicUsize::new(0) }
    }
}

impl<K> Brief<K> {
    /// Whether the thread that talks does what is expected to take so long.
    pub(crate) fn takes(&self, expected: Option<Duration>, is_idle: impl Fn() -> bool) -> bool {
        expected.is_some_and(|time| time <= SHORTEST || (time <= SHORT && !self.has_some() && is_idle()))
    }

    /// Whether there are commands that were put off. Who puts them off and who executes them is one thread mostly, which asks all
    /// the time.
    pub(crate) fn has_some(&self) -> bool {
        // Relaxed: it pairs with nothing. The commands are behind the lock, and who misses one asks again.
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Puts a command off until that thread has nothing to hear.
    pub(crate) fn put_off(&self, event: Option<u64>, work: Arc<dyn Launch>, keep: K) {
        let mut queue = lock(&self.queue);
        queue.push_back((event, work, keep));
        self.count.store(queue.len(), Ordering::Relaxed);
    }

    /// The oldest command.
    pub(crate) fn next(&self) -> Option<PutOff<K>> {
        let mut queue = lock(&self.queue);
        let next = queue.pop_front();
        self.count.store(queue.len(), Ordering::Relaxed);
        next
    }
}

/// Executes work on this thread, which executes nothing of the scheduler's. How it went, and when it began and ended.
pub(crate) fn execute(work: &dyn Launch) -> (Result<(), Failure>, [Instant; 2]) {
    let begin = Instant::now();
    let run = || work.run(0, work.groups(), Lane { index: 0 });
    let outcome = catch_unwind(AssertUnwindSafe(run));
    let outcome = outcome.unwrap_or_else(|payload| Err(Failure::from_panic(payload.as_ref())));
    (outcome, [begin, Instant::now()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_executions_count_at_once_and_short_ones_bit_by_bit() {
        let pace = Pace::default();
        let by_chance = [(100_000, 1000), (1000, 1000), (100_000, 1000)];
        let then = [(100_000, 100_000), (1000, 75_250), (80_000, 80_000)];
        for (took, known) in [(1000, 1000)].into_iter().chain(by_chance).chain(then) {
            pace.took(took);
            assert_eq!(pace.time.load(Ordering::Relaxed), known);
        }
    }

    #[test]
    fn of_work_that_is_not_quite_short_one_piece_is_taken_where_nothing_else_is_done() {
        let brief: Brief<()> = Brief::default();
        let takes = |micros, idle: bool| brief.takes(Some(Duration::from_micros(micros)), || idle);
        assert!(takes(1, false) && takes(15, true) && !takes(15, false) && !takes(30, true));
        assert!(!brief.takes(None, || true));
    }
}
