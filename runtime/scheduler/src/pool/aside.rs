//! Keeps workers that wake up off the processor of the host's thread.
//!
//! Linux leaves a thread that wakes on the processor where it was last, even if the host's thread runs there now and
//! another processor is idle: where all were busy a moment ago, as after a build, it does not look for an idle one. The
//! two then share one processor for as long as 100 ms, and each look of a worker that keeps watch interrupts the host.
//! So a worker that wakes up where the host's thread was last seen goes elsewhere, by leaving that processor out of its
//! mask for a moment, unless the machine is full: then the system's choice is as good. The host's threads are never
//! moved, and masks are as before afterwards.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::affinity;
use crate::shim::{AtomicU32, Ordering};

/// No thread of the host's is known to run.
const NOWHERE: u32 = u32::MAX;

/// A worker goes elsewhere no more often than this: it may be brought back for a reason.
const PACE: Duration = Duration::from_millis(1);

/// Where the thread of the host's runs that used the scheduler last.
#[derive(Debug)]
pub(super) struct HostPlace {
    processor: AtomicU32,
}

impl HostPlace {
    pub(super) fn new() -> HostPlace {
        HostPlace { processor: AtomicU32::new(NOWHERE) }
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

/// What a worker remembers of going elsewhere.
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

    /// Goes to a processor and stays there, free to leave, for as long as the system leaves it there.
    fn go_to(processor: usize, back: &[usize]) {
        affinity::restrict(&[processor]);
        affinity::restrict(back);
    }

    #[test]
    fn a_thread_leaves_a_processor_and_keeps_its_mask() {
        let all = affinity::allowed_processors();
        let [first, second, ..] = all[..] else { return };
        let (first_left, second_left) = std::thread::spawn(move || {
            let (mut first_left, mut second_left) = (0, 0);
            for _ in 0..100 {
                go_to(first, &all);
                affinity::leave(u32::try_from(first).unwrap());
                first_left += usize::from(affinity::current_processor() != u32::try_from(first).ok());
                go_to(second, &all);
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
