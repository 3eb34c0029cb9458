//! The word of a slot that says whether there is an object: which of the slot's objects it is, and how many references hold it.
//!
//! The word is never anything else, whatever becomes of objects: slots are not given back. So a thread may come to it at any
//! time, however long it was interrupted on its way there. It reads the word, then what else the slot says (which is written
//! before an object begins, and not while there is one), and takes a reference by an exchange that succeeds only if the word
//! is what it was: the same object, which was there all the time. Before that nothing of the object itself is read.
//!
//! | word | who changes it | to |
//! | --- | --- | --- |
//! | generation g, 0 references: no object | who has taken the slot, [`Count::begin`] | g + 1, 1 |
//! | g, n | anybody, [`Count::enter`]; who holds one, [`Count::more`] | g, n + 1 |
//! | g, n | who holds one, [`Count::leave`]; whose is the last ends the object and then frees the slot | g, n - 1 |
//!
//! A slot whose generations are used up is not taken again, so no word ever comes back. Does not know what the object is, or
//! where.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// See above. Zeroed memory is a slot that never had an object.
pub(super) struct Count(AtomicU64);

/// Which of a slot's objects: no two have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Generation(u32);

/// What the word says.
#[derive(Clone, Copy)]
struct State(u64);

impl State {
    fn generation(self) -> Generation {
        Generation((self.0 >> 32) as u32)
    }

    fn references(self) -> u32 {
        self.0 as u32
    }

    /// One reference more. Half of what fits is far more than memory has room for; a process that has forgotten so many
    /// ends, before the number begins again and an object goes that is held.
    fn more(self) -> Self {
        if self.references() > u32::MAX / 2 {
            std::process::abort();
        }
        Self(self.0 + 1)
    }
}

impl Count {
    #[cfg(test)]
    fn new(generation: u32) -> Self {
        Self(AtomicU64::new(u64::from(generation) << 32))
    }

    /// There is an object, all that the slot says of it is written, and the caller has the first reference.
    pub(super) fn begin(&self) {
        // Relaxed: without an object nobody else changes the word.
        let Generation(last) = State(self.0.load(Ordering::Relaxed)).generation();
        debug_assert!(last != u32::MAX, "the slot is used up");
        // Release pairs with the acquire in `enter`, also through exchanges of others that came between.
        self.0.store((u64::from(last) + 1) << 32 | 1, Ordering::Release);
    }

    /// Whether no object can begin any more.
    pub(super) fn is_used_up(&self) -> bool {
        // Relaxed: as in `begin`.
        State(self.0.load(Ordering::Relaxed)).generation() == Generation(u32::MAX)
    }

    /// Takes a reference, if there is an object and `read` finds in the slot that it is the one that is wanted. What is found
    /// belongs to that object.
    pub(super) fn enter<R>(&self, read: impl Fn(Generation) -> Option<R>) -> Option<R> {
        // Acquire pairs with the release in `begin`: what is read is not older than this object.
        let mut known = State(self.0.load(Ordering::Acquire));
        while known.references() > 0 {
            let found = read(known.generation())?;
            // It is not younger either: what is written for the next object is written after this one has ended, and so after
            // the caller gives the reference up that it gets here (release and acquire in `leave`). Relaxed: the load has
            // acquired what there is. Acquire where it fails: as at first.
            match self.0.compare_exchange_weak(known.0, known.more().0, Ordering::Relaxed, Ordering::Acquire)
            {
                Ok(_) => return Some(found),
                Err(now) => known = State(now),
            }
        }
        None
    }

    /// Takes a reference; the caller has another.
    pub(super) fn more(&self) {
        // Relaxed: the caller's own reference has made all visible.
        let _ = State(self.0.fetch_add(1, Ordering::Relaxed)).more();
    }

    /// Gives a reference up; whether it was the last, and the object is the caller's.
    pub(super) fn leave(&self) -> bool {
        // Release and acquire: who gets the object sees what all others did with it.
        State(self.0.fetch_sub(1, Ordering::AcqRel)).references() == 1
    }

    /// Which object it is; the caller holds it.
    pub(super) fn generation(&self) -> Generation {
        // Relaxed: it does not change while there is an object.
        State(self.0.load(Ordering::Relaxed)).generation()
    }

    /// Whether there was this object a moment ago.
    pub(super) fn is_live(&self, generation: Generation) -> bool {
        // Relaxed: nothing is read of it.
        let state = State(self.0.load(Ordering::Relaxed));
        state.generation() == generation && state.references() > 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn generations_are_used_up() {
        let count = Count::new(u32::MAX - 2);
        count.begin();
        assert!(count.leave() && !count.is_used_up());
        count.begin();
        assert!(count.is_used_up(), "the last one");
        assert!(count.enter(|generation| (generation == Generation(u32::MAX)).then_some(())).is_some());
        assert!(!count.leave() && count.leave() && count.is_used_up());
        assert!(count.enter(|_| Some(())).is_none());
    }
}

#[cfg(all(test, loom))]
mod models {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
    use loom::thread;

    use super::{Count, Generation};

