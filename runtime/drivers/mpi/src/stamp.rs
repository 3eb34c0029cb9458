//! When messages take the steps of their way: in builds with the feature `stamps`, and nothing, at no cost, in others.
//!
//! A rank writes its last stamps to `oxcl-stamps.RANK` in its working folder when it stops talking: the processor's counter, the
//! rank and the step, a line each. All processors of a machine have one counter, so the files of its ranks, sorted together, show
//! one way from end to end. The first line says how often it counts in a microsecond, and what asking for the time costs.

/// A step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The host begins to give a command to its node.
    Submit,
    /// A packet is handed to MPI, and MPI has taken it.
    Send,
    Sent,
    /// The look begins that finds a packet; it is known; its bytes are here.
    Look,
    Take,
    /// All that it says has been dealt with.
    Heard,
    /// A node's thread that talks begins and ends a command.
    Execute,
    Executed,
    /// The host has told whoever waits for a command.
    Reported,
}

#[cfg(not(feature = "stamps"))]
mod own {
    use super::Step;
    use crate::transport::Rank;

    #[derive(Clone, Copy)]
    pub(crate) struct Time;

    #[inline]
    pub(crate) fn now() -> Time {
        Time
    }

    #[inline]
    pub(crate) fn at(_step: Step, _time: Time) {}
    #[inline]
    pub(crate) fn mark(_step: Step) {}
    #[inline]
    pub(crate) fn write(_rank: Rank) {}
}

#[cfg(feature = "stamps")]
mod own {
    use std::fmt::Write as _;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::time::Instant;

    use super::Step;
    use crate::transport::Rank;

    /// The last stamps: the counter above the step.
    static LAST: [AtomicU64; 1 << 17] = [const { AtomicU64::new(0) }; 1 << 17];
    static COUNT: AtomicUsize = AtomicUsize::new(0);

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn now() -> u64 {
        // SAFETY: all processors of this architecture have the counter.
        unsafe { std::arch::x86_64::_rdtsc() }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn now() -> u64 {
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        time.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(0))
    }

    pub(crate) fn at(step: Step, time: u64) {
        // Relaxed: stamps of threads are put in order by what they say.
        let index = COUNT.fetch_add(1, Ordering::Relaxed) % LAST.len();
        LAST[index].store(time << 4 | step as u64, Ordering::Relaxed);
    }

    pub(crate) fn mark(step: Step) {
        at(step, now());
    }

    /// Writes the file.
    pub(crate) fn write(rank: Rank) {
        const NAMES: [&str; 9] =
            ["submit", "send", "sent", "look", "take", "heard", "execute", "executed", "reported"];
        let (begin, count) = (Instant::now(), now());
        let asks: u32 = 10_000;
        for _ in 0..asks {
            std::hint::black_box(Instant::now());
        }
        let ask = begin.elapsed().as_nanos() / u128::from(asks);
        std::thread::sleep(std::time::Duration::from_millis(20));
        let micros = begin.elapsed().as_micros().max(1);
        let mut text =
            format!("# {} counts in a us; the time costs {ask} ns\n", u128::from(now() - count) / micros);
        for stamp in &LAST {
            let stamp = stamp.load(Ordering::Relaxed);
            if let Some(name) = NAMES.get((stamp & 15) as usize).filter(|_| stamp > 0) {
                let _ = writeln!(text, "{} {rank} {name}", stamp >> 4);
            }
        }
        // Who measures sees that the file is not there.
        let _ = std::fs::write(format!("oxcl-stamps.{rank}"), text);
    }
}

pub(crate) use own::{at, mark, now, write};
