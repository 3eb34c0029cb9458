//! Owner ids from a bit vector: a set bit is an id in use. The lowest free id is given out, so tables indexed by id stay
//! as short as the largest number of owners at one time. The same vector type keeps the bits of modified owners.

/// A vector of bits that grows when bits beyond its end are set.
#[derive(Debug, Clone, Default)]
pub(crate) struct BitVector {
    words: Vec<u64>,
}

impl BitVector {
    pub(crate) fn get(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    pub(crate) fn set(&mut self, at: u32) {
        let word = at as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (at % 64);
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

    /// The lowest id that nobody has.
    pub(crate) fn take(&mut self) -> Option<u32> {
        while self.used.words.get(self.first) == Some(&u64::MAX) {
            self.first += 1;
        }
        let word = self.used.words.get(self.first).copied().unwrap_or(0);
        let id = u32::try_from(self.first).ok()?.checked_mul(64)?.checked_add(word.trailing_ones())?;
        if id >= self.limit {
            return None;
        }
        self.used.set(id);
        Some(id)
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
        assert_eq!((0..130).map(|_| ids.take()).collect::<Option<Vec<_>>>(), Some((0..130).collect()));
        assert_eq!(ids.take(), None);
        ids.give(129);
        ids.give(70);
        ids.give(3);
        assert_eq!([ids.take(), ids.take(), ids.take(), ids.take()], [Some(3), Some(70), Some(129), None]);
    }
}
