//! Cases of the pool, each small enough to follow by hand. Random sequences against a model are in `tests/model.rs`.

use super::Pool;
use crate::object::{BlockFlags, ObjectId};
use crate::plan::{Action, Extent, Fence, PoolError, Shortage, Source, Use};
use crate::policy::Lru;
use crate::submit::{DevicePart, Engine, Patch};

const KIB: u64 = 1024;

fn pool(kib: u64) -> Pool {
    Pool::new(0..kib * KIB, 64, Box::new(Lru::new())).unwrap().with_granule(KIB)
}

fn extent(object: ObjectId, offset: u64, address: u64, size: u64) -> Extent {
    Extent { object, offset: offset * KIB, address: address * KIB, size: size * KIB }
}

#[test]
fn an_object_comes_is_paged_out_and_comes_back() {
    let mut pool = pool(4);
    let (a, b) = (pool.create(3 * KIB).unwrap(), pool.create(2 * KIB).unwrap());
    assert_eq!((pool.was_lost(a), pool.address(a)), (Ok(true), None));
    let plan = pool.reserve(&[Use::write(a)], Fence(1)).unwrap();
    assert_eq!(plan.actions(), [Action::Commit(extent(a, 0, 0, 3))]);
    assert_eq!((pool.was_lost(a), pool.address(a)), (Ok(false), Some(0)));
    let refused = pool.reserve(&[Use::write(b)], Fence(2)).unwrap_err();
    let wait = Shortage::Wait { fence: Some(Fence(1)), needed: 2 * KIB, available: KIB, pinned: 0 };
    assert_eq!(refused, wait, "what runs is not reclaimed");
    pool.passed(Fence(1));
    let plan = pool.reserve(&[Use::write(b)], Fence(2)).unwrap();
    // Only what is needed goes: the last KiB of `a` and the free one behind it.
    assert_eq!(plan.actions(), [Action::PageOut(extent(a, 2, 2, 1)), Action::Commit(extent(b, 0, 2, 2))]);
    assert_eq!((pool.was_lost(a), pool.was_modified(a), pool.address(a)), (Ok(false), Ok(true), None));
    pool.passed(Fence(2));
    // What is left of `a` stays where it is.
    let plan = pool.reserve(&[Use::read(a)], Fence(3)).unwrap();
    let back = Action::PageIn { extent: extent(a, 2, 2, 1), source: Source::Backing };
    assert_eq!(plan.actions(), [Action::PageOut(extent(b, 0, 2, 1)), back]);
    assert_eq!(pool.address(a), Some(0));
}

#[test]
fn what_is_also_elsewhere_leaves_without_a_copy_and_its_owner_learns_it() {
    let mut pool = pool(2);
    let (a, b) = (pool.create(2 * KIB).unwrap(), pool.create(2 * KIB).unwrap());
    pool.reserve(&[Use::discard(a)], Fence(1)).unwrap();
    pool.passed(Fence(1));
    pool.set_can_clobber(a, true).unwrap();
    let plan = pool.reserve(&[Use::discard(b)], Fence(2)).unwrap();
    assert_eq!(plan.actions(), [Action::Clobber(extent(a, 0, 0, 2)), Action::Commit(extent(b, 0, 0, 2))]);
    assert_eq!(pool.was_lost(a), Ok(true));
    pool.passed(Fence(2));
    let plan = pool.reserve(&[Use::read(a)], Fence(3)).unwrap();
    assert_eq!(
        plan.actions(),
        [
            Action::PageOut(extent(b, 0, 0, 2)),
            Action::PageIn { extent: extent(a, 0, 0, 2), source: Source::Owner }
        ]
    );
    assert!(matches!(plan.combined().collect::<Vec<_>>()[..], [Action::Exchange { .. }]));
    pool.passed(Fence(3));
    // `b` was saved by the page-out: read only, it leaves without a copy.
    pool.reserve(&[Use::read(b)], Fence(4)).unwrap();
    pool.passed(Fence(4));
    let plan = pool.reserve(&[Use::read(a)], Fence(5)).unwrap();
    assert_eq!(plan.actions()[0], Action::Clobber(extent(b, 0, 0, 2)));
    assert_eq!(pool.was_lost(b), Ok(false), "the pool itself has saved it");
}

