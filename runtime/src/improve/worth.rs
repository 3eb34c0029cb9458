//! When better code pays: what launches have taken, against what making it is expected to cost.
//!
//! In: what building the program took, and what its launches take. Out: from when on a kernel is hot. The constants come
//! from the measurements in `docs/compile-service.md`.

use std::time::Duration;

use oxcl_driver::watch::Heat;

use crate::compiler::Quality;

/// Full code of a kernel takes the compiler so many times as long as code made in a hurry.
const FULL_OVER_FIRST: f64 = 2.5;
/// A function for one local size takes it so many times as long as the one for any.
const FUNCTION_OVER_FULL: f64 = 1.0;
/// A kernel that was built in a hurry is hot when its launches have taken this part of what its full code costs.
const KERNEL_SHARE: f64 = 1.0 / 32.0;
/// It is made for later processes, whatever becomes of this one and of the program, when they have taken this part.
const KERNEL_WANTED: f64 = 1.0 / 256.0;
/// A function for a local size pays when launches with it have taken so many times what it costs.
const FUNCTION_SHARE: f64 = 5.0;
/// What a process may spend on a program, over what full code of all of it costs.
const ROOM: f64 = 1.6;
/// Beyond that, this part of what launches take.
const BEYOND: f64 = 0.001;
/// What a kernel's full code costs where nobody knows.
const UNKNOWN: Duration = Duration::from_millis(50);

/// What making code of a program costs, and what may still be spent in this process.
#[derive(Debug)]
pub(super) struct Account {
    /// Full code of one kernel.
    kernel: Duration,
    /// Seconds left for functions for local sizes; below nothing where there are none.
    room: f64,
}

impl Account {
    /// `cost` is what building the program took, in that quality; in this process, unless it was `cached`.
    pub(super) fn new(kernels: usize, quality: Quality, cost: Duration, cached: bool) -> Self {
        let count = u32::try_from(kernels.max(1)).unwrap_or(u32::MAX);
        let kernel = match quality {
            _ if cost.is_zero() => UNKNOWN,
            Quality::First => cost.mul_f64(FULL_OVER_FIRST) / count,
            Quality::Full => cost / count,
        };
        let whole = kernel.as_secs_f64() * f64::from(count);
        let built = if cached { 0.0 } else { cost.as_secs_f64() };
        // All kernels will be made.
        let to_make = if quality == Quality::First { whole } else { 0.0 };
        Self { kernel, room: ROOM * whole - built - to_make }
    }

    /// What full code of a kernel is expected to cost.
    pub(super) fn kernel(&self) -> Duration {
        self.kernel
    }

    /// What a function for a local size is expected to cost.
    pub(super) fn function(&self) -> Duration {
        self.kernel.mul_f64(FUNCTION_OVER_FULL)
    }

    /// How much its launches take until a kernel that was built in a hurry is hot.
    pub(super) fn kernel_pays(&self) -> Duration {
        self.kernel.mul_f64(KERNEL_SHARE)
    }

    /// How much its launches take until such a kernel is made for later processes too.
    pub(super) fn kernel_is_wanted(&self) -> Duration {
        self.kernel.mul_f64(KERNEL_WANTED)
    }

    /// How much launches with a local size take until a function for it pays.
    pub(super) fn function_pays(&self) -> Duration {
        self.function().mul_f64(FUNCTION_SHARE)
    }

    /// A kernel's full code, or what takes its place, was in the cache.
    pub(super) fn was_kept(&mut self) {
        self.room += self.kernel.as_secs_f64();
    }

    /// A function for a local size is to be made.
    ///
    /// # Errors
    /// That is more than may be spent; it may be when launches have taken as much as this.
    pub(super) fn take_function(&mut self, heat: Heat) -> Result<(), Duration> {
        let cost = self.function();
        let enough = cost.div_f64(BEYOND);
        if heat.spent >= enough {
            return Ok(());
        }
        if self.room < cost.as_secs_f64() {
            return Err(enough);
        }
        self.room -= cost.as_secs_f64();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heat(seconds: u64) -> Heat {
        Heat { spent: Duration::from_secs(seconds), launches: 9 }
    }

    #[test]
    fn a_process_that_builds_a_program_of_one_kernel_makes_no_function_until_it_has_run_long() {
        let mut account = Account::new(1, Quality::First, Duration::from_millis(40), false);
        assert_eq!(account.kernel(), Duration::from_millis(100));
        let later = account.take_function(heat(1)).unwrap_err();
        assert_eq!(later, Duration::from_secs(100));
        assert_eq!(account.take_function(heat(100)), Ok(()));
    }

    #[test]
    fn what_was_kept_leaves_room_for_functions() {
        let mut account = Account::new(4, Quality::First, Duration::from_millis(160), true);
        (0..4).for_each(|_| account.was_kept());
        // 1.6 times 400 ms are six functions of 100 ms.
        let taken = (0..9).filter(|_| account.take_function(heat(1)).is_ok()).count();
        assert_eq!(taken, 6);
    }

    #[test]
    fn an_unknown_cost_is_some_cost() {
        let account = Account::new(0, Quality::First, Duration::ZERO, true);
        assert!(!account.kernel_pays().is_zero() && account.function_pays() > account.kernel_pays());
    }
}
