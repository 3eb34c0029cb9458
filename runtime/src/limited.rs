//! Queues of sub-devices: a command of theirs is executed by at most so many threads at the same time, on the CPUs of the
//! sub-device where it has some of its own.
//!
//! The scheduler hands pieces to whoever is free; so a limited command has as many pieces as it may have threads, and
//! each of those takes work-groups until none is left.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxcl_driver::{Failure, Lane, Launch};
use oxcl_scheduler::Bound;

/// Work that few threads share.
pub(crate) struct Limited {
    work: Arc<dyn Launch>,
    threads: u64,
    /// The first group that nobody has taken.
    next: AtomicU64,
    /// Groups that a thread takes at a time.
    step: u64,
    /// Where it runs; empty: anywhere.
    cpus: Arc<[usize]>,
}

/// How often a thread comes back for more, so that all end at about the same time.
const TURNS: u64 = 16;

impl Limited {
    /// `work` on at most `threads` threads, on these CPUs if any are named.
    pub(crate) fn new(work: Arc<dyn Launch>, threads: u64, cpus: Arc<[usize]>) -> Self {
        let groups = work.groups();
        // A run that leaves a thread without work would save nothing.
        let run = work.grain().clamp(1, groups.div_ceil(threads.max(1)).max(1));
        let step = (groups / (threads * TURNS).max(1)).max(1).next_multiple_of(run);
        Self { work, threads, next: AtomicU64::new(0), step, cpus }
    }
}

impl Launch for Limited {
    fn groups(&self) -> u64 {
        self.work.groups().min(self.threads)
    }

    fn run(&self, _first: u64, _count: u64, lane: Lane) -> Result<(), Failure> {
        let groups = self.work.groups();
        let _bound = Bound::to(&self.cpus);
        loop {
            // Relaxed: each thread gets other groups; what they read was made visible before the command began.
            let first = self.next.fetch_add(self.step, Ordering::Relaxed);
            if first >= groups {
                return Ok(());
            }
            self.work.run(first, self.step.min(groups - first), lane)?;
        }
    }

    fn label(&self) -> &str {
        self.work.label()
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        // Devices that execute by themselves have their own idea of threads.
        self.work.as_any()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Groups(Mutex<Vec<u64>>);

    impl Launch for Groups {
        fn groups(&self) -> u64 {
            1000
        }

        fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
            self.0.lock().unwrap().extend(first..first + count);
            Ok(())
        }
    }

    #[test]
    fn every_group_runs_once_in_few_pieces() {
        let work = Arc::new(Groups::default());
        let limited = Limited::new(Arc::clone(&work) as Arc<dyn Launch>, 3, Arc::default());
        assert_eq!(limited.groups(), 3);
        std::thread::scope(|scope| {
            for piece in 0..3 {
                let limited = &limited;
                scope.spawn(move || limited.run(piece, 1, Lane { index: 0 }).unwrap());
            }
        });
        let mut done = work.0.lock().unwrap().clone();
        done.sort_unstable();
        assert_eq!(done, (0..1000).collect::<Vec<_>>());
    }
}