#[test]
fn a_set_is_placed_whole_or_not_at_all() {
    let mut pool = pool(8);
    let small: Vec<ObjectId> = (0..4).map(|_| pool.create(2 * KIB).unwrap()).collect();
    for (at, &object) in small.iter().enumerate() {
        pool.reserve(&[Use::write(object)], Fence(at as u64)).unwrap();
        pool.passed(Fence(at as u64));
    }
    let large = pool.create(6 * KIB).unwrap();
    pool.pin(small[1]).unwrap();
    let before: Vec<_> = pool.blocks().collect();
    // 6 KiB would fit, but not in one piece: the pinned object lies in the way.
    let error = pool.reserve(&[Use::write(large)], Fence(9)).unwrap_err();
    let too_large = Shortage::TooLarge { needed: 6 * KIB, available: 6 * KIB, pinned: 2 * KIB };
    assert_eq!(error, too_large);
    assert_eq!(before, pool.blocks().collect::<Vec<_>>(), "nothing has changed");
    pool.unpin(small[1]).unwrap();
    pool.reserve(&[Use::write(large), Use::read(small[3])], Fence(10)).unwrap();
    assert_eq!(pool.usage().used, 8 * KIB);
    assert_eq!(pool.unpin(small[1]), Err(PoolError::NotPinned(small[1])));
    let error = pool.reserve(&[Use::write(large), Use::write(small[0]), Use::write(small[1])], Fence(11));
    assert!(matches!(error, Err(Shortage::TooLarge { needed: 10_240, available: 8192, pinned: 0 })));
}

#[test]
fn a_released_object_stays_until_its_fence_has_passed() {
    let mut pool = pool(4);
    let a = pool.create(4 * KIB).unwrap();
    pool.reserve(&[Use::write(a)], Fence(1)).unwrap();
    pool.release(a).unwrap();
    assert_eq!(pool.release(a), Err(PoolError::Unknown(a)));
    assert_eq!((pool.usage().used, pool.address(a)), (4 * KIB, None));
    let b = pool.create(4 * KIB).unwrap();
    assert!(matches!(pool.reserve(&[Use::write(b)], Fence(2)), Err(Shortage::Wait { .. })));
    pool.passed(Fence(1));
    assert_eq!(pool.usage().used, 0);
    pool.reserve(&[Use::write(b)], Fence(2)).unwrap();
    let c = pool.create(1).unwrap();
    assert_eq!(c.owner(), a.owner(), "the id is used again");
    assert_ne!(c, a);
}

#[test]
fn a_plan_that_failed_is_taken_back() {
    let mut pool = pool(4);
    let (a, b) = (pool.create(2 * KIB).unwrap(), pool.create(2 * KIB).unwrap());
    let c = pool.create(4 * KIB).unwrap();
    pool.reserve(&[Use::write(a), Use::write(b)], Fence(1)).unwrap();
    pool.passed(Fence(1));
    let before: Vec<_> = pool.blocks().collect();
    let mut plan = pool.reserve(&[Use::write(c)], Fence(2)).unwrap();
    assert!(matches!(plan.actions(), [Action::PageOut(_), Action::PageOut(_), Action::Commit(_)]));
    pool.roll_back(&mut plan, 0).unwrap();
    pool.passed(Fence(2));
    assert_eq!(before, pool.blocks().collect::<Vec<_>>());
    assert_eq!(pool.roll_back(&mut plan, 0), Err(PoolError::Outdated));
    let mut plan = pool.reserve(&[Use::write(c)], Fence(3)).unwrap();
    pool.roll_back(&mut plan, 1).unwrap();
    pool.passed(Fence(3));
    let Action::PageOut(gone) = plan.actions()[0] else { panic!("a page-out") };
    let left: Vec<_> = pool.blocks().map(|block| block.owner).collect();
    assert_eq!(left, [if gone.object == a { b } else { a }]);
    let plan = pool.reserve(&[Use::read(gone.object)], Fence(4)).unwrap();
    assert_eq!(plan.actions(), [Action::PageIn { extent: gone, source: Source::Backing }]);
}

/// Six objects in a region for three, used in a fixed order, two at a time.
fn scenario(pool: &mut Pool, objects: &[ObjectId], fail_after: Option<u32>) -> (u32, u32) {
    let (mut plans, mut refused) = (0, 0);
    pool.region.fail_after = fail_after;
    for round in 0..20 {
        let fence = Fence(round);
        let pair = [objects[round as usize % 6], objects[round as usize * 5 % 6 / 2]];
        let set = [Use::write(pair[0]), Use::read(pair[1])];
        let before: Vec<_> = pool.blocks().collect();
        match pool.reserve(&set, fence) {
            Ok(_) => plans += 1,
            Err(_) => {
                assert_eq!(before, pool.blocks().collect::<Vec<_>>(), "a refusal changes nothing");
                refused += 1;
                pool.reserve(&set, fence).expect("the next attempt finds room");
            }
        }
        assert!(pair.iter().all(|&object| pool.address(object).is_some()));
        pool.passed(fence);
    }
    (plans, refused)
}

