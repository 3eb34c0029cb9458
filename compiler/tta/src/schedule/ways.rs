//! The blocks of a function, each scheduled in several ways of which the shortest is kept.
//!
//! In: the blocks, and what is needed after each. Out: rows of moves and the bound of each block. First every block is scheduled
//! in the ways of a list, until one is as short as the bound. What is left of the time goes to the blocks that lose most over
//! their bound, as often as they are executed: their operations are put first or last by chance, again and again, and what gives
//! a shorter block, or one as short, is where the next attempt begins. The numbers are the same in every run.

use super::block::{Jump, Limits, Order, Scheduler, Target, Ties};
use super::mir::{Function, Register, Terminator};
use super::table::Row;
use super::wires::Wires;
use super::{Addresses, Options, Saved, ScheduleError, exits};
use crate::model::Machine;
use crate::sample::Random;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};

/// Blocks of more operations are scheduled with the jump last only.
const LONGEST_RETRIED: usize = 64;
/// Blocks of more operations are scheduled in the first way only: another takes time that grows with the square of their number,
/// and tens of seconds for one of 4500.
const LONGEST_SEARCHED: usize = 2000;
/// Blocks of more operations are not scheduled with the fewest moves first, which takes long.
const LONGEST_REORDERED: usize = 100;
/// In how many cycles a jump is put first, at most.
const MOST_RETRIES: usize = 8;
/// How a block is scheduled: in each of these ways until one is as short as can be. Which gives the shortest depends on what the
/// block is short of. The first always finds a schedule; in the others operations may get into each other's way.
const WAYS: [Way; 9] = [
    (Ties::All, Order::Cycle),
    (Ties::All, Order::Operation(usize::MAX)),
    (Ties::Fixed, Order::Operation(4)),
    (Ties::Writes, Order::Cycle),
    (Ties::Fixed, Order::Operation(1)),
    (Ties::Fixed, Order::Operation(20)),
    (Ties::Writes, Order::Operation(usize::MAX)),
    (Ties::Writes, Order::Cost),
    (Ties::Fixed, Order::Cost),
];
/// How many of these ways are tried with blocks that hardly count.
const FEW_WAYS: usize = 3;
/// A block hardly counts if it has less than one in so many of the operations that the function executes.
const HARDLY: u64 = 1000;
/// How blocks are tried with the jump first.
const RETRIED: [Way; 2] = [(Ties::Writes, Order::Cycle), (Ties::Writes, Order::Operation(usize::MAX))];
/// How often a block's operations are put into another order by chance, at most.
const MOST_CHANCES: u64 = 64;

/// As many operations are placed sooner than another thread has begun.
const ALONE: u64 = 200;
/// Threads that blocks of a function are tried again in, at most.
const MOST_THREADS: usize = 4;

/// What is placed in the order of the code, and in which order the rest is.
type Way = (Ties, Order);

/// What blocks of a function share.
pub(super) struct Around<'f> {
    pub(super) machine: &'f Machine,
    pub(super) wires: &'f Wires,
    pub(super) options: &'f Options,
    pub(super) function: &'f Function,
    /// The registers that are needed after each block.
    pub(super) live: &'f [BTreeSet<Register>],
    /// Those that the function writes.
    pub(super) pool: &'f BTreeSet<Register>,
}

/// A scheduled block.
pub(super) struct Found {
    pub(super) rows: Vec<Row>,
    pub(super) bound: u32,
    pub(super) saved: Saved,
    way: Way,
    /// How many operations were placed to find it, about.
    effort: u64,
}

impl Found {
    fn excess(&self) -> u64 {
        (self.rows.len() as u64).saturating_sub(u64::from(self.bound))
    }
}

