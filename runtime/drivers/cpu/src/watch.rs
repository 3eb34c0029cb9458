//! How much processor time the launches of one function take, until it is worth making a better function.
//!
//! Whoever executes work-groups adds to it; whoever makes launches ready asks. A launch that was made ready keeps the
//! number that the watch had then: as long as that is the same, a launch made ready now would run the same function.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Executions that are measured one and all, before only one of so many is.
const ALL: u32 = 4;
/// Of how many executions of a thread one is measured.
const INTERVAL: u8 = 16;

/// Time is being added up.
const MEASURING: u8 = 0;
/// It is enough, and nobody has asked for a better function yet.
const ENOUGH: u8 = 1;
/// A better function was asked for.
const ASKED: u8 = 2;

/// What is known of the launches of one function.
#[derive(Debug)]
pub struct Watch {
    /// Changes when something is to be done: a better function can be asked for, or is there.
    number: AtomicU32,
    stage: AtomicU8,
    /// Executions that were measured.
    samples: AtomicU32,
    /// Nanoseconds of processor time.
    spent: AtomicU64,
    enough: u64,
}

impl Watch {
    /// A watch on a function that is worth a better one when its launches have taken this much processor time.
    #[must_use]
    pub fn new(enough: Duration) -> Self {
        Self {
            number: AtomicU32::new(0),
            stage: AtomicU8::new(MEASURING),
            samples: AtomicU32::new(0),
            spent: AtomicU64::new(0),
            enough: u64::try_from(enough.as_nanos()).unwrap_or(u64::MAX),
        }
    }

    /// The number that a launch made ready now keeps. It comes before the choice of the function.
    #[must_use]
    pub fn number(&self) -> u32 {
        // Acquire pairs with the releases below: who sees the new number finds the new function.
        self.number.load(Ordering::Acquire)
    }

    /// Whether the caller is to ask for a better function: says so once, when enough time was spent.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let stage = &self.stage;
        // Relaxed: nothing is read that depends on it.
        stage.load(Ordering::Relaxed) == ENOUGH
            && stage.compare_exchange(ENOUGH, ASKED, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// There is a better function: launches are made ready anew.
    pub fn improved(&self) {
        // Relaxed: as in `is_due`. What is there need not be asked for.
        self.stage.store(ASKED, Ordering::Relaxed);
        // Release pairs with the acquire of `number`.
        self.number.fetch_add(1, Ordering::Release);
    }

    /// Runs `call`, and measures it now and then. `turn` is the calling thread's count of executions.
    pub(crate) fn run<R>(&self, turn: &mut u8, call: impl FnOnce() -> R) -> R {
        // Relaxed, here and below: all of this is an estimate.
        if self.stage.load(Ordering::Relaxed) != MEASURING {
            return call();
        }
        *turn = turn.wrapping_add(1);
        let weight = if self.samples.load(Ordering::Relaxed) < ALL {
            1
        } else if turn.is_multiple_of(INTERVAL) {
            INTERVAL
        } else {
            return call();
        };
        let begin = Instant::now();
        let result = call();
        self.add(begin.elapsed(), weight);
        result
    }

    fn add(&self, time: Duration, weight: u8) {
        self.samples.fetch_add(1, Ordering::Relaxed);
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).saturating_mul(u64::from(weight));
        let before = self.spent.fetch_add(time, Ordering::Relaxed);
        if before.saturating_add(time) >= self.enough
            && self.stage.compare_exchange(MEASURING, ENOUGH, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            // Release pairs with the acquire of `number`.
            self.number.fetch_add(1, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_is_said_once() {
        let watch = Watch::new(Duration::from_micros(100));
        let first = watch.number();
        watch.add(Duration::from_micros(60), 1);
        assert!(!watch.is_due() && watch.number() == first);
        watch.add(Duration::from_micros(3), 16);
        assert_ne!(watch.number(), first);
        assert!(watch.is_due());
        assert!(!watch.is_due());
        let asked = watch.number();
        watch.add(Duration::from_secs(1), 1);
        assert_eq!(watch.number(), asked);
        watch.improved();
        assert_ne!(watch.number(), asked);
        assert!(!watch.is_due());
    }

    #[test]
    fn first_executions_are_measured_and_then_some() {
        let watch = Watch::new(Duration::MAX);
        let mut turn = 0;
        for _ in 0..ALL {
            watch.run(&mut turn, || ());
        }
        assert_eq!(watch.samples.load(Ordering::Relaxed), ALL);
        for _ in 0..160 {
            watch.run(&mut turn, || ());
        }
        assert_eq!(watch.samples.load(Ordering::Relaxed), ALL + 10);
    }

    #[test]
    fn what_is_there_already_is_not_asked_for() {
        let watch = Watch::new(Duration::ZERO);
        watch.improved();
        watch.run(&mut 0, || ());
        assert!(!watch.is_due());
        assert_eq!(watch.number(), 1);
    }
}