#[test]
fn an_allocation_that_fails_at_any_point_costs_nothing_but_itself() {
    let mut failed_somewhere = false;
    for fail_after in (0..120).map(Some).chain([None]) {
        let mut pool = pool(12);
        let objects: Vec<_> = (0..6).map(|at| pool.create((3 + at % 3) * KIB).unwrap()).collect();
        let (plans, refused) = scenario(&mut pool, &objects, fail_after);
        assert_eq!(plans + refused, 20);
        failed_somewhere |= fail_after.is_some() && pool.region.fail_after.is_none();
        for object in objects {
            pool.release(object).unwrap();
        }
        let usage = pool.usage();
        assert_eq!((usage.used, usage.largest_free, usage.objects), (0, 12 * KIB, 0));
    }
    assert!(failed_somewhere);
}

#[test]
fn the_seven_steps_wait_only_for_other_engines_and_for_writers() {
    let mut pool = pool(8);
    let (a, b) = (pool.create(KIB).unwrap(), pool.create(KIB).unwrap());
    let mut first = pool.lock(&[Use::read(a), Use::write(b)], Engine(0)).unwrap();
    assert!(pool.waits(&first).unwrap().is_empty());
    pool.validate(&first).unwrap();
    let (at_a, at_b) = (pool.address(a).unwrap(), pool.address(b).unwrap());
    let new = |object, new| Patch { object, old: None, new };
    let mut patches = pool.patches(&first).unwrap();
    patches.sort_by_key(|patch| patch.object);
    assert_eq!(patches, [new(a, at_a), new(b, at_b)]);
    let part = DevicePart { flush: true, token: 7 };
    pool.fence(&mut first, Fence(1), part);
    assert_eq!(pool.reserve(&[Use::read(a)], Fence(2)).unwrap_err(), Shortage::Locked(a));
    pool.unlock(first);
    // The same engine executes in order; another one waits for the writer, not for the reader.
    let same = pool.lock(&[Use::write(a), Use::write(b)], Engine(0)).unwrap();
    assert!(pool.waits(&same).unwrap().is_empty() && pool.patches(&same).unwrap().is_empty());
    pool.unlock(same);
    let other = pool.lock(&[Use::read(a)], Engine(1)).unwrap();
    assert!(pool.waits(&other).unwrap().is_empty());
    pool.unlock(other);
    let other = pool.lock(&[Use::read(b)], Engine(1)).unwrap();
    assert_eq!(pool.waits(&other).unwrap(), [Fence(1)]);
    // The command has been executed; only once its caches are flushed has the fence passed.
    assert_eq!(pool.executed(Fence(1)), Some(part));
    assert_eq!(pool.waits(&other).unwrap(), [Fence(1)]);
    pool.passed(Fence(1));
    assert_eq!((pool.executed(Fence(1)), pool.waits(&other).unwrap()), (None, vec![]));
    // An object released while it is locked lives until it is unlocked, but no command gets it.
    pool.release(b).unwrap();
    assert_eq!(pool.validate(&other).unwrap_err(), Shortage::Object(PoolError::Unknown(b)));
    pool.unlock(other);
    assert_eq!(pool.usage().objects, 1);
}

#[test]
fn blocks_say_whose_they_are_and_what_holds_for_them() {
    let mut pool = pool(8).with_cacheable(true);
    let (a, b) = (pool.create(2 * KIB).unwrap(), pool.create(KIB).unwrap());
    pool.reserve(&[Use::write(a)], Fence(1)).unwrap();
    pool.reserve(&[Use::read(a), Use::read(b)], Fence(2)).unwrap();
    pool.pin(a).unwrap();
    pool.passed(Fence(1));
    let blocks: Vec<_> = pool.blocks().collect();
    assert_eq!((blocks[0].owner, blocks[0].sequence, blocks[0].fence), (a, 0, Some(Fence(2))));
    assert!(blocks[0].flags.has(BlockFlags::PIN | BlockFlags::CACHEABLE));
    assert!(!blocks[0].flags.has(BlockFlags::CLOBBER), "its content is nowhere else");
    assert_eq!((blocks[1].owner, blocks[1].address, blocks[1].size), (b, 2 * KIB, KIB));
    assert!(blocks[1].flags.has(BlockFlags::CLOBBER), "it has no content yet");
    let mut few = Pool::new(0..KIB, 64, Box::new(Lru::new())).unwrap().with_owners(1);
    few.create(1).unwrap();
    assert_eq!(few.create(1), Err(PoolError::OwnersExhausted { limit: 1 }));
    assert_eq!(few.create(0), Err(PoolError::ZeroSize));
    let error = PoolError::TooLarge { needed: 2 * KIB, capacity: KIB };
    assert_eq!(few.create(2 * KIB), Err(error));
}