/// Schedules every block.
pub(super) fn blocks(
    around: &Around<'_>,
    addresses: &mut Addresses<'_>,
    limits: &mut Limits<'_>,
) -> Result<Vec<Found>, ScheduleError> {
    let all = &around.function.blocks;
    let executed = |b: &super::mir::Block| b.weight.saturating_mul(b.nodes.len() as u64);
    let sum = all.iter().map(executed).fold(0, u64::saturating_add);
    let mut found = Vec::with_capacity(all.len());
    for (number, block) in all.iter().enumerate() {
        let one = One::of(around, number, addresses);
        let hardly = executed(block).saturating_mul(HARDLY) < sum;
        let mut best = one.by_ways(hardly, addresses, limits)?;
        if !hardly {
            one.by_jump(&mut best, addresses);
        }
        found.push(best);
    }
    // As much again as all that took.
    let effort: u64 = found.iter().map(|f| f.effort).sum();
    let lost = |number: usize, found: &Found| found.excess().saturating_mul(all[number].weight);
    let lost: Vec<u64> = found.iter().enumerate().map(|(number, found)| lost(number, found)).collect();
    let sum: u64 = lost.iter().copied().fold(0, u64::saturating_add).max(1);
    let chances = |number: usize| {
        let nodes = all[number].nodes.len().max(1) as u128;
        let share = u128::from(effort) * u128::from(lost[number]) / u128::from(sum) / nodes;
        u64::try_from(share).unwrap_or(u64::MAX).min(MOST_CHANCES)
    };
    let searched = 2..=LONGEST_SEARCHED;
    let worth = |number: &usize| {
        chances(*number) > 1 && searched.contains(&all[*number].nodes.len()) && lost[*number] > 0
    };
    // Blocks do not depend on each other, and every address has its number by now.
    let left = Mutex::new(found.iter_mut().enumerate().filter(|(number, _)| worth(number)));
    let work = || {
        let mut addresses = addresses.clone();
        loop {
            let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, best)) = next else { return };
            One::of(around, number, &mut addresses).by_chance(best, chances(number), &mut addresses);
        }
    };
    let threads =
        if effort < ALONE { 1 } else { std::thread::available_parallelism().map_or(1, NonZero::get) };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(MOST_THREADS) {
            scope.spawn(work);
        }
        work();
    });
    Ok(found)
}

/// A block that is being scheduled.
struct One<'f> {
    around: &'f Around<'f>,
    number: usize,
    exits: Vec<Jump>,
}

impl<'f> One<'f> {
    fn of(around: &'f Around<'f>, number: usize, addresses: &mut Addresses<'_>) -> Self {
        let exits = exits(&around.function.blocks[number].terminator, number + 1, addresses);
        Self { around, number, exits }
    }

