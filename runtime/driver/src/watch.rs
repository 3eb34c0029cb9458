//! How much time the launches of some function take, until that says that better code will pay.
//!
//! In: pieces of launches, from whoever executes them. Out: one call, from the thread that executes the piece with which it
//! became enough. Whoever makes launches ready keeps the number that the watch had then: as long as that is the same, a
//! launch made ready now would run the same function. Does not know what better code is or who makes it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Executions that are measured one and all, before only one of so many is.
const ALL: u32 = 4;
/// Of how many executions of a thread one is measured, where they are short.
const INTERVAL: u8 = 16;
/// Nanoseconds from which on an execution is long: measuring the next one too costs less than one in a hundred of it.
const LONG: u64 = 10_000;
/// A function that was launched once has to have taken so many times as much: one launch says little of a second one.
const ONCE: u32 = 2;

/// Nanoseconds that a step of a long execution is to take: so late is noticed that it is enough, and a better function taken.
const STEP: u64 = 200_000;

/// Time is being added up.
const MEASURING: u8 = 0;
/// It is enough, and somebody is being told.
const TELLING: u8 = 1;
/// Nothing is to be known any more: somebody was told.
const TOLD: u8 = 2;
/// A better function is there.
const OVER: u8 = 3;

/// What launches have taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Heat {
    /// Processor time of them all, estimated.
    pub spent: Duration,
    /// How many there were; of short ones, estimated.
    pub launches: u32,
}

impl Heat {
    /// Whether launches have taken this much; twice as much if there was only one.
    #[must_use]
    pub fn is_enough(&self, time: Duration) -> bool {
        self.spent >= time.saturating_mul(if self.launches > 1 { 1 } else { ONCE })
    }
}

/// What launches have taken, counted by one watch or by several of functions that are made of the same.
#[derive(Debug, Default)]
pub struct Spent {
    launches: AtomicU32,
    /// Nanoseconds of processor time.
    time: AtomicU64,
}

impl Spent {
    /// What they have taken so far.
    #[must_use]
    pub fn heat(&self) -> Heat {
        // Relaxed, here and below: all of this is an estimate.
        let spent = Duration::from_nanos(self.time.load(Ordering::Relaxed));
        Heat { spent, launches: self.launches.load(Ordering::Relaxed) }
    }
}

/// Is told on a thread that executes work-groups: it may not take long. Gives the time that would be enough instead, if this
/// was not.
type Tell = Box<dyn Fn(Heat) -> Option<Duration> + Send + Sync>;

/// What is known of the launches of one function.
pub struct Watch {
    /// Changes when there is a better function.
    number: AtomicU32,
    stage: AtomicU8,
    total: Arc<Spent>,
    /// Executions that were measured.
    samples: AtomicU32,
    /// Nanoseconds that the last of them took.
    last: AtomicU64,
    enough: AtomicU64,
    /// Pieces that are executed in about [`STEP`].
    step: AtomicU64,
    /// Executions that have begun and are measured.
    running: AtomicU32,
    /// When the last of them began or ended, in nanoseconds after `made`.
    moved: AtomicU64,
    made: Instant,
    tell: Tell,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("heat", &self.heat())
            .field("enough", &self.enough)
            .finish_non_exhaustive()
    }
}

impl Watch {
    /// A watch that calls `tell` when launches have taken this much processor time, or will have at the end of one that has
    /// begun; twice as much if there was only one; once, unless that asks for more.
    #[must_use]
    pub fn new(enough: Duration, tell: impl Fn(Heat) -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self::going_on(Arc::default(), enough, tell)
    }

    /// The same for a function of which others, made of the same, have taken `total` already, and may go on to.
    #[must_use]
    pub fn going_on(
        total: Arc<Spent>,
        enough: Duration,
        tell: impl Fn(Heat) -> Option<Duration> + Send + Sync + 'static,
    ) -> Self {
        Self {
            number: AtomicU32::new(0),
            stage: AtomicU8::new(MEASURING),
            total,
            samples: AtomicU32::new(0),
            last: AtomicU64::new(0),
            enough: AtomicU64::new(nanoseconds(enough)),
            step: AtomicU64::new(1),
            running: AtomicU32::new(0),
            moved: AtomicU64::new(0),
            made: Instant::now(),
            tell: Box::new(tell),
        }
    }

    /// The number that a launch made ready now keeps. It comes before the choice of the function.
    #[must_use]
    pub fn number(&self) -> u32 {
        // Acquire pairs with the release below: who sees the new number finds the new function.
        self.number.load(Ordering::Acquire)
    }

