//! The event words of a platform: which event has which word, and who still needs it.
//!
//! A word is 0 until its event has ended and 1 from then on. A word goes back when its event has ended and no command waits for
//! it any more. Events for which there is no word are waited for on the host.

use crate::map::EVENTS;
use oxcl_driver::EventId;
use std::collections::BTreeMap;

/// An event with a word.
#[derive(Debug, Clone, Copy)]
struct Entry {
    number: u64,
    /// Commands that wait for it.
    readers: u32,
    /// It will end without anything further from the host: its command is in a slot or is being executed.
    certain: bool,
    /// Its command has ended, and the scheduler is about to be told.
    ended: bool,
}

/// The events that have words.
#[derive(Debug)]
pub(crate) struct Events {
    live: BTreeMap<EventId, Entry>,
    /// Words whose events have ended, with the commands that still wait for them.
    over: BTreeMap<u64, u32>,
    free: Vec<u64>,
}

impl Events {
    pub(crate) fn new() -> Self {
        Self { live: BTreeMap::new(), over: BTreeMap::new(), free: (0..EVENTS).rev().collect() }
    }

    /// A word for an event that has not ended; none if all are taken.
    pub(crate) fn open(&mut self, event: EventId) -> Option<u64> {
        let number = self.free.pop()?;
        self.live.insert(event, Entry { number, readers: 0, certain: false, ended: false });
        Some(number)
    }

    /// The word of an event that has not ended, for a command that waits for it.
    pub(crate) fn wait_for(&mut self, event: EventId) -> Option<u64> {
        let entry = self.live.get_mut(&event).filter(|entry| !entry.ended)?;
        entry.readers += 1;
        Some(entry.number)
    }

    /// Whether an event with a word has not ended. While it is, the scheduler has not been told of its end, so it still
    /// counts among what holds back those that wait for it.
    pub(crate) fn is_live(&self, event: EventId) -> bool {
        self.live.get(&event).is_some_and(|entry| !entry.ended)
    }

    /// An event's command has ended and the scheduler is told next. The word stays taken until [`Events::close`].
    pub(crate) fn end(&mut self, event: EventId) {
        self.live.entry(event).and_modify(|e| e.ended = true);
    }

    /// The event's command will end by itself.
    pub(crate) fn make_certain(&mut self, event: EventId) {
        self.live.entry(event).and_modify(|e| e.certain = true);
    }

    /// Whether an event has ended or will end by itself.
    pub(crate) fn is_certain(&self, event: EventId) -> bool {
        self.live.get(&event).is_none_or(|e| e.certain)
    }

    /// An event has ended; gives its word.
    pub(crate) fn close(&mut self, event: EventId) -> Option<u64> {
        let entry = self.live.remove(&event)?;
        if entry.readers == 0 {
            self.free.push(entry.number);
        } else {
            self.over.insert(entry.number, entry.readers);
        }
        Some(entry.number)
    }

    /// A command no longer waits for a word.
    pub(crate) fn done_waiting(&mut self, event: EventId, number: u64) {
        if let Some(entry) = self.live.get_mut(&event) {
            entry.readers = entry.readers.saturating_sub(1);
        } else if let Some(readers) = self.over.get_mut(&number) {
            *readers -= 1;
            if *readers == 0 {
                self.over.remove(&number);
                self.free.push(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Events;
    use crate::map::EVENTS;
    use oxcl_driver::EventId;

    #[test]
    fn a_word_goes_back_when_nobody_needs_it() {
        let mut events = Events::new();
        let first = events.open(EventId(1)).expect("there is a word");
        assert_eq!(events.wait_for(EventId(1)), Some(first));
        assert_eq!(events.wait_for(EventId(2)), None);
        assert!(!events.is_certain(EventId(1)));
        events.make_certain(EventId(1));
        assert!(events.is_certain(EventId(1)) && events.is_live(EventId(1)));
        events.end(EventId(1));
        assert!(events.is_certain(EventId(1)) && !events.is_live(EventId(1)));
        assert_eq!(events.wait_for(EventId(1)), None, "its end is the host's to tell");
        assert_eq!(events.close(EventId(1)), Some(first));
        assert!((1..EVENTS).all(|k| events.open(EventId(10 + k)) != Some(first)));
        assert_eq!(events.open(EventId(3)), None, "the word is still waited for");
        events.done_waiting(EventId(1), first);
        assert_eq!(events.open(EventId(3)), Some(first));
    }
}
