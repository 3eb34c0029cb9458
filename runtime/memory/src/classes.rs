//! Size classes of free chunks: two levels, as in the TLSF family of allocators. The first level is the power of two,
//! the second divides it into [`SECOND`] equal steps, so that a class is at most 1/32 wide and a chunk taken from the
//! class above a request's own wastes at most that share of it.

/// Steps within a power of two.
const SECOND: u32 = 32;
const SECOND_LOG: u32 = SECOND.trailing_zeros();
/// Powers of two from 2^0 to 2^63; sizes below 32 have exact classes in the first row.
const FIRST: usize = 64;

/// Which classes have members: one bit a class, one summary bit a row.
#[derive(Debug, Clone)]
pub(crate) struct ClassMap {
    rows: u64,
    steps: [u32; FIRST],
}

/// A class, as an index below [`ClassMap::COUNT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Class(u16);

impl Class {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    fn new(row: u32, step: u32) -> Self {
        Self((row * SECOND + step) as u16)
    }
}

/// The class whose members are as large as `size` or a little larger; `size` is not 0.
pub(crate) fn class_of(size: u64) -> Class {
    let log = size.ilog2();
    if log < SECOND_LOG {
        return Class::new(0, size as u32);
    }
    let step = (size >> (log - SECOND_LOG)) as u32 - SECOND;
    Class::new(log - SECOND_LOG + 1, step)
}

impl ClassMap {
    pub(crate) const COUNT: usize = FIRST * SECOND as usize;

    pub(crate) fn new() -> Self {
        Self { rows: 0, steps: [0; FIRST] }
    }

    pub(crate) fn set(&mut self, class: Class) {
        let (row, step) = (class.index() / SECOND as usize, class.index() % SECOND as usize);
        self.steps[row] |= 1 << step;
        self.rows |= 1 << row;
    }

    pub(crate) fn clear(&mut self, class: Class) {
        let (row, step) = (class.index() / SECOND as usize, class.index() % SECOND as usize);
        self.steps[row] &= !(1 << step);
        if self.steps[row] == 0 {
            self.rows &= !(1 << row);
        }
    }

    /// The smallest class above `class` that has members.
    pub(crate) fn next_above(&self, class: Class) -> Option<Class> {
        let (row, step) = (class.index() / SECOND as usize, (class.index() % SECOND as usize) as u32);
        let rest = self.steps[row] & (u32::MAX << step) & !(1 << step);
        if rest != 0 {
            return Some(Class::new(row as u32, rest.trailing_zeros()));
        }
        let rows = if row + 1 < FIRST { self.rows & (u64::MAX << (row + 1)) } else { 0 };
        if rows == 0 {
            return None;
        }
        let row = rows.trailing_zeros();
        Some(Class::new(row, self.steps[row as usize].trailing_zeros()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_monotonic_and_narrow() {
        let mut last = class_of(1);
        let mut first_of_class = 1u64;
        for size in 2..100_000u64 {
            let class = class_of(size);
            assert!(class >= last);
            if class != last {
                (last, first_of_class) = (class, size);
            }
            assert!(size - first_of_class <= first_of_class / 32);
        }
        assert!(class_of(u64::MAX).index() < ClassMap::COUNT);
    }

    #[test]
    fn next_above_skips_empty_classes() {
        let mut map = ClassMap::new();
        for size in [3u64, 700, 1 << 40] {
            map.set(class_of(size));
        }
        assert_eq!(map.next_above(class_of(3)), Some(class_of(700)));
        assert_eq!(map.next_above(class_of(700)), Some(class_of(1 << 40)));
        map.clear(class_of(1 << 40));
        assert_eq!(map.next_above(class_of(700)), None);
        assert_eq!(map.next_above(class_of(u64::MAX)), None);
    }
}
