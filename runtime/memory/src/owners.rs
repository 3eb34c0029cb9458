//! Owner ids from a bit vector: a set bit is an id in use. The lowest free id is given out, so tables indexed by id stay
//! as short as the largest number of owners at one time. The same vector type keeps the bits of modified owners.

use crate::lists::{NoMemory, room};

/// A vector of bits.
#[derive(Debug, Clone, Default)]
pub(crate) struct BitVector {
    words: Vec<u64>,
}

impl BitVector {
    pub(crate) fn get(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Room for bits up to this one.
    pub(crate) fn room(&mut self, at: u32) -> Result<(), NoMemory> {
        let words = at as usize / 64 + 1;
        let known = self.words.len();
        if words > known {
            room(&mut self.words, words - known)?;
            self.words.resize(words, 0);
        }
        Ok(())
    }

    /// Sets a bit that there is room for.
    pub(crate) fn set(&mut self, at: u32) {
        if let Some(word) = self.words.get_mut(at as usize / 64) {
            *word |= 1 << (at % 64);
        }
    }

    pub(crate) fn clear(&mut self, at: u32) {
        if let Some(word) = self.words.get_mut(at as usize / 64) {
            *word &= !(1 << (at % 64));
        }
    }
}

/// The ids below a limit.
#[derive(Debug, Clone)]
pub(crate) struct OwnerIds {
    used: BitVector,
    /// No word before this one has a free bit: the search is linear, but never looks at a full word twice in a row.
    first: usize,
    limit: u32,
}

impl OwnerIds {
    pub(crate) fn new(limit: u32) -> Self {
        Self { used: BitVector::default(), first: 0, limit }
    }

    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// The lowest id that nobody has, if there is one, with room for its being taken.
    pub(crate) fn next(&mut self) -> Result<Option<u32>, NoMemory> {
        while self.used.words.get(self.first) == Some(&u64::MAX) {
            self.first += 1;
        }
        let word = self.used.words.get(self.first).copied().unwrap_or(0);
        let first = u32::try_from(self.first).ok().and_then(|first| first.checked_mul(64));
        let id = first.and_then(|first| first.checked_add(word.trailing_ones()));
        let id = id.filter(|&id| id < self.limit);
        id.map_or(Ok(()), |id| self.used.room(id))?;
        Ok(id)
    }

    /// Takes the id that was named by [`Self::next`].
    pub(crate) fn take(&mut self, id: u32) {
        self.used.set(id);
    }

    /// Gives an id back.
    pub(crate) fn give(&mut self, id: u32) {
        self.used.clear(id);
        self.first = self.first.min(id as usize / 64);
    }
}

#[cfg(test)]
mod tests {
    use super::OwnerIds;

    #[test]
    fn the_lowest_free_id_is_given_and_the_limit_holds() {
        let mut ids = OwnerIds::new(130);
        let take = |ids: &mut OwnerIds| {
            let id = ids.next().unwrap();
            id.inspect(|&id| ids.take(id))
        };
        assert_eq!((0..130).map(|_| take(&mut ids)).collect::<Option<Vec<_>>>(), Some((0..130).collect()));
        assert_eq!(take(&mut ids), None);
        ids.give(129);
        ids.give(70);
        ids.give(3);
        assert_eq!([(); 4].map(|()| take(&mut ids)), [Some(3), Some(70), Some(129), None]);
    }
}