    /// What launches have taken so far.
    #[must_use]
    pub fn heat(&self) -> Heat {
        self.total.heat()
    }

    /// There is a better function: launches are made ready anew, and nothing is measured any more.
    pub fn improved(&self) {
        self.stage.store(OVER, Ordering::Relaxed);
        self.changed();
    }

    /// There is a better function than the one that launches have, and not yet the one that was asked for: launches are made
    /// ready anew.
    pub fn changed(&self) {
        // Release pairs with the acquire of `number`.
        self.number.fetch_add(1, Ordering::Release);
    }

    /// How many pieces of a launch are best executed until it is looked again whether there is a better function: a multiple
    /// of `grain`, and all that there are where nothing better is to come.
    #[must_use]
    pub fn step(&self, grain: u64) -> u64 {
        if self.stage.load(Ordering::Relaxed) == OVER {
            return u64::MAX;
        }
        let (step, grain) = (self.step.load(Ordering::Relaxed), grain.max(1));
        (step / grain).max(1).saturating_mul(grain)
    }

    /// Learns from `pieces` that took so many nanoseconds how many make a step.
    fn learn(&self, pieces: u64, time: u64) {
        let step = self.step.load(Ordering::Relaxed);
        if time > 2 * STEP && pieces <= step {
            self.step.store((pieces / 2).max(1), Ordering::Relaxed);
        } else if time < STEP / 2 && pieces >= step {
            self.step.store(pieces.saturating_mul(2), Ordering::Relaxed);
        }
    }

    /// Runs `call`, which executes `pieces` of a launch, and measures it now and then. `first`: a launch begins with it. `turn`
    /// is the calling thread's count of executions.
    pub fn run<R>(&self, first: bool, pieces: u64, turn: &mut u8, call: impl FnOnce() -> R) -> R {
        match self.stage.load(Ordering::Relaxed) {
            MEASURING => {}
            // How long steps are is to be known until the better function comes.
            TOLD if pieces >= self.step.load(Ordering::Relaxed) => {
                let begin = Instant::now();
                let result = call();
                self.learn(pieces, nanoseconds(begin.elapsed()));
                return result;
            }
            _ => return call(),
        }
        *turn = turn.wrapping_add(1);
        let is_first = self.samples.load(Ordering::Relaxed) < ALL;
        // Until steps are as long as they are to be, all are measured: they are ever longer, so one does not stand for others.
        let grows = pieces >= self.step.load(Ordering::Relaxed);
        let weight = if is_first || grows || self.last.load(Ordering::Relaxed) >= LONG {
            1
        } else if turn.is_multiple_of(INTERVAL) {
            INTERVAL
        } else {
            0
        };
        // Counting costs as much as a short launch, so of these not all are counted, but for the first few.
        if first && (weight != 0 || self.total.launches.load(Ordering::Relaxed) < ALL) {
            // One that has begun will take as long as those before did on average.
            let before = u64::from(self.total.launches.fetch_add(weight.max(1).into(), Ordering::Relaxed));
            let spent = self.total.time.load(Ordering::Relaxed);
            self.look(spent.saturating_add(spent.checked_div(before).unwrap_or(0)));
        }
        if weight == 0 {
            return call();
        }
        let begin = Instant::now();
        self.running.fetch_add(1, Ordering::Relaxed);
        self.moves(begin);
        let result = call();
        let end = Instant::now();
        self.moves(end);
        self.running.fetch_sub(1, Ordering::Relaxed);
        let time = end - begin;
        self.samples.fetch_add(1, Ordering::Relaxed);
        self.last.store(nanoseconds(time), Ordering::Relaxed);
        self.learn(pieces, nanoseconds(time));
        self.add(time, weight);
        result
    }

    fn moves(&self, now: Instant) {
        self.moved.store(nanoseconds(now - self.made), Ordering::Relaxed);
    }

    /// Counts what the executions that have begun have taken since the last of them began or ended, and tells if that makes it
    /// enough: one that takes long says so itself only at its end. Returns whether there is still something to be known.
    pub fn glance(&self) -> bool {
        let running = u64::from(self.running.load(Ordering::Relaxed));
        let moved = self.moved.load(Ordering::Relaxed);
        let since = nanoseconds(self.made.elapsed()).saturating_sub(moved);
        self.look(self.total.time.load(Ordering::Relaxed).saturating_add(running.saturating_mul(since)));
        self.stage.load(Ordering::Relaxed) == MEASURING
    }