    const KIND: u32 = 7;
    const OTHER: u32 = 8;

    /// What an object's memory holds: of which kind it is, or that it was freed.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Memory {
        Nothing,
        Object(u32),
        Freed,
    }

    /// A slot, and the memory of the two objects that it stands for one after the other.
    struct Slot {
        count: Count,
        kind: AtomicU32,
        body: AtomicUsize,
        memory: [UnsafeCell<Memory>; 2],
    }

    impl Slot {
        fn new() -> Arc<Slot> {
            let memory = [UnsafeCell::new(Memory::Nothing), UnsafeCell::new(Memory::Nothing)];
            let (kind, body) = (AtomicU32::new(0), AtomicUsize::new(usize::MAX));
            Arc::new(Slot { count: Count::new(0), kind, body, memory })
        }

        fn make(&self, place: usize, kind: u32) {
            // SAFETY: nobody else has the memory of an object that is being made.
            self.memory[place].with_mut(|memory| unsafe { *memory = Memory::Object(kind) });
            self.kind.store(kind, Ordering::Relaxed);
            self.body.store(place, Ordering::Relaxed);
            self.count.begin();
        }

        /// Where the object is, if there is one of the kind; it is held then.
        fn enter(&self, kind: u32) -> Option<usize> {
            self.count.enter(|_| {
                let is = self.kind.load(Ordering::Relaxed) == kind;
                is.then(|| self.body.load(Ordering::Relaxed))
            })
        }

        fn check(&self, place: usize, kind: u32) {
            // SAFETY: the caller holds the object.
            let found = self.memory[place].with(|memory| unsafe { *memory });
            assert_eq!(found, Memory::Object(kind), "what is held is an object of the kind");
        }

        /// Gives a reference up, and the memory with the last.
        fn leave(&self, place: usize) -> bool {
            let is_last = self.count.leave();
            if is_last {
                // SAFETY: nobody holds it.
                self.memory[place].with_mut(|memory| unsafe { *memory = Memory::Freed });
            }
            is_last
        }
    }

    /// One thread looks at an object by its handle, while another gives its reference up, and makes the next one in the same slot,
    /// of the same kind or of another.
    fn someone_looks_while_the_slot_is_taken_again(next: u32) {
        loom::model(move || {
            let slot = Slot::new();
            slot.make(0, KIND);
            let theirs = Arc::clone(&slot);
            let looker = thread::spawn(move || {
                let place = theirs.enter(KIND)?;
                theirs.check(place, KIND);
                theirs.leave(place).then_some(place)
            });
            let mut ended = u32::from(slot.leave(0));
            if ended == 1 {
                slot.make(1, next);
                // The looker may hold the second object, where it is of the kind.
                ended += u32::from(slot.leave(1));
            }
            let by_looker = looker.join().expect("no panic");
            ended += u32::from(by_looker.is_some());
            let begun = 1 + u32::from(slot.count.generation() == Generation(2));
            assert_eq!(ended, begun, "each object goes once");
        });
    }

    #[test]
    fn models_slot_becomes_another_of_the_kind_while_someone_looks() {
        someone_looks_while_the_slot_is_taken_again(KIND);
    }

    #[test]
    fn models_slot_becomes_another_kind_while_someone_looks() {
        someone_looks_while_the_slot_is_taken_again(OTHER);
    }

    /// Who knows the first object does not get the second, of the same kind.
    #[test]
    fn models_slot_becomes_another_while_someone_looks_for_the_first() {
        loom::model(|| {
            let slot = Slot::new();
            slot.make(0, KIND);
            let first = slot.count.generation();
            let theirs = Arc::clone(&slot);
            let looker = thread::spawn(move || {
                let wanted = |generation| (generation == first).then(|| theirs.body.load(Ordering::Relaxed));
                let Some(place) = theirs.count.enter(wanted) else { return false };
                assert_eq!(place, 0, "the second was taken for the first");
                theirs.check(place, KIND);
                theirs.leave(place)
            });
            let mine = slot.leave(0);
            if mine {
                slot.make(1, KIND);
                assert!(slot.leave(1), "nobody looks for it");
            }
            assert_eq!(mine, !looker.join().expect("no panic"), "the first goes once");
        });
    }

    /// Two threads find an object, have a second reference each, and give all up while the first holder does.
    #[test]
    fn models_last_of_several_sees_what_all_did() {
        loom::model(|| {
            let slot = Slot::new();
            slot.make(0, KIND);
            let lookers: Vec<_> = (0..2)
                .map(|_| {
                    let slot = Arc::clone(&slot);
                    thread::spawn(move || {
                        let Some(place) = slot.enter(KIND) else { return 0 };
                        slot.count.more();
                        assert!(!slot.leave(place), "there is a second");
                        slot.check(place, KIND);
                        u32::from(slot.leave(place))
                    })
                })
                .collect();
            let mut last = u32::from(slot.leave(0));
            for looker in lookers {
                last += looker.join().expect("no panic");
            }
            assert_eq!(last, 1, "an object goes once");
        });
    }
}
