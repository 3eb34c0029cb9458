//! Least or most recently used first, whichever would have missed less lately. Programs that come back to what they used
//! lately want the one; programs that go round and round through more than fits want the other, as with the first every
//! object has just left when its turn comes.
//!
//! Which it is, is found out by watching: two shadows, which hold no memory, go through the same uses as if each had the
//! whole memory for itself. A use that one of them misses and the other does not counts for the other, by its bytes. The
//! order changes when one is ahead by a quarter of the memory, so that no short run of luck changes it. Forth and back,
//! where both miss equally often but at different times, stays with the first.

use crate::lists::NoMemory;
use crate::policy::list::IndexList;
use crate::policy::{ReclaimPolicy, table_room};

/// What a memory under one of the two orders would hold.
#[derive(Debug, Clone, Default)]
struct Shadow {
    held: IndexList,
    bytes: u64,
}

impl Shadow {
    /// A use of `owner`; whether it was held.
    fn uses(&mut self, owner: u32, sizes: &[u64], capacity: u64, newest_first: bool) -> bool {
        let hit = self.held.contains(owner);
        self.held.push_back(owner);
        if hit {
            return true;
        }
        self.bytes += sizes[owner as usize];
        while self.bytes > capacity {
            let victim = if newest_first { self.held.before(owner) } else { self.held.front() };
            let Some(victim) = victim.filter(|&victim| victim != owner) else { break };
            self.forget(victim, sizes);
        }
        false
    }

    fn forget(&mut self, owner: u32, sizes: &[u64]) {
        if self.held.contains(owner) {
            self.held.remove(owner);
            self.bytes -= sizes[owner as usize];
        }
    }
}

/// Least or most recently used first, as the program's uses suggest.
#[derive(Debug, Clone)]
pub struct Adaptive {
    resident: IndexList,
    oldest: Shadow,
    newest: Shadow,
    sizes: Vec<u64>,
    capacity: u64,
    /// By how many bytes the newest-first shadow has missed less, within the memory's size.
    lead: i64,
    newest_first: bool,
}

impl Adaptive {
    /// The policy, without objects, for a memory of `capacity` bytes. It begins with the least recently used first.
    #[must_use]
    pub fn new(capacity: u64) -> Self {
        Self {
            resident: IndexList::default(),
            oldest: Shadow::default(),
            newest: Shadow::default(),
            sizes: Vec::new(),
            capacity,
            lead: 0,
            newest_first: false,
        }
    }

    fn watch(&mut self, owner: u32) {
        let oldest = self.oldest.uses(owner, &self.sizes, self.capacity, false);
        let newest = self.newest.uses(owner, &self.sizes, self.capacity, true);
        let bytes = i64::try_from(self.sizes[owner as usize]).unwrap_or(i64::MAX);
        let limit = i64::try_from(self.capacity).unwrap_or(i64::MAX);
        match (oldest, newest) {
            (false, true) => self.lead = self.lead.saturating_add(bytes).min(limit),
            (true, false) => self.lead = self.lead.saturating_sub(bytes).max(-limit),
            _ => return,
        }
        let enough = limit / 4;
        if self.lead >= enough {
            self.newest_first = true;
        } else if self.lead <= -enough {
            self.newest_first = false;
        }
    }
}

