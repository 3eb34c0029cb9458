//! Keeps workers that wake up off the processor of the host's thread.
//!
//! Linux leaves a thread that wakes on the processor where it was last, even if the host's thread runs there now and
//! another processor is idle: where all were busy a moment ago, as after a build, it does not look for an idle one. The
//! two then share one processor for as long as 100 ms, and each look of a worker that keeps watch interrupts the host.
//! So a worker that wakes up where the host's thread was last seen goes elsewhere, by leaving that processor out of its
//! mask for a moment, unless the machine is full: then the system's choice is as good. Masks are as before afterwards.
//!
//! Where a thread goes on that does not run yet, as it was just made or woken, is the concern of [`super::affinity::Elsewhere`].
//!
//! The host's threads stay where they are, but for one case: workers that are bound to processors cannot go elsewhere. There a
//! thread that waits goes to the processor that was left to it.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::affinity;
use crate::shim::{AtomicU32, Ordering};

/// No thread of the host's is known to run.
const NOWHERE: u32 = u32::MAX;

/// A thread goes elsewhere no more often than this: it may be brought back for a reason.
const PACE: Duration = Duration::from_millis(1);

/// Where the thread of the host's runs that used the scheduler last.
#[derive(Debug)]
pub(super) struct HostPlace {
    processor: AtomicU32,
    /// Where workers are bound.
    pinned: OnceLock<Pinned>,
}

/// The processors of workers that are bound.
#[derive(Debug)]
struct Pinned {
    workers: Vec<u32>,
    /// The one that is left to the host's thread.
    host: usize,
}

impl HostPlace {
    pub(super) fn new() -> HostPlace {
        HostPlace { processor: AtomicU32::new(NOWHERE), pinned: OnceLock::new() }
    }

    /// The workers are bound to these processors, and one is left to the host's thread.
    pub(super) fn is_left_to_host(&self, host: usize, workers: impl Iterator<Item = usize>) {
        let workers = workers.filter_map(|processor| u32::try_from(processor).ok()).collect();
        let _ = self.pinned.set(Pinned { workers, host });
    }

    /// The calling thread is the host's, and goes on.
    pub(super) fn is_here(&self) {
        if cfg!(loom) {
            return;
        }
        let here = affinity::current_processor().unwrap_or(NOWHERE);
        // Relaxed, here and below: a hint that guards nothing. It is written only where it changes, as workers read it.
        if self.processor.load(Ordering::Relaxed) != here {
            self.processor.store(here, Ordering::Relaxed);
        }
    }

    /// The host's thread goes to sleep; anybody may have its processor.
    pub(super) fn is_left(&self) {
        if !cfg!(loom) {
            self.processor.store(NOWHERE, Ordering::Relaxed);
        }
    }
}

/// What a thread remembers of going elsewhere.
#[derive(Debug, Default)]
pub(super) struct Aside {
    went: Cell<Option<Instant>>,
}

impl Aside {
    /// The calling worker has woken up: it goes elsewhere if the host's thread runs on its processor.
    pub(super) fn step(&self, host: &HostPlace) {
        if cfg!(loom) {
            return;
        }
        let processor = host.processor.load(Ordering::Relaxed);
        if processor == NOWHERE
            || affinity::current_processor() != Some(processor)
            || self.went.get().is_some_and(|went| went.elapsed() < PACE)
        {
            return;
        }
        self.went.set(Some(Instant::now()));
        if !is_full(&std::fs::read_to_string("/proc/loadavg").unwrap_or_default()) {
            affinity::leave(processor);
        }
    }

    /// The calling thread is the host's, and executes: it goes where no worker is bound.
    pub(super) fn keep(&self, host: &HostPlace) {
        let Some(pinned) = host.pinned.get() else { return };
        let is_theirs = |here| pinned.workers.contains(&here);
        if affinity::current_processor().is_some_and(is_theirs)
            && self.went.get().is_none_or(|went| went.elapsed() >= PACE)
        {
            self.went.set(Some(Instant::now()));
            affinity::go_to(pinned.host);
        }
    }
}

