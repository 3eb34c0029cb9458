//! Which processors this process may use, and which of them a thread keeps to.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Number of processors that the affinity mask and the control groups leave to this process, at least 1.
#[must_use]
pub fn available_processors() -> usize {
    // The mask leaves out what the groups' sets of processors do; the quotas come on top.
    let processors = match allowed_processors().len() {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
        allowed => allowed,
    };
    oxcl_driver::control_group::processors().map_or(processors, |most| processors.min(most)).max(1)
}

/// Number of processors that the machine has, at least 1.
#[must_use]
pub fn online_processors() -> usize {
    // SAFETY: takes a number and touches no memory.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    usize::try_from(count).unwrap_or(1).max(1)
}

/// The processors in the calling thread's affinity mask, in order. Empty where the system does not say.
#[must_use]
pub fn allowed_processors() -> Vec<usize> {
    let Ok(mask) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|&processor| mask.is_set(processor)).collect()
}

/// Binds the calling thread to one processor; without effect where the system refuses.
pub(crate) fn pin(processor: usize) {
    restrict(&[processor]);
}

/// Lets the calling thread run on these processors only; without effect where the system refuses, as it does where it has
/// none of them.
pub(crate) fn restrict(processors: &[usize]) {
    let _ = sched_setaffinity(None, &mask_of(processors));
}

fn mask_of(processors: &[usize]) -> CpuSet {
    let mut mask = CpuSet::new();
    // More processors than the system has are no processors.
    processors
        .iter()
        .filter(|&&processor| processor < CpuSet::MAX_CPU)
        .for_each(|&processor| mask.set(processor));
    mask
}

/// While this exists the calling thread runs on some processors only, where the system lets it; then it goes where it could
/// before.
#[derive(Debug)]
pub struct Bound {
    /// Where the thread could run before; none: nothing was changed.
    before: Option<CpuSet>,
    /// A thread's mask is its own.
    _here: std::marker::PhantomData<*const ()>,
}

impl Bound {
    /// Binds the calling thread; no processors: to nothing.
    #[must_use]
    pub fn to(processors: &[usize]) -> Bound {
        let changed = || {
            let wanted = mask_of(processors);
            let before = sched_getaffinity(None).ok().filter(|before| *before != wanted)?;
            sched_setaffinity(None, &wanted).ok()?;
            Some(before)
        };
        let before = if processors.is_empty() { None } else { changed() };
        Bound { before, _here: std::marker::PhantomData }
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // Where the system refuses now the thread stays where it is, which is only slower.
            let _ = sched_setaffinity(None, before);
        }
    }
}

/// The processor that the calling thread runs on, which may be another one a moment later.
pub(crate) fn current_processor() -> Option<u32> {
    // SAFETY: takes and touches nothing.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Has the calling thread go on on another processor of its mask, if there is one. It may come back.
pub(crate) fn leave(processor: u32) {
    let all = allowed_processors();
    let others: Vec<usize> =
        all.iter().copied().filter(|&other| u32::try_from(other) != Ok(processor)).collect();
    if others.len() < all.len() && !others.is_empty() {
        pass_by(&others, &all);
    }
}

/// Has the calling thread go on on a processor of its mask, from where the system may take it elsewhere.
pub(crate) fn go_to(processor: usize) {
    let all = allowed_processors();
    if all.contains(&processor) {
        pass_by(&[processor], &all);
    }
}

/// Has the calling thread, which may run on `all`, go on on one of some of them.
fn pass_by(some: &[usize], all: &[usize]) {
    restrict(some);
    restrict(all);
}

/// Lets the calling thread's short sleeps end within a microsecond of their time.
pub(crate) fn precise_sleeps() {
    // SAFETY: this option takes a number of nanoseconds and touches no memory.
    let _ = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1000) };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_is_bound_to_one_processor_may_use_one() {
        let seen = std::thread::spawn(|| {
            let before = allowed_processors();
            let last = before.last().copied();
            last.into_iter().for_each(pin);
            (last, allowed_processors(), available_processors())
        });
        let (last, allowed, count) = seen.join().unwrap();
        assert_eq!(allowed, last.into_iter().collect::<Vec<_>>());
        assert_eq!(count, 1);
        // The mask of this thread is its own.
        assert!(available_processors() >= 1 && !allowed_processors().is_empty());
    }

    #[test]
    fn a_thread_is_bound_for_a_while() {
        std::thread::spawn(|| {
            let before = allowed_processors();
            let last = *before.last().unwrap();
            {
                let _bound = Bound::to(&[last]);
                assert_eq!(allowed_processors(), [last]);
            }
            assert_eq!(allowed_processors(), before);
            // Processors that there are not, and none.
            drop(Bound::to(&[1000, 100_000]));
            drop(Bound::to(&[]));
            assert_eq!(allowed_processors(), before);
        })
        .join()
        .unwrap();
    }
}
