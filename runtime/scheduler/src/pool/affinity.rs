//! Which processors this process may use, and which of them a thread keeps to.

use std::os::unix::thread::JoinHandleExt as _;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};

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

/// Where a thread goes on that is made, or woken, by one that goes on too. Linux may put it into the queue of that one's processor
/// though another is idle: a virtual machine's idle processor counts as taken, as the machine's host may have given it to others.
/// It sits there for some milliseconds, until the other sleeps or a clock ticks. So whoever makes or wakes it leaves the own processor
/// out of its mask until it runs.
#[derive(Debug)]
pub(crate) struct Elsewhere(Mutex<Sent>);

#[derive(Debug)]
struct Sent {
    stage: Stage,
    /// The mask of a thread that was sent elsewhere is to be this one.
    mask: CpuSet,
    /// And is this one until it runs.
    others: CpuSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The thread does not run.
    Away,
    /// Nor does this one, and a processor was left out of its mask.
    Sent,
    /// It runs.
    Here,
}

impl Default for Elsewhere {
    fn default() -> Elsewhere {
        Elsewhere(Mutex::new(Sent { stage: Stage::Away, mask: CpuSet::new(), others: CpuSet::new() }))
    }
}

impl Elsewhere {
    fn change(&self) -> MutexGuard<'_, Sent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called by the thread before it sleeps; a new one begins so.
    pub(crate) fn sleeps(&self) {
        self.change().stage = Stage::Away;
    }

    /// Called by the thread when it runs.
    pub(crate) fn runs(&self) {
        let mut sent = self.change();
        let stage = std::mem::replace(&mut sent.stage, Stage::Here);
        // A mask that somebody else has set meanwhile stays.
        if stage == Stage::Sent && sched_getaffinity(None).is_ok_and(|now| now == sent.others) {
            let _ = sched_setaffinity(None, &sent.mask);
        }
    }

    /// Called by who has made `thread`.
    pub(crate) fn send_new<R>(&self, thread: &JoinHandle<R>) {
        // It has its maker's mask.
        self.send(None, |others| {
            let size = size_of::<CpuSet>();
            // SAFETY: the handle keeps the thread's, and the mask has that size.
            unsafe {
                libc::pthread_setaffinity_np(thread.as_pthread_t(), size, (&raw const *others).cast()) == 0
            }
        });
    }

    /// Called by who has woken the thread of this number.
    pub(crate) fn send_woken(&self, thread: Pid) {
        self.send(Some(thread), |others| sched_setaffinity(Some(thread), others).is_ok());
    }

    fn send(&self, thread: Option<Pid>, to: impl FnOnce(&CpuSet) -> bool) {
        let mut sent = self.change();
        if sent.stage != Stage::Away {
            return;
        }
        let (Some(here), Ok(mask)) = (current_processor(), sched_getaffinity(thread)) else { return };
        let mut others = mask;
        if (here as usize) < CpuSet::MAX_CPU {
            others.unset(here as usize);
        }
        if others.count() > 0 && others != mask && to(&others) {
            *sent = Sent { stage: Stage::Sent, mask, others };
        }
    }
}

/// Whether this is a virtual machine's processor, where that is said: x86's CPUID, leaf 1, bit 31 of ECX, which is zero on all others.
pub(crate) fn is_virtual() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        static VIRTUAL: OnceLock<bool> = OnceLock::new();
        *VIRTUAL.get_or_init(|| std::arch::x86_64::__cpuid(1).ecx >> 31 == 1)
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
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
    fn a_thread_that_is_made_or_woken_goes_on_elsewhere_and_keeps_its_mask() {
        let all = allowed_processors();
        let [_, _, ..] = all[..] else { return };
        for round in 0..100 {
            let place = Elsewhere::default();
            let (tell, told) = std::sync::mpsc::channel();
            let (go, gate) = std::sync::mpsc::channel();
            std::thread::scope(|scope| {
                let (place, all) = (&place, &all);
                scope.spawn(move || {
                    place.runs();
                    place.sleeps();
                    tell.send(rustix::thread::gettid()).unwrap();
                    gate.recv().unwrap();
                    let sent = place.change().stage == Stage::Sent;
                    assert_eq!(allowed_processors().len(), all.len() - usize::from(sent));
                    place.runs();
                    // Who comes late changes nothing.
                    place.send_woken(rustix::thread::gettid());
                    assert_eq!(allowed_processors(), *all);
                    tell.send(rustix::thread::gettid()).unwrap();
                });
                let thread = told.recv().unwrap();
                if round % 2 == 0 {
                    place.send_woken(thread);
                }
                go.send(()).unwrap();
                told.recv().unwrap();
            });
        }
        let place = std::sync::Arc::new(Elsewhere::default());
        let (go, gate) = std::sync::mpsc::channel::<()>();
        let own = std::sync::Arc::clone(&place);
        let thread = std::thread::spawn(move || {
            gate.recv().unwrap();
            let before = allowed_processors();
            own.runs();
            (before, allowed_processors())
        });
        place.send_new(&thread);
        go.send(()).unwrap();
        let (before, after) = thread.join().unwrap();
        assert_eq!((before.len(), after), (all.len() - 1, all));
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
