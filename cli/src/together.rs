//! Programs of one worker each that run at the same time, as threads of this one: what the machine's processors do together when
//! nothing has to be dealt out among them.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use oxcl_runtime::{ArgValue, Coded, Kernel, NdRange, Queue};

/// What went wrong, with its code.
pub(crate) fn told(error: &impl Coded) -> String {
    format!("{error} [{}]", error.code())
}

/// Launches a kernel and waits for it: how long that takes.
pub(crate) fn timed(
    queue: &Queue,
    kernel: &Kernel,
    range: &NdRange,
    arguments: &[ArgValue<'_>],
) -> Result<Duration, String> {
    let begun = Instant::now();
    let event = queue.kernel(kernel, range, arguments, &[]).map_err(|error| told(&error))?;
    event.wait().map_err(|error| error.to_string())?;
    Ok(begun.elapsed())
}

/// One of the programs.
pub(crate) struct Member<'a> {
    /// From 0 on.
    pub(crate) number: usize,
    group: &'a Group,
    runs: u32,
    ran: Cell<bool>,
}

/// What the programs share.
struct Group {
    ready: Barrier,
    /// Programs that have runs left to count.
    busy: AtomicUsize,
    times: Mutex<Vec<Duration>>,
}

impl Member<'_> {
    /// The part of the program that is measured: waits for the others, and runs `once` so often that its times count, and then on as
    /// long as others have runs to count, so that all are beside as many.
    pub(crate) fn run(&self, mut once: impl FnMut() -> Result<Duration, String>) -> Result<(), String> {
        self.ran.set(true);
        self.group.ready.wait();
        let counted: Result<Vec<_>, _> = (0..self.runs).map(|_| once()).collect();
        // Relaxed, here and below: it says only whether to go on.
        self.group.busy.fetch_sub(1, Ordering::Relaxed);
        let counted = counted?;
        self.group.times.lock().unwrap_or_else(PoisonError::into_inner).extend(counted);
        while self.group.busy.load(Ordering::Relaxed) > 0 {
            once()?;
        }
        Ok(())
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        // The others do not wait for one that came to nothing.
        if !self.ran.get() {
            self.group.ready.wait();
            self.group.busy.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The times of `runs` runs in each of so many programs, each of which makes itself ready and calls [`Member::run`].
pub(crate) fn run(
    programs: usize,
    runs: u32,
    program: impl Fn(&Member<'_>) -> Result<(), String> + Sync,
) -> Result<Vec<Duration>, String> {
    let group =
        Group { ready: Barrier::new(programs), busy: AtomicUsize::new(programs), times: Mutex::default() };
    let one = |number| program(&Member { number, group: &group, runs, ran: Cell::new(false) });
    let ended: Result<Vec<()>, String> = thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> = (0..programs).map(|number| scope.spawn(move || one(number))).collect();
        let end = |thread: thread::ScopedJoinHandle<'_, Result<(), String>>| {
            thread.join().unwrap_or_else(|_| Err("a program of the bench has ended by a panic".to_owned()))
        };
        threads.into_iter().map(end).collect()
    });
    ended?;
    Ok(group.times.into_inner().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_runs_that_count_are_timed_and_one_that_fails_holds_up_nobody() {
        let times = run(3, 4, |member| member.run(|| Ok(Duration::from_micros(7)))).unwrap();
        assert_eq!(times, [Duration::from_micros(7); 12]);
        let failed = run(3, 4, |member| match member.number {
            0 => Err("not ready".to_owned()),
            _ => member.run(|| Ok(Duration::ZERO)),
        });
        assert_eq!(failed.unwrap_err(), "not ready");
        let failed = run(2, 4, |member| member.run(|| Err("not run".to_owned())));
        assert_eq!(failed.unwrap_err(), "not run");
    }
}
