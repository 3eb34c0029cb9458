//! Which processors this process may use.

/// Number of processors that the affinity mask and the control groups leave to this process, at least 1.
#[must_use]
pub fn available_processors() -> usize {
    // The mask leaves out what the groups' sets of processors do; the quotas come on top.
    let processors = match allowed_processors().len() {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
        allowed => allowed,
    };
    super::quota::processors().map_or(processors, |most| processors.min(most)).max(1)
}

/// Number of processors that the machine has, at least 1.
pub(crate) fn online_processors() -> usize {
    // SAFETY: takes a number and touches no memory.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    usize::try_from(count).unwrap_or(1).max(1)
}

/// The processors in the calling thread's affinity mask, in order. Empty where the system does not say.
pub(crate) fn allowed_processors() -> Vec<usize> {
    // SAFETY: a set of processors is plain bits, all zero is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is writable and its size is given; 0 is the calling thread.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) } != 0 {
        return Vec::new();
    }
    let most = usize::try_from(libc::CPU_SETSIZE).unwrap_or(0);
    // SAFETY: the index is below the set's size.
    (0..most).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect()
}

/// Binds the calling thread to one processor; without effect where the system refuses.
pub(crate) fn pin(processor: usize) {
    restrict(&[processor]);
}

/// Lets the calling thread run on these processors only; without effect where the system refuses, as it does where it has
/// none of them.
pub(crate) fn restrict(processors: &[usize]) {
    // SAFETY: as in `allowed_processors`.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let most = usize::try_from(libc::CPU_SETSIZE).unwrap_or(0);
    for &processor in processors.iter().filter(|&&processor| processor < most) {
        // SAFETY: the index is below the set's size.
        unsafe { libc::CPU_SET(processor, &mut set) };
    }
    // SAFETY: the set is readable and its size is given; 0 is the calling thread.
    let _ = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) };
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
        restrict(&others);
        restrict(&all);
    }
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
}
