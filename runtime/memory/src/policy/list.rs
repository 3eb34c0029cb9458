//! Doubly linked lists over small numbers: the links are a table indexed by the number, so nothing is allocated for a
//! member and every operation is constant time.

use crate::lists::{NoMemory, room};

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Links {
    before: u32,
    after: u32,
    present: bool,
}

/// A list; each number is in it at most once.
#[derive(Debug, Clone)]
pub struct IndexList {
    links: Vec<Links>,
    front: u32,
    back: u32,
}

impl Default for IndexList {
    fn default() -> Self {
        Self { links: Vec::new(), front: NONE, back: NONE }
    }
}

fn known(index: u32) -> Option<u32> {
    (index != NONE).then_some(index)
}

impl IndexList {
    /// Whether `index` is in the list.
    #[must_use]
    pub fn contains(&self, index: u32) -> bool {
        self.links.get(index as usize).is_some_and(|links| links.present)
    }

    /// The first member.
    #[must_use]
    pub fn front(&self) -> Option<u32> {
        known(self.front)
    }

    /// The last member.
    #[must_use]
    pub fn back(&self) -> Option<u32> {
        known(self.back)
    }

    /// The member after `index`.
    #[must_use]
    pub fn after(&self, index: u32) -> Option<u32> {
        self.links.get(index as usize).and_then(|links| known(links.after))
    }

    /// The member before `index`.
    #[must_use]
    pub fn before(&self, index: u32) -> Option<u32> {
        self.links.get(index as usize).and_then(|links| known(links.before))
    }

    /// Takes room for `index`.
    ///
    /// # Errors
    /// There is no memory.
    pub fn room(&mut self, index: u32) -> Result<(), NoMemory> {
        let wanted = index as usize + 1;
        let known = self.links.len();
        if wanted > known {
            room(&mut self.links, wanted - known)?;
            self.links.resize(wanted, Links { before: NONE, after: NONE, present: false });
        }
        Ok(())
    }

    /// Makes `index`, for which room was taken, the last member; it is moved if it is in the list.
    pub fn push_back(&mut self, index: u32) {
        self.remove(index);
        debug_assert!((index as usize) < self.links.len(), "room was taken for every owner");
        if index as usize >= self.links.len() {
            return;
        }
        self.links[index as usize] = Links { before: self.back, after: NONE, present: true };
        match self.back {
            NONE => self.front = index,
            back => self.links[back as usize].after = index,
        }
        self.back = index;
    }

    /// Takes `index` out; nothing happens if it is not in the list.
    pub fn remove(&mut self, index: u32) {
        let Some(links) = self.links.get_mut(index as usize).filter(|links| links.present) else { return };
        let Links { before, after, .. } = *links;
        *links = Links { before: NONE, after: NONE, present: false };
        match before {
            NONE => self.front = after,
            before => self.links[before as usize].after = after,
        }
        match after {
            NONE => self.back = before,
            after => self.links[after as usize].before = before,
        }
    }
}
