//! The order of a node's commands ([`Commands`]): which wait for which events. Events have the host's numbers. One that a command
//! waits for and that is not known yet becomes known as one that will end: a command that comes later, or another node that says so.
//!
//! Nothing is executed and nothing is said here: whoever asks gets what is to be done.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use oxcl_driver::Failure;
use smallvec::SmallVec;

use crate::message::Work;
use crate::transport::Rank;

/// Hashes numbers that are given one after the other, so that what follows each other lies beside each other: when commands end in the
/// order in which they came, which may be long ago, their records come from memory in a row. Where they lie is said by the lower bits of
/// a hash, and how they are told apart there by the uppermost ones.
#[derive(Debug, Default)]
pub(crate) struct InRow(u64);

impl Hasher for InRow {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(self.0.rotate_left(8) ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value ^ (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) & 0xfe00_0000_0000_0000);
    }
}

/// What there is by its number.
pub(crate) type ByNumber<V> = HashMap<u64, V, BuildHasherDefault<InRow>>;

/// How an event went.
pub(crate) type Went = Result<(), Failure>;

/// A command on its way here.
pub(crate) struct Task {
    /// Half of a command has none.
    pub(crate) event: Option<u64>,
    pub(crate) work: Work,
    /// Why it must not be executed: the first of what it waited for that has failed.
    pub(crate) refusal: Option<Box<Failure>>,
    /// Entries in lists of events that have not ended.
    left: u32,
    /// The last of these events.
    awaited: u64,
}

/// An event of the host's.
#[derive(Default)]
struct Known {
    over: Option<Result<(), Box<Failure>>>,
    is_forgotten: bool,
    /// Who wants to be told.
    tell: Ranks,
    /// Commands that wait for it, by their numbers here.
    waiting: SmallVec<[u64; 2]>,
}

/// Ranks that want to be told of an event: mostly few.
pub(crate) type Ranks = SmallVec<[Rank; 4]>;

/// So many commands are likely to begin next.
const NEXT: u64 = 2;

/// See the module's header.
#[derive(Default)]
pub(crate) struct Commands {
    events: ByNumber<Known>,
    /// Boxed, as they are moved about between here and their beginning.
    tasks: ByNumber<Box<Task>>,
    next: u64,
    /// The one that has begun last of those that had to wait.
    begun: u64,
}

impl Commands {
    /// Takes a command. It comes back if it waits for nothing.
    pub(crate) fn enter(&mut self, event: Option<u64>, waits: &[u64], work: Work) -> Option<Box<Task>> {
        let mut task = Box::new(Task { event, work, refusal: None, left: 0, awaited: 0 });
        self.next += 1;
        for wait in waits {
            let known = self.events.entry(*wait).or_default();
            match &known.over {
                Some(Ok(())) => {}
                Some(Err(failure)) => task.refuse(failure),
                None => {
                    known.waiting.push(self.next);
                    task.left += 1;
                    task.awaited = *wait;
                }
            }
        }
        if task.left == 0 {
            return Some(task);
        }
        self.tasks.insert(self.next, task);
        None
    }

    /// An event is over, here or elsewhere. Who wants to be told; `begin` gets the commands that may begin.
    pub(crate) fn over(&mut self, event: u64, went: &Went, mut begin: impl FnMut(Box<Task>)) -> Ranks {
        let known = self.events.entry(event).or_default();
        if known.over.is_some() {
            return Ranks::new();
        }
        known.over = Some(went.clone().map_err(Box::new));
        let (tell, waiting) = (std::mem::take(&mut known.tell), std::mem::take(&mut known.waiting));
        if known.is_forgotten {
            self.events.remove(&event);
        }
        for number in waiting {
            let Entry::Occupied(mut entry) = self.tasks.entry(number) else { continue };
            let task = entry.get_mut();
            if let Err(failure) = went {
                task.refuse(failure);
            }
            task.left -= 1;
            if task.left == 0 {
                self.begun = number;
                begin(entry.remove());
            }
        }
        tell
    }

