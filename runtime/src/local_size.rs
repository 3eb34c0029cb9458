//! The local size of launches whose user gave none.
//!
//! In: the global size, how many work-items a group may have, and how many threads there are. Out: a local size that
//! divides the global size in every dimension, as every version of OpenCL allows.

/// Work-items that a group has where nothing speaks against it: enough that starting a group costs little.
const PREFERRED: u64 = 256;
/// With fewer items a group's start costs too much, so rows are joined.
const SMALL: u64 = 64;
/// Neighbours along x where there are several rows: the rows above each other of a group share lines of memory with one another
/// where a kernel reads its neighbours, or writes a matrix the other way round.
const ROW: u64 = 64;
/// The same along y for a kernel that may have lanes along columns.
const COLUMN: u64 = 32;
/// With fewer items a group is not worth a thread.
const LEAST: u64 = 16;
/// Groups for each thread, so that all have work to the end.
const GROUPS_PER_THREAD: u64 = 4;

/// A local size for `global`, of at most `limit` work-items, for a kernel that may have lanes along columns, or has them along rows.
pub(crate) fn choose(global: [u64; 3], limit: u64, threads: u64, columns: bool) -> [u64; 3] {
    let [x, y, z] = global;
    if columns && y > 1 {
        let [y, x, z] = along_first([y, x, z], limit, threads, COLUMN);
        return [x, y, z];
    }
    along_first(global, limit, threads, ROW)
}

/// The same for neighbours along the first dimension, of which `row` are enough where there are several rows.
fn along_first(global: [u64; 3], limit: u64, threads: u64, row: u64) -> [u64; 3] {
    let items = global.iter().fold(1_u64, |product, &size| product.saturating_mul(size));
    let wanted_groups = threads.saturating_mul(GROUPS_PER_THREAD).max(1);
    let preferred = PREFERRED.min((items / wanted_groups).max(LEAST)).min(limit);
    let mut local = [1; 3];
    // The first dimension first: neighbours along it are neighbours in memory.
    let row = if items > global[0] { preferred.min(row) } else { preferred };
    local[0] = divisor(global[0], row, limit);
    let mut group = local[0];
    for (dimension, enough) in [(1, preferred), (2, SMALL.min(preferred))] {
        if group < enough {
            local[dimension] = best_divisor_up_to(global[dimension], preferred / group);
            group *= local[dimension];
        }
    }
    local
}

/// The largest divisor of `size` up to `preferred`; where that is very small, as for primes, the least one above it
/// up to `limit` if that is nearer in proportion.
fn divisor(size: u64, preferred: u64, limit: u64) -> u64 {
    let below = best_divisor_up_to(size, preferred);
    let Some(above) = (preferred + 1..=limit.min(size)).find(|candidate| size.is_multiple_of(*candidate))
    else {
        return below;
    };
    if above / preferred < preferred / below { above } else { below }
}

fn best_divisor_up_to(size: u64, limit: u64) -> u64 {
    (1..=limit.min(size)).rev().find(|candidate| size.is_multiple_of(*candidate)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_divide_and_stay_within_limits() {
        for x in [1, 2, 7, 64, 97, 100, 1000, 1009, 4093, 4099, 65536, 1 << 40] {
            for y in [1, 3, 17, 1024] {
                for limit in [1, 8, 1024, 4096] {
                    let global = [x, y, 2];
                    let local = choose(global, limit, 8, limit > 8);
                    assert!(local.iter().product::<u64>() <= limit, "{global:?} {limit} {local:?}");
                    assert!(
                        global.iter().zip(local).all(|(g, l)| g.is_multiple_of(l)),
                        "{global:?} {local:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn usual_sizes_get_usual_groups() {
        assert_eq!(choose([1 << 20, 1, 1], 4096, 2, false), [256, 1, 1]);
        assert_eq!(choose([1920, 1080, 1], 4096, 2, false), [64, 4, 1]);
        assert_eq!(choose([16, 16, 1], 4096, 2, false), [16, 2, 1]);
        assert_eq!(choose([1, 1, 1], 4096, 2, false), [1, 1, 1]);
        assert_eq!(choose([8, 1, 1], 4096, 2, false), [8, 1, 1]);
        assert_eq!(choose([64, 1, 1], 4096, 2, false), [16, 1, 1]);
        assert_eq!(
            choose([1009, 1, 1], 4096, 2, false),
            [1009, 1, 1],
            "a prime up to the limit is one group"
        );
        assert_eq!(
            choose([4099, 1, 1], 4096, 2, false),
            [1, 1, 1],
            "a prime past the limit has no other divisor"
        );
        assert_eq!(choose([8, 8, 8], 4096, 1, false), [8, 8, 1]);
        assert_eq!(choose([1024, 1024, 1], 4096, 2, true), [8, 32, 1], "columns");
        assert_eq!(choose([1 << 20, 1, 1], 4096, 2, true), [256, 1, 1], "there is one row");
        assert_eq!(choose([4, 4096, 1], 4096, 2, true), [4, 32, 1]);
    }
}
