//! The order of a node's commands ([`Commands`]): which wait for which events. Events have the host's numbers. One that a command
//! waits for and that is not known yet becomes known as one that will end: a command that comes later, or another node that says so.
//!
//! Nothing is executed and nothing is said here: whoever asks gets what is to be done.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;

use oxcl_driver::Failure;
use oxcl_scheduler::Spread;

use crate::message::Work;
use crate::transport::Rank;

/// What there is by its number.
pub(crate) type ByNumber<V> = HashMap<u64, V, BuildHasherDefault<Spread>>;

/// How an event went.
pub(crate) type Went = Result<(), Failure>;

/// A command on its way here.
pub(crate) struct Task {
    /// Half of a command has none.
    pub(crate) event: Option<u64>,
    pub(crate) work: Work,
    /// Why it must not be executed: the first of what it waited for that has failed.
    pub(crate) refusal: Option<Failure>,
    /// Entries in lists of events that have not ended.
    left: usize,
}

/// An event of the host's.
#[derive(Default)]
struct Known {
    over: Option<Went>,
    is_forgotten: bool,
    /// Who wants to be told.
    tell: Vec<Rank>,
    /// Commands that wait for it, by their numbers here.
    waiting: Vec<u64>,
}

/// See the module's header.
#[derive(Default)]
pub(crate) struct Commands {
    events: ByNumber<Known>,
    /// Boxed, as they are moved about between here and their beginning.
    tasks: ByNumber<Box<Task>>,
    next: u64,
}

impl Commands {
    /// Takes a command. It comes back if it waits for nothing.
    pub(crate) fn enter(&mut self, event: Option<u64>, waits: &[u64], work: Work) -> Option<Box<Task>> {
        let mut task = Box::new(Task { event, work, refusal: None, left: 0 });
        self.next += 1;
        for wait in waits {
            let known = self.events.entry(*wait).or_default();
            match &known.over {
                Some(Ok(())) => {}
                Some(Err(failure)) => task.refuse(failure),
                None => {
                    known.waiting.push(self.next);
                    task.left += 1;
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
    pub(crate) fn over(&mut self, event: u64, went: &Went, mut begin: impl FnMut(Box<Task>)) -> Vec<Rank> {
        let known = self.events.entry(event).or_default();
        if known.over.is_some() {
            return Vec::new();
        }
        known.over = Some(went.clone());
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
                begin(entry.remove());
            }
        }
        tell
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
        known.over.clone()
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
        self.refusal.get_or_insert_with(|| failure.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(commands: &mut Commands, event: u64, went: &Went) -> (Vec<Rank>, Vec<Task>) {
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
        assert_eq!(ready[0].refusal, Some(lost()));
        let late = commands.enter(Some(3), &[8, 7], Work::Nothing {}).unwrap();
        assert_eq!(late.refusal, Some(lost()));
    }

    #[test]
    fn who_asks_is_told_once_and_what_is_forgotten_goes() {
        let mut commands = Commands::default();
        assert_eq!(commands.tell(5, 2), None);
        commands.forget(5);
        assert_eq!(over(&mut commands, 5, &Ok(())).0, [2]);
        assert!(commands.events.is_empty());
        over(&mut commands, 6, &Ok(()));
        assert_eq!(commands.tell(6, 3), Some(Ok(())));
        commands.forget(6);
        assert!(commands.events.is_empty() && commands.tasks.is_empty());
    }
}
