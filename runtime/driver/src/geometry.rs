//! The index space of one launch, already checked: sizes are not zero and products fit 64 bits.

use crate::fault::GroupRun;

/// An index space. Dimensions past `work_dim` have size 1 and offset 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Number of dimensions, 1 to 3.
    pub work_dim: u32,
    /// Number of work-groups in each dimension.
    pub groups: [u64; 3],
    /// Local size in each dimension, as enqueued: groups at the edge may be smaller.
    pub local: [u64; 3],
    /// Global size in each dimension.
    pub global: [u64; 3],
    /// Global offset in each dimension.
    pub offset: [u64; 3],
}

impl Geometry {
    /// The number of work-groups. Saturates; the runtime has checked that it does not come to that.
    #[must_use]
    pub fn group_count(&self) -> u64 {
        self.groups.iter().fold(1, |product: u64, &n| product.saturating_mul(n))
    }

    /// Whether every work-group has the whole local size.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        self.global.iter().zip(self.local).all(|(global, local)| global.is_multiple_of(local))
    }

    /// Whether every global id is less than 2^31.
    #[must_use]
    pub fn has_small_ids(&self) -> bool {
        let end = |(size, offset): (&u64, u64)| offset.saturating_add(*size);
        self.global.iter().zip(self.offset).map(end).all(|end| end <= 1 << 31)
    }

    /// The local size of one group.
    pub fn local_of(&self, group: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|d| {
            let before = group[d].saturating_mul(self.local[d]);
            self.global[d].saturating_sub(before).min(self.local[d])
        })
    }

    /// The number of work-items in one group.
    pub fn items_of(&self, group: [u64; 3]) -> u64 {
        self.local_of(group).iter().fold(1, |product: u64, &n| product.saturating_mul(n))
    }

    /// The number of work-items in a whole work-group.
    #[must_use]
    pub fn group_items(&self) -> u64 {
        self.local.iter().fold(1, |product: u64, &n| product.saturating_mul(n))
    }

    /// The longest run of groups along x that begins at the group with linear index `first` and has at most `count`
    /// groups.
    pub fn run_at(&self, first: u64, count: u64) -> GroupRun {
        let [width, height, _] = self.groups;
        let x = first % width;
        let row = first / width;
        GroupRun { first: [x, row % height, row / height], count: count.min(width - x) }
    }

    /// The local id with linear index `index` in `group`.
    pub fn local_id(&self, group: [u64; 3], index: u64) -> [u64; 3] {
        let [width, height, _] = self.local_of(group);
        [index % width, index / width % height, index / width / height]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_follow_rows_and_cover_every_group_once() {
        let geometry =
            Geometry { work_dim: 3, groups: [5, 3, 2], local: [4, 2, 1], global: [20, 6, 2], offset: [0; 3] };
        let mut seen = Vec::new();
        let mut next = 2;
        while next < geometry.group_count() {
            let run = geometry.run_at(next, geometry.group_count() - next);
            for x in run.first[0]..run.first[0] + run.count {
                seen.push(x + 5 * (run.first[1] + 3 * run.first[2]));
            }
            next += run.count;
        }
        assert_eq!(seen, (2..30).collect::<Vec<_>>());
        assert_eq!(geometry.local_id([0; 3], 7), [3, 1, 0]);
        assert!(geometry.is_uniform());
    }

    #[test]
    fn groups_at_the_edge_are_smaller() {
        let geometry =
            Geometry { work_dim: 2, groups: [3, 2, 1], local: [4, 3, 1], global: [10, 5, 1], offset: [0; 3] };
        assert!(!geometry.is_uniform());
        assert_eq!(geometry.local_of([1, 0, 0]), [4, 3, 1]);
        assert_eq!(geometry.local_of([2, 1, 0]), [2, 2, 1]);
        assert_eq!((geometry.items_of([2, 1, 0]), geometry.group_items()), (4, 12));
        assert_eq!(geometry.local_id([2, 0, 0], 5), [1, 2, 0]);
    }
}