    fn block(&self) -> &'f super::mir::Block {
        &self.around.function.blocks[self.number]
    }

    fn scheduler(&self, ties: Ties, addresses: &mut Addresses<'_>) -> Scheduler<'f> {
        let Around { machine, wires, options, live, pool, .. } = *self.around;
        let live = &live[self.number];
        Scheduler::new(machine, wires, options, self.block(), (live, pool), addresses, ties)
    }

    /// Schedules in the ways of the list.
    fn by_ways(
        &self,
        hardly: bool,
        addresses: &mut Addresses<'_>,
        limits: &mut Limits<'_>,
    ) -> Result<Found, ScheduleError> {
        let (block, options) = (self.block(), self.around.options);
        let (mut last, mut bound, mut effort) = (None, None, 0);
        let mut best: Option<Found> = None;
        for way in WAYS.into_iter().take(if hardly { FEW_WAYS } else { WAYS.len() }) {
            let (ties, order) = way;
            let dear = order == Order::Cost && (block.nodes.len() > LONGEST_REORDERED || options.far);
            if (dear && best.is_some()) || (ties == Ties::Fixed && !options.rename) {
                continue;
            }
            let mut scheduler = self.scheduler(ties, addresses);
            let bound =
                *bound.get_or_insert_with(|| limits.bound(&scheduler, &block.terminator, &self.exits));
            effort += block.nodes.len() as u64;
            match self.run(&mut scheduler, order, addresses) {
                Ok(rows) => {
                    if best.as_ref().is_none_or(|found| rows.len() < found.rows.len()) {
                        best = Some(Found { rows, bound, saved: scheduler.saved(), way, effort });
                    }
                }
                Err(error) => last = Some(error),
            }
            let long = block.nodes.len() > LONGEST_SEARCHED;
            if best.as_ref().is_some_and(|found| long || found.excess() == 0) {
                break;
            }
        }
        match best {
            Some(found) => Ok(Found { effort, ..found }),
            None => Err(last.unwrap_or(ScheduleError::NoPlace { what: "a block".to_owned() })),
        }
    }

    /// The jump is what decides how long a short block is: now it comes first, as early as can be.
    fn by_jump(&self, best: &mut Found, addresses: &mut Addresses<'_>) {
        let slots = self.around.machine.control.delay_slots as usize;
        let [("jump", predicate, Target::Number(target))] = self.exits.as_slice() else { return };
        if self.block().nodes.len() > LONGEST_RETRIED {
            return;
        }
        let first = (best.bound as usize).saturating_sub(slots + 1);
        let last = best.rows.len().saturating_sub(slots + 1);
        for cycle in (first..last).take(MOST_RETRIES) {
            for (ties, order) in RETRIED {
                let mut scheduler = self.scheduler(ties, addresses);
                best.effort += self.block().nodes.len() as u64;
                let at = i64::try_from(cycle).unwrap_or(0);
                if scheduler.reserve_jump(*target, *predicate, at)
                    && scheduler.run(order).is_ok()
                    && scheduler.reserved_holds(*predicate, at)
                {
                    let mut rows = std::mem::take(&mut scheduler.table.rows);
                    rows.resize_with(cycle + slots + 1, Row::default);
                    (best.rows, best.saved) = (rows, scheduler.saved());
                    return;
                }
            }
        }
    }

    /// Schedules in the way that has been the best with operations put first or last by chance.
    fn by_chance(&self, best: &mut Found, chances: u64, addresses: &mut Addresses<'_>) {
        let mut random = Random::new(self.number as u64);
        let nodes = self.block().nodes.len();
        let mut biases: Vec<i64> = vec![0; nodes];
        let mut length = usize::MAX;
        for _ in 0..chances {
            let mut scheduler = self.scheduler(best.way.0, addresses);
            let mut tried = biases.clone();
            if length != usize::MAX {
                let span = u64::try_from(scheduler.longest_way() / 4).unwrap_or(0) + 2;
                let few = random.below(nodes as u64 / 4 + 1) + 1;
                for _ in 0..few {
                    let at = usize::try_from(random.below(nodes as u64)).unwrap_or(0);
                    let bias = i64::try_from(random.below(2 * span + 1)).unwrap_or(0);
                    tried[at] = bias - i64::try_from(span).unwrap_or(0);
                }
                scheduler.prefer(&tried);
            }
            let Ok(rows) = self.run(&mut scheduler, best.way.1, addresses) else { continue };
            if rows.len() <= length {
                (length, biases) = (rows.len(), tried);
            }
            if rows.len() < best.rows.len() {
                (best.rows, best.saved) = (rows, scheduler.saved());
            }
            if best.excess() == 0 {
                return;
            }
        }
    }

    fn run(
        &self,
        scheduler: &mut Scheduler<'f>,
        order: Order,
        addresses: &mut Addresses<'_>,
    ) -> Result<Vec<Row>, ScheduleError> {
        scheduler.run(order)?;
        let slots = i64::from(self.around.machine.control.delay_slots);
        let mut end = scheduler.table.last();
        let mut first = true;
        for (name, predicate, target) in self.exits.iter().copied() {
            let not_before = if first { 0 } else { end - slots };
            let cycle = scheduler.jump(name, target, predicate, not_before, addresses)?;
            end = end.max(cycle + slots);
            first = false;
        }
        let mut rows = std::mem::take(&mut scheduler.table.rows);
        let least = usize::from(matches!(self.block().terminator, Terminator::Halt));
        rows.resize_with(usize::try_from(end + 1).unwrap_or(0).max(least), Row::default);
        Ok(rows)
    }
}
