//! Which bytes of its buffers a launch will certainly touch.
//!
//! In: the compiler's facts about accesses that every work-item makes, and the index space. Out: for each, the lowest
//! and highest byte, exactly: a launch is refused only when it would really leave its buffer.

use oxcl_binary::meta::AccessBound;
use oxcl_driver::Geometry;

/// Bytes `low` up to, but not including, `high`, relative to the buffer's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) low: i128,
    pub(crate) high: i128,
}

/// What the access reaches over the whole index space; `None` where the figures leave all reason.
pub(crate) fn span(bound: &AccessBound, geometry: &Geometry) -> Option<Span> {
    let mut low = i128::from(bound.constant);
    let mut high = low;
    for dimension in 0..3 {
        let global = i128::from(bound.global[dimension]);
        let local_size = i128::from(geometry.local[dimension]);
        // global id = offset + group id * local size + local id: in these terms the ids are independent, but for the last
        // group, which may be smaller.
        let start = global.checked_mul(i128::from(geometry.offset[dimension]))?;
        let per_local = global.checked_add(i128::from(bound.local[dimension]))?;
        let per_group = global.checked_mul(local_size)?.checked_add(i128::from(bound.group[dimension]))?;
        let last_group = i128::from(geometry.groups[dimension]) - 1;
        let left = i128::from(geometry.global[dimension]) - last_group.checked_mul(local_size)?;
        let last_item = local_size.min(left) - 1;
        let whole = (last_group > 0).then_some([(0, local_size - 1), (last_group - 1, local_size - 1)]);
        let corners = [(0, 0), (last_group, 0), (last_group, last_item)];
        let (mut least, mut most) = (i128::MAX, i128::MIN);
        for (group, item) in corners.into_iter().chain(whole.into_iter().flatten()) {
            let reached = per_group.checked_mul(group)?.checked_add(per_local.checked_mul(item)?)?;
            (least, most) = (least.min(reached), most.max(reached));
        }
        low = low.checked_add(start)?.checked_add(least)?;
        high = high.checked_add(start)?.checked_add(most)?;
    }
    Some(Span { low, high: high.checked_add(i128::from(bound.bytes))? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry() -> Geometry {
        Geometry { work_dim: 2, groups: [4, 3, 1], local: [8, 2, 1], global: [32, 6, 1], offset: [5, 0, 0] }
    }

    fn bound(constant: i64, global: [i64; 3], local: [i64; 3], group: [i64; 3]) -> AccessBound {
        AccessBound { constant, global, local, group, bytes: 4, line: 1 }
    }

    /// The span by visiting every work-item.
    fn visited(bound: &AccessBound, geometry: &Geometry) -> Span {
        let mut offsets = Vec::new();
        let [width, height, _] = geometry.global.map(u64::cast_signed);
        for y in 0..height {
            for x in 0..width {
                let ids = [(x + 5, x % 8, x / 8), (y, y % 2, y / 2)];
                let dims = ids.iter().enumerate().map(|(d, (global, local, group))| {
                    bound.global[d] * global + bound.local[d] * local + bound.group[d] * group
                });
                offsets.push(bound.constant + dims.sum::<i64>());
            }
        }
        let low = *offsets.iter().min().unwrap();
        Span { low: low.into(), high: i128::from(*offsets.iter().max().unwrap()) + 4 }
    }

    #[test]
    fn agrees_with_a_visit_of_every_item() {
        for constant in [-7, 0, 12] {
            for factor in [-4, 0, 4] {
                for local in [-8, 0, 3] {
                    for group in [-64, 0, 32] {
                        let bound = bound(constant, [factor, 40, 0], [local, 1, 0], [group, -5, 0]);
                        for global in [[32, 6, 1], [27, 5, 1], [25, 6, 1], [32, 5, 1]] {
                            let geometry = Geometry { global, ..geometry() };
                            assert_eq!(span(&bound, &geometry).unwrap(), visited(&bound, &geometry));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_reversed_row_is_exact() {
        // row[local_size - 1 - local_id + group_id * local_size]: the ids depend on each other only through the facts.
        let reversed = bound(28, [0; 3], [-4, 0, 0], [32, 0, 0]);
        assert_eq!(span(&reversed, &geometry()).unwrap(), Span { low: 0, high: 128 });
    }
}
