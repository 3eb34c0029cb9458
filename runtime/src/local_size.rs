//! The local size of launches whose user gave none, and of those whose kernel does not ask for it.
//!
//! In: the global size, how many work-items a group may have, and how many threads there are; a local size, if there is one. Out:
//! a local size that divides the global size in every dimension, as every version of OpenCL allows.

/// Work-items that a group has where nothing speaks against it: enough that starting a group costs little.
const PREFERRED: u64 = 256;
/// With fewer items a group's start costs too much, so rows are joined.
const SMALL: u64 = 64;
/// With fewer items a group is not worth a thread.
const LEAST: u64 = 16;
/// Groups for each thread, so that all have work to the end.
const GROUPS_PER_THREAD: u64 = 4;

/// Groups for each thread that a launch is cut into where its kernel asks nothing of its groups: the scheduler gives out a
/// sixteenth of a thread's share at a time, and smaller parts at the end.
const CUT_PER_THREAD: u64 = 32;
/// A cut leaves so many work-items in a group at least, and half as many neighbours along x: lanes for the widest vectors.
const CUT_LEAST: u64 = 32;

/// The local size that `global` is cut by, `local` or smaller, so that all threads have work to the end. `local` divides
/// `global`; so does the result.
pub(crate) fn cut(global: [u64; 3], mut local: [u64; 3], threads: u64) -> [u64; 3] {
    let wanted = threads.saturating_mul(CUT_PER_THREAD);
    let product = |sizes: [u64; 3]| sizes.iter().fold(1_u64, |product, &size| product.saturating_mul(size));
    let mut groups = product(std::array::from_fn(|d| global[d] / local[d].max(1)));
    while groups < wanted && product(local) >= 2 * CUT_LEAST {
        // What lies farthest apart in memory is parted first.
        let half = |d: &usize| local[*d].is_multiple_of(2) && (*d > 0 || local[0] >= CUT_LEAST);
        let Some(dimension) = [2, 1, 0].into_iter().find(half) else { break };
        local[dimension] /= 2;
        groups *= 2;
    }
    local
}

/// A local size for `global`, of at most `limit` work-items.
pub(crate) fn choose(global: [u64; 3], limit: u64, threads: u64) -> [u64; 3] {
    let items = global.iter().fold(1_u64, |product, &size| product.saturating_mul(size));
    let wanted_groups = threads.saturating_mul(GROUPS_PER_THREAD).max(1);
    let preferred = PREFERRED.min((items / wanted_groups).max(LEAST)).min(limit);
    let mut local = [1; 3];
    // x first: neighbours along x are neighbours in memory.
    local[0] = divisor(global[0], preferred, limit);
    let mut group = local[0];
    for dimension in 1..3 {
        if group < SMALL.min(preferred) {
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
                    let local = choose(global, limit, 8);
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
    fn few_large_groups_are_cut_and_others_are_left() {
        assert_eq!(cut([2048, 1, 1], [256, 1, 1], 2), [32, 1, 1], "64 groups for two threads");
        assert_eq!(cut([2048, 1, 1], [256, 1, 1], 1), [64, 1, 1]);
        assert_eq!(cut([1 << 20, 1, 1], [256, 1, 1], 16), [256, 1, 1]);
        assert_eq!(cut([256, 256, 1], [16, 16, 1], 16), [16, 8, 1]);
        assert_eq!(cut([64, 64, 1], [16, 16, 1], 16), [16, 2, 1]);
        assert_eq!(cut([8, 256, 1], [8, 32, 1], 2), [8, 4, 1]);
        assert_eq!(cut([32, 32, 32], [4, 4, 4], 64), [4, 4, 2]);
        assert_eq!(cut([4096, 1, 1], [4096, 1, 1], 64), [32, 1, 1]);
        assert_eq!(cut([1000, 1, 1], [125, 1, 1], 2), [125, 1, 1], "an odd size");
        assert_eq!(cut([24, 1, 1], [24, 1, 1], 2), [24, 1, 1], "small already");
        assert_eq!(cut([0, 1, 1], [64, 1, 1], 2), [32, 1, 1], "nothing to do");
        assert_eq!(cut([64, 1, 1], [64, 1, 1], u64::MAX), [32, 1, 1]);
    }

    #[test]
    fn cut_sizes_divide_what_they_were() {
        for x in [1, 2, 7, 48, 64, 97, 256] {
            for y in [1, 3, 17, 32] {
                for threads in [1, 2, 7, 64] {
                    let local = cut([4 * x, 2 * y, 2], [x, y, 2], threads);
                    assert!([x, y, 2].iter().zip(local).all(|(given, cut)| given.is_multiple_of(cut)));
                }
            }
        }
    }

    #[test]
    fn usual_sizes_get_usual_groups() {
        assert_eq!(choose([1 << 20, 1, 1], 4096, 2), [256, 1, 1]);
        assert_eq!(choose([1920, 1080, 1], 4096, 2), [240, 1, 1]);
        assert_eq!(choose([16, 16, 1], 4096, 2), [16, 2, 1]);
        assert_eq!(choose([1, 1, 1], 4096, 2), [1, 1, 1]);
        assert_eq!(choose([8, 1, 1], 4096, 2), [8, 1, 1]);
        assert_eq!(choose([64, 1, 1], 4096, 2), [16, 1, 1]);
        assert_eq!(choose([1009, 1, 1], 4096, 2), [1009, 1, 1], "a prime up to the limit is one group");
        assert_eq!(choose([4099, 1, 1], 4096, 2), [1, 1, 1], "a prime past the limit has no other divisor");
        assert_eq!(choose([8, 8, 8], 4096, 1), [8, 8, 1]);
    }
}
