//! Orders by the last use: least recent first, which suits programs that come back to what they used lately, and most
//! recent first, which suits those that go through more than fits again and again.

use crate::lists::NoMemory;
use crate::policy::ReclaimPolicy;
use crate::policy::list::IndexList;

/// Objects by their last use, from one end or from the other.
#[derive(Debug, Clone, Default)]
pub struct ByLastUse<const NEWEST_FIRST: bool>(IndexList);

/// The least recently used object first.
pub type Lru = ByLastUse<false>;

/// The most recently used object first.
pub type Mru = ByLastUse<true>;

impl<const NEWEST_FIRST: bool> ByLastUse<NEWEST_FIRST> {
    /// The policy, without objects.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<const NEWEST_FIRST: bool> ReclaimPolicy for ByLastUse<NEWEST_FIRST> {
    fn name(&self) -> &'static str {
        if NEWEST_FIRST { "mru" } else { "lru" }
    }

    fn created(&mut self, owner: u32) -> Result<(), NoMemory> {
        self.0.room(owner)
    }

    fn added(&mut self, owner: u32, _bytes: u64) {
        self.0.push_back(owner);
    }

    fn used(&mut self, owner: u32) {
        self.0.push_back(owner);
    }

    fn removed(&mut self, owner: u32) {
        self.0.remove(owner);
    }

    fn next(&self, after: Option<u32>) -> Option<u32> {
        match (after, NEWEST_FIRST) {
            (None, false) => self.0.front(),
            (None, true) => self.0.back(),
            (Some(owner), false) => self.0.after(owner),
            (Some(owner), true) => self.0.before(owner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(policy: &dyn ReclaimPolicy) -> Vec<u32> {
        std::iter::successors(policy.next(None), |&owner| policy.next(Some(owner))).collect()
    }

    #[test]
    fn uses_order_the_candidates() {
        let mut policies: [Box<dyn ReclaimPolicy>; 2] = [Box::new(Lru::new()), Box::new(Mru::new())];
        for policy in &mut policies {
            for owner in [0, 5, 2, 9] {
                policy.created(owner).unwrap();
                policy.added(owner, 1);
            }
            policy.used(5);
            policy.removed(2);
            policy.removed(77);
        }
        assert_eq!(order(policies[0].as_ref()), [0, 9, 5]);
        assert_eq!(order(policies[1].as_ref()), [5, 9, 0]);
    }
}