impl ReclaimPolicy for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn created(&mut self, owner: u32) -> Result<(), NoMemory> {
        self.resident.room(owner)?;
        self.oldest.held.room(owner)?;
        self.newest.held.room(owner)?;
        table_room(&mut self.sizes, owner)
    }

    fn added(&mut self, owner: u32, bytes: u64) {
        if self.sizes[owner as usize] != bytes {
            self.destroyed(owner);
            self.sizes[owner as usize] = bytes;
        }
        self.resident.push_back(owner);
        self.watch(owner);
    }

    fn used(&mut self, owner: u32) {
        if self.resident.contains(owner) {
            self.resident.push_back(owner);
            self.watch(owner);
        }
    }

    fn removed(&mut self, owner: u32) {
        self.resident.remove(owner);
    }

    fn destroyed(&mut self, owner: u32) {
        self.oldest.forget(owner, &self.sizes);
        self.newest.forget(owner, &self.sizes);
    }

    fn next(&self, after: Option<u32>) -> Option<u32> {
        match (after, self.newest_first) {
            (None, false) => self.resident.front(),
            (None, true) => self.resident.back(),
            (Some(owner), false) => self.resident.after(owner),
            (Some(owner), true) => self.resident.before(owner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Action, Fence, Use};
    use crate::policy::{Lru, Mru};
    use crate::pool::Pool;

    /// Objects of equal size that come in while a program uses its objects in this order; eight fit.
    fn misses(policy: Box<dyn ReclaimPolicy>, objects: usize, uses: &[usize]) -> usize {
        const SIZE: u64 = 4096;
        let mut pool = Pool::new(0..8 * SIZE, 64, policy).unwrap().with_granule(u64::MAX);
        let ids: Vec<_> = (0..objects).map(|_| pool.create(SIZE).unwrap()).collect();
        let mut misses = 0;
        for (fence, &at) in (0..).map(Fence).zip(uses) {
            let plan = pool.reserve(&[Use::write(ids[at])], fence).unwrap();
            let came = |action: &&Action| matches!(action, Action::PageIn { .. } | Action::Commit(_));
            misses += plan.actions().iter().filter(came).count();
            // Two are under way at a time.
            if let Some(before) = fence.0.checked_sub(1) {
                pool.passed(Fence(before));
            }
        }
        misses
    }

    fn cyclic(objects: usize, passes: usize) -> Vec<usize> {
        (0..passes).flat_map(|_| 0..objects).collect()
    }

    fn zigzag(objects: usize, passes: usize) -> Vec<usize> {
        let at = |pass: usize, at: usize| if pass % 2 == 1 { objects - 1 - at } else { at };
        (0..passes).flat_map(|pass| (0..objects).map(move |step| at(pass, step))).collect()
    }

    #[test]
    fn round_and_round_most_of_what_fits_stays() {
        for objects in [9, 12, 16, 32] {
            let uses = cyclic(objects, 20);
            let [lru, mru, adaptive]: [Box<dyn ReclaimPolicy>; 3] =
                [Box::new(Lru::new()), Box::new(Mru::new()), Box::new(Adaptive::new(8 * 4096))];
            let (lru, mru) = (misses(lru, objects, &uses), misses(mru, objects, &uses));
            let adaptive = misses(adaptive, objects, &uses);
            assert_eq!(lru, 20 * objects);
            // It learns in the second pass.
            assert!(adaptive <= mru + 16, "{objects}: {adaptive}, {mru}");
        }
    }

    #[test]
    fn forth_and_back_it_is_the_least_recently_used() {
        for objects in [9, 12, 16, 32] {
            let uses = zigzag(objects, 20);
            let lru = misses(Box::new(Lru::new()), objects, &uses);
            assert_eq!(misses(Box::new(Adaptive::new(8 * 4096)), objects, &uses), lru, "{objects}");
        }
    }

    #[test]
    fn it_follows_a_program_that_changes() {
        let mut uses = cyclic(12, 10);
        // Then it works on a few others, again and again, and on those round and round after that.
        uses.extend((0..200).map(|step| 12 + step % 6));
        uses.extend((0..200).map(|step| 12 + step % 6));
        let before = misses(Box::new(Adaptive::new(8 * 4096)), 20, &cyclic(12, 10));
        let after = misses(Box::new(Adaptive::new(8 * 4096)), 20, &uses);
        assert!(after - before <= 40, "{before}, {after}");
        let mru = misses(Box::new(Mru::new()), 20, &uses);
        assert!(after < mru, "{after}, {mru}");
    }

    #[test]
    fn ids_that_come_again_begin_anew() {
        let mut policy = Adaptive::new(100);
        policy.created(1).unwrap();
        policy.added(0, 60);
        policy.added(1, 60);
        policy.removed(0);
        policy.destroyed(0);
        policy.added(0, 10);
        policy.removed(1);
        policy.destroyed(1);
        assert_eq!((policy.next(None), policy.next(Some(0))), (Some(0), None));
        assert_eq!((policy.oldest.bytes, policy.newest.bytes), (10, 10));
    }
}