    fn add(&self, time: Duration, weight: u8) {
        let time = nanoseconds(time).saturating_mul(u64::from(weight));
        self.look(self.total.time.fetch_add(time, Ordering::Relaxed).saturating_add(time));
    }

    /// Tells if `spent` is enough.
    fn look(&self, spent: u64) {
        let launches = self.total.launches.load(Ordering::Relaxed);
        let heat = Heat { spent: Duration::from_nanos(spent), launches };
        if heat.is_enough(Duration::from_nanos(self.enough.load(Ordering::Relaxed)))
            && self.stage.compare_exchange(MEASURING, TELLING, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            let more = (self.tell)(heat);
            if let Some(more) = more {
                self.enough.store(nanoseconds(more), Ordering::Relaxed);
            }
            let next = if more.is_some() { MEASURING } else { TOLD };
            // It stays over where a better function has come meanwhile.
            let _ = self.stage.compare_exchange(TELLING, next, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn counted(enough: Duration) -> (Watch, Arc<AtomicUsize>) {
        let told = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&told);
        let watch = Watch::new(enough, move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            None
        });
        (watch, told)
    }

    #[test]
    fn enough_is_said_once() {
        let (watch, told) = counted(Duration::from_micros(100));
        watch.total.launches.store(2, Ordering::Relaxed);
        watch.add(Duration::from_micros(60), 1);
        assert_eq!(told.load(Ordering::Relaxed), 0);
        watch.add(Duration::from_micros(3), 16);
        assert_eq!(told.load(Ordering::Relaxed), 1);
        assert_eq!(watch.heat(), Heat { spent: Duration::from_micros(108), launches: 2 });
        watch.add(Duration::from_secs(1), 1);
        assert_eq!(told.load(Ordering::Relaxed), 1);
        // Only a better function makes launches ready anew.
        assert_eq!(watch.number(), 0);
        watch.improved();
        assert_eq!(watch.number(), 1);
    }

    #[test]
    fn one_launch_has_to_take_twice_as_long_and_a_second_one_is_told_at_its_beginning() {
        let (watch, told) = counted(Duration::from_millis(100));
        watch.run(true, 1, &mut 0, || ());
        watch.add(Duration::from_millis(40), 1);
        watch.run(true, 1, &mut 0, || ());
        assert_eq!(told.load(Ordering::Relaxed), 0, "80 ms of 100");
        watch.run(true, 1, &mut 0, || assert_eq!(told.load(Ordering::Relaxed), 0, "60 ms of 100"));
        let (watch, told) = counted(Duration::from_micros(100));
        watch.run(true, 1, &mut 0, || ());
        watch.add(Duration::from_micros(150), 1);
        assert_eq!(told.load(Ordering::Relaxed), 0);
        watch.run(true, 1, &mut 0, || assert_eq!(told.load(Ordering::Relaxed), 1));
        let (watch, told) = counted(Duration::from_micros(100));
        watch.run(true, 1, &mut 0, || ());
        watch.add(Duration::from_micros(200), 1);
        assert_eq!(told.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_others_made_of_the_same_have_taken_counts() {
        let total = Arc::new(Spent::default());
        let told = Arc::new(AtomicUsize::new(0));
        for launch in 0..4 {
            let count = Arc::clone(&told);
            let watch = Watch::going_on(Arc::clone(&total), Duration::from_micros(100), move |heat| {
                assert_eq!(heat.launches, 4);
                count.fetch_add(1, Ordering::Relaxed);
                None
            });
            watch.run(true, 1, &mut 0, || ());
            watch.add(Duration::from_micros(30), 1);
            // With the fourth one there will be 120 us.
            assert_eq!(told.load(Ordering::Relaxed), usize::from(launch >= 3));
        }
    }

    #[test]
    fn who_is_told_may_ask_for_more() {
        let told = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&told);
        let watch = Watch::new(Duration::from_micros(100), move |_| {
            (count.fetch_add(1, Ordering::Relaxed) == 0).then_some(Duration::from_micros(300))
        });
        watch.total.launches.store(2, Ordering::Relaxed);
        for (time, want) in [(100, 1), (100, 1), (100, 2), (1000, 2)] {
            watch.add(Duration::from_micros(time), 1);
            assert_eq!(told.load(Ordering::Relaxed), want);
        }
    }

    #[test]
    fn first_executions_are_measured_and_then_some() {
        let (watch, _) = counted(Duration::MAX);
        let mut turn = 0;
        for _ in 0..ALL {
            watch.run(false, 1, &mut turn, || ());
        }
        assert_eq!(watch.samples.load(Ordering::Relaxed), ALL);
        for _ in 0..160 {
            // However long these took on a busy machine.
            watch.last.store(0, Ordering::Relaxed);
            watch.run(false, 1, &mut turn, || ());
        }
        assert_eq!(watch.samples.load(Ordering::Relaxed), ALL + 10);
    }

    #[test]
    fn first_launches_are_counted_and_then_some() {
        let (watch, _) = counted(Duration::MAX);
        let mut turn = 0;
        let mut run = |first| {
            watch.last.store(0, Ordering::Relaxed);
            watch.run(first, 1, &mut turn, || ());
        };
        // A launch of many pieces, and others of one.
        run(true);
        (0..40).for_each(|_| run(false));
        for launches in 2..=ALL {
            run(true);
            assert_eq!(watch.heat().launches, launches);
        }
        (0..160).for_each(|_| run(true));
        assert_eq!(watch.heat().launches, ALL + 160);
    }

    #[test]
    fn long_executions_are_measured_one_and_all() {
        let (watch, _) = counted(Duration::MAX);
        let mut turn = 0;
        let pause = Duration::from_millis(2);
        for _ in 0..40 {
            watch.run(false, 1, &mut turn, || std::thread::sleep(pause));
        }
        assert_eq!(watch.samples.load(Ordering::Relaxed), 40);
        assert!(watch.heat().spent >= 40 * pause);
    }

    #[test]
    fn what_is_there_already_is_not_asked_for() {
        let (watch, told) = counted(Duration::ZERO);
        watch.improved();
        watch.run(true, 1, &mut 0, || ());
        assert_eq!(told.load(Ordering::Relaxed), 0);
        assert_eq!(watch.number(), 1);
    }

    #[test]
    fn what_is_better_for_now_is_taken_and_nothing_is_forgotten() {
        let (watch, told) = counted(Duration::from_micros(100));
        watch.total.launches.store(2, Ordering::Relaxed);
        watch.changed();
        assert_eq!(watch.number(), 1);
        watch.add(Duration::from_micros(100), 1);
        assert_eq!(told.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn long_executions_are_cut_into_steps_until_there_is_something_better() {
        let (watch, _) = counted(Duration::MAX);
        assert_eq!([watch.step(1), watch.step(8)], [1, 8]);
        // 16 pieces in no time: twice as many; and again while that is less than a step.
        watch.learn(16, 1_000);
        assert_eq!([watch.step(1), watch.step(5)], [32, 30]);
        watch.learn(8, 1_000);
        assert_eq!(watch.step(1), 32, "8 of 32 say nothing");
        watch.learn(32, STEP);
        assert_eq!(watch.step(1), 32);
        watch.learn(20, 3 * STEP);
        assert_eq!(watch.step(1), 10);
        watch.learn(1, 100 * STEP);
        assert_eq!(watch.step(1), 1);
        watch.improved();
        assert_eq!(watch.step(1), u64::MAX);
    }

    #[test]
    fn steps_grow_while_they_are_measured_and_after_somebody_was_told() {
        let (watch, told) = counted(Duration::ZERO);
        watch.run(true, 1, &mut 0, || ());
        assert_eq!(told.load(Ordering::Relaxed), 1);
        let before = watch.step(1);
        watch.run(false, before, &mut 0, || ());
        assert!(watch.step(1) > before);
    }

    #[test]
    fn what_has_begun_is_counted_by_who_glances() {
        let (watch, told) = counted(Duration::from_millis(10));
        watch.run(true, 1, &mut 0, || {
            assert!(watch.glance());
            assert_eq!(told.load(Ordering::Relaxed), 0);
            // Twice 10 ms, for one launch.
            std::thread::sleep(Duration::from_millis(21));
            assert!(!watch.glance());
            assert_eq!(told.load(Ordering::Relaxed), 1);
        });
        assert_eq!(told.load(Ordering::Relaxed), 1);
        let (watch, told) = counted(Duration::from_millis(10));
        watch.run(true, 1, &mut 0, || ());
        std::thread::sleep(Duration::from_millis(21));
        assert!(watch.glance(), "nothing runs");
        assert_eq!(told.load(Ordering::Relaxed), 0);
    }
}