/// Whether `loads`, in the form of `/proc/loadavg`, says that more threads want to run than there are processors. One more
/// is none too many: the compiler in the background gives way at once.
fn is_full(loads: &str) -> bool {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let running =
        loads.split_whitespace().nth(3).and_then(|both| both.split_once('/')?.0.parse::<usize>().ok());
    let processors = *PROCESSORS.get_or_init(affinity::online_processors);
    running.is_some_and(|running| running > processors + 1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_leaves_a_processor_and_keeps_its_mask() {
        let all = affinity::allowed_processors();
        let [first, second, ..] = all[..] else { return };
        let (first_left, second_left) = std::thread::spawn(move || {
            let (mut first_left, mut second_left) = (0, 0);
            for _ in 0..100 {
                affinity::go_to(first);
                affinity::leave(u32::try_from(first).unwrap());
                first_left += usize::from(affinity::current_processor() != u32::try_from(first).ok());
                affinity::go_to(second);
                affinity::leave(u32::try_from(second).unwrap());
                second_left += usize::from(affinity::current_processor() != u32::try_from(second).ok());
                assert_eq!(affinity::allowed_processors(), all);
            }
            (first_left, second_left)
        })
        .join()
        .unwrap();
        // The system moves threads too, now and then.
        assert!(first_left > 80 && second_left > 80, "{first_left}, {second_left}");
    }

    #[test]
    fn a_worker_only_thinks_of_going_where_the_host_is() {
        let host = HostPlace::new();
        let aside = Aside::default();
        aside.step(&host);
        assert!(aside.went.get().is_none());
        let mask = affinity::allowed_processors();
        affinity::restrict(&mask[..1]);
        host.is_here();
        host.is_left();
        aside.step(&host);
        assert!(aside.went.get().is_none());
        host.is_here();
        aside.step(&host);
        let went = aside.went.get();
        assert!(went.is_some());
        // Not again at once.
        aside.step(&host);
        assert!(aside.went.get() == went || went.is_some_and(|went| went.elapsed() >= PACE));
        affinity::restrict(&mask);
    }

    #[test]
    fn a_thread_that_executes_leaves_the_processor_of_a_bound_worker() {
        std::thread::spawn(|| {
            let all = affinity::allowed_processors();
            let [first, second, ..] = all[..] else { return };
            let host = HostPlace::new();
            let goes = |host: &HostPlace, from: usize| {
                affinity::go_to(from);
                Aside::default().keep(host);
                assert_eq!(affinity::allowed_processors(), all);
                usize::from(affinity::current_processor() != u32::try_from(from).ok())
            };
            let times = |host: &HostPlace, from| (0..100).map(|_| goes(host, from)).sum::<usize>();
            assert!(times(&host, second) < 20);
            host.is_left_to_host(first, std::iter::once(second));
            let (left, stayed) = (times(&host, second), times(&host, first));
            // The system moves threads too, now and then.
            assert!(left > 80 && stayed < 20, "{left}, {stayed}");
            affinity::go_to(second);
            let aside = Aside::default();
            aside.keep(&host);
            let went = aside.went.get();
            affinity::go_to(second);
            aside.keep(&host);
            // Not again at once.
            assert!(aside.went.get() == went || went.is_some_and(|went| went.elapsed() >= PACE));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_full_machine_is_seen() {
        let loads = |running: usize| format!("0.20 0.18 0.12 {running}/80 11206\n");
        let processors = affinity::online_processors();
        assert!(!is_full(&loads(processors)) && !is_full(&loads(processors + 1)));
        assert!(is_full(&loads(processors + 2)));
        assert!(!is_full("") && !is_full("0.20 0.18 0.12 none 5"));
    }

    #[test]
    fn where_there_is_one_processor_a_worker_stays() {
        std::thread::spawn(|| {
            let all = affinity::allowed_processors();
            affinity::restrict(&all[..1]);
            let host = HostPlace::new();
            host.is_here();
            let aside = Aside::default();
            aside.step(&host);
            assert_eq!(affinity::allowed_processors(), all[..1]);
            assert!(aside.went.get().is_some());
        })
        .join()
        .unwrap();
    }
}