    /// There is nothing to do: reads what is likely to be needed next, the records of the commands behind the one that has begun last.
    /// They may have come long before, and bringing them from memory takes longer than all that is done with them.
    pub(crate) fn look_ahead(&self) {
        for number in (1..=NEXT).map(|step| self.begun + step) {
            let Some(task) = self.tasks.get(&number) else { return };
            let own = task.event.and_then(|event| self.events.get(&event));
            let awaited = self.events.get(&task.awaited);
            for known in [own, awaited].into_iter().flatten() {
                std::hint::black_box((
                    known.over.is_some(),
                    known.is_forgotten,
                    known.tell.len(),
                    known.waiting.len(),
                ));
            }
            std::hint::black_box((matches!(task.work, Work::Nothing {}), task.refusal.is_some()));
        }
    }

    /// Whether there are commands that wait for something.
    pub(crate) fn are_some_waiting(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// A rank wants to be told of an event's end. How that was, if it has been.
    pub(crate) fn tell(&mut self, event: u64, to: Rank) -> Option<Went> {
        let known = self.events.entry(event).or_default();
        if known.over.is_none() {
            known.tell.push(to);
        }
        known.over.clone().map(|over| over.map_err(|failure| *failure))
    }

    /// Nothing that comes later names the event.
    pub(crate) fn forget(&mut self, event: u64) {
        let Some(known) = self.events.get_mut(&event) else { return };
        known.is_forgotten = true;
        if known.over.is_some() {
            self.events.remove(&event);
        }
    }
}

impl Task {
    fn refuse(&mut self, failure: &Failure) {
        self.refusal.get_or_insert_with(|| Box::new(failure.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_small() {
        // Two records of events lie in what processors fetch at once, or a little more; a command's in three cache lines.
        assert!(size_of::<(u64, Known)>() <= 96, "{}", size_of::<(u64, Known)>());
        assert!(size_of::<Task>() <= 192, "{}", size_of::<Task>());
    }

    fn over(commands: &mut Commands, event: u64, went: &Went) -> (Ranks, Vec<Task>) {
        let mut ready = Vec::new();
        let tell = commands.over(event, went, |task| ready.push(*task));
        (tell, ready)
    }

    fn lost() -> Failure {
        Failure::Abandoned
    }

    #[test]
    fn a_command_begins_when_the_last_of_its_events_is_over() {
        let mut commands = Commands::default();
        assert!(commands.enter(Some(1), &[], Work::Nothing {}).is_some());
        // One that is not known yet, twice, and one that is over.
        assert!(over(&mut commands, 1, &Ok(())).1.is_empty());
        assert!(commands.enter(Some(2), &[1, 7, 8, 7], Work::Nothing {}).is_none());
        assert!(over(&mut commands, 8, &Ok(())).1.is_empty());
        let (tell, ready) = over(&mut commands, 7, &Ok(()));
        assert!(tell.is_empty());
        assert!(matches!(&ready[..], [Task { event: Some(2), refusal: None, .. }]));
        assert!(over(&mut commands, 7, &Ok(())).1.is_empty());
    }

    #[test]
    fn a_failure_is_passed_on_by_those_that_waited_and_those_that_come_later() {
        let mut commands = Commands::default();
        assert!(commands.enter(Some(2), &[7, 8], Work::Nothing {}).is_none());
        assert!(over(&mut commands, 7, &Err(lost())).1.is_empty());
        let (_, ready) = over(&mut commands, 8, &Ok(()));
        assert_eq!(ready[0].refusal, Some(Box::new(lost())));
        let late = commands.enter(Some(3), &[8, 7], Work::Nothing {}).unwrap();
        assert_eq!(late.refusal, Some(Box::new(lost())));
    }

    #[test]
    fn who_asks_is_told_once_and_what_is_forgotten_goes() {
        let mut commands = Commands::default();
        assert_eq!(commands.tell(5, 2), None);
        commands.forget(5);
        assert_eq!(over(&mut commands, 5, &Ok(())).0.as_slice(), [2]);
        assert!(commands.events.is_empty());
        over(&mut commands, 6, &Ok(()));
        assert_eq!(commands.tell(6, 3), Some(Ok(())));
        commands.forget(6);
        assert!(commands.events.is_empty() && commands.tasks.is_empty());
    }
}
