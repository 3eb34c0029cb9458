//! Segmented LRU: what was used once is reclaimed before what was used again. A second use moves an object from the
//! probationary to the protected segment; the protected one holds a limited number of bytes, and what it cannot hold
//! goes back to the young end of the probationary one. One pass over much data then leaves the working set alone.

use crate::lists::NoMemory;
use crate::policy::list::IndexList;
use crate::policy::{ReclaimPolicy, table_room};

/// Objects used once first, then those used again, each by recency.
#[derive(Debug, Clone)]
pub struct SegmentedLru {
    probationary: IndexList,
    protected: IndexList,
    bytes: Vec<u64>,
    protected_bytes: u64,
    limit: u64,
}

impl SegmentedLru {
    /// The policy, without objects; the protected segment holds `protected_bytes` bytes.
    #[must_use]
    pub fn new(protected_bytes: u64) -> Self {
        Self {
            probationary: IndexList::default(),
            protected: IndexList::default(),
            bytes: Vec::new(),
            protected_bytes: 0,
            limit: protected_bytes,
        }
    }
}

impl ReclaimPolicy for SegmentedLru {
    fn name(&self) -> &'static str {
        "segmented-lru"
    }

    fn created(&mut self, owner: u32) -> Result<(), NoMemory> {
        self.probationary.room(owner)?;
        self.protected.room(owner)?;
        table_room(&mut self.bytes, owner)
    }

    fn added(&mut self, owner: u32, bytes: u64) {
        self.removed(owner);
        self.bytes[owner as usize] = bytes;
        self.probationary.push_back(owner);
    }

    fn used(&mut self, owner: u32) {
        if self.protected.contains(owner) {
            self.protected.push_back(owner);
            return;
        }
        if !self.probationary.contains(owner) {
            return;
        }
        self.probationary.remove(owner);
        self.protected.push_back(owner);
        self.protected_bytes += self.bytes[owner as usize];
        while self.protected_bytes > self.limit {
            let Some(oldest) = self.protected.front() else { break };
            self.protected.remove(oldest);
            self.protected_bytes -= self.bytes[oldest as usize];
            self.probationary.push_back(oldest);
        }
    }

    fn removed(&mut self, owner: u32) {
        if self.protected.contains(owner) {
            self.protected_bytes -= self.bytes[owner as usize];
            self.protected.remove(owner);
        }
        self.probationary.remove(owner);
    }

    fn next(&self, after: Option<u32>) -> Option<u32> {
        match after {
            None => self.probationary.front().or_else(|| self.protected.front()),
            Some(owner) if self.protected.contains(owner) => self.protected.after(owner),
            Some(owner) => self.probationary.after(owner).or_else(|| self.protected.front()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(policy: &SegmentedLru) -> Vec<u32> {
        std::iter::successors(policy.next(None), |&owner| policy.next(Some(owner))).collect()
    }

    #[test]
    fn a_second_use_protects_until_the_segment_is_full() {
        let mut policy = SegmentedLru::new(20);
        for owner in 0..4 {
            policy.created(owner).unwrap();
            policy.added(owner, 10);
        }
        policy.used(0);
        policy.used(1);
        assert_eq!(order(&policy), [2, 3, 0, 1]);
        policy.used(2);
        assert_eq!(order(&policy), [3, 0, 1, 2], "the oldest protected one goes back to probation");
        policy.removed(1);
        policy.used(0);
        assert_eq!(order(&policy), [3, 2, 0]);
        policy.added(3, 10);
        assert_eq!(order(&policy), [3, 2, 0]);
    }
}
