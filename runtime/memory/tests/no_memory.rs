//! A host without memory: every allocation that a pool makes is refused in turn, by an allocator of this program's own. A
//! refusal is an error that says so and changes nothing; an allocation that cannot be refused would end the process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

use oxcl_memory::policy::{Adaptive, Lru, Mru, ReclaimPolicy, SegmentedLru};
use oxcl_memory::residency::{Contents, End, Place};
use oxcl_memory::{
    Access, Block, Capabilities, DevicePart, Engine, Fence, Heap, HeapError, NoMemory, ObjectId, Pool,
    PoolError, SharedPool, Shortage, Use,
};

thread_local! {
    /// Allocations of this thread until one is refused; negative: none is.
    static LEFT: Cell<i64> = const { Cell::new(-1) };
}

/// The system's allocator, which refuses what the thread has asked it to.
struct Refusing;

impl Refusing {
    fn refuses() -> bool {
        LEFT.try_with(|left| {
            let now = left.get();
            left.set(now - i64::from(now >= 0));
            now == 0
        })
        .unwrap_or(false)
    }
}

// SAFETY: everything is the system allocator's; a null pointer says that there is no memory.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::refuses() {
            return null_mut();
        }
        // SAFETY: by the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: by the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if Self::refuses() {
            return null_mut();
        }
        // SAFETY: by the caller's promise.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Calls `call` with the allocation after `allocations` others refused; whether one was.
fn refused<R>(allocations: i64, call: impl FnOnce() -> R) -> (R, bool) {
    LEFT.set(allocations);
    let result = call();
    (result, LEFT.replace(-1) < 0)
}

/// Calls `call` with nothing refused meanwhile.
fn aside<R>(call: impl FnOnce() -> R) -> R {
    let left = LEFT.replace(-1);
    let result = call();
    LEFT.set(left);
    result
}

/// Does something again and again with the first, second, ... allocation refused, until none is left to be refused. `call`
/// says `None` when it was refused, and has changed nothing then. How often it was refused.
fn at_every_allocation<R>(what: &str, mut call: impl FnMut() -> Option<R>) -> (R, i64) {
    for allocations in 0..10_000 {
        let (result, was) = refused(allocations, &mut call);
        match result {
            // What was refused may have been there for speed only.
            Some(result) => return (result, allocations),
            None => assert!(was, "{what}: it says that memory was refused, and none was"),
        }
    }
    panic!("{what}: there is no end of allocations");
}

const KIB: u64 = 1024;

fn no_memory(error: &Shortage) -> bool {
    matches!(error, Shortage::Object(PoolError::HostMemory(NoMemory)))
}

fn state(pool: &Pool, objects: &[ObjectId]) -> (Vec<Block>, Vec<String>) {
    let known = |&object: &ObjectId| format!("{:?} {:?}", pool.locate(object), pool.was_lost(object));
    (pool.blocks().collect(), objects.iter().map(known).collect())
}

/// Programs of a pool for a third of its objects: every set of up to three, plans that fail half-way, steps and locks.
fn program(policy: Box<dyn ReclaimPolicy>, granule: u64) -> i64 {
    let mut refusals = 0;
    let mut pool = Pool::new(0..16 * KIB, 64, policy).unwrap().with_granule(granule);
    let mut objects: Vec<ObjectId> = Vec::new();
    for at in 0..80 {
        let (object, times) = at_every_allocation("create", || match pool.create((1 + at % 5) * KIB) {
            Err(PoolError::HostMemory(_)) => None,
            other => Some(other.unwrap()),
        });
        refusals += times;
        objects.push(object);
        if at >= 12 {
            pool.release(objects.swap_remove(at as usize * 7 % 12)).unwrap();
        }
    }
    let mut number = 1_u64;
    for round in 0..400_u64 {
        let mut next = |below: u64| {
            number ^= number << 13;
            number ^= number >> 7;
            number ^= number << 17;
            number % below
        };
        let mut set: Vec<Use> = Vec::new();
        for _ in 0..=next(3) {
            let access = [Access::Read, Access::Write, Access::Discard, Access::Peek][next(4) as usize];
            set.push(Use { object: objects[next(12) as usize], access });
        }
        let (fence, steps, fails) = (Fence(round), next(2) == 0, next(4) == 0);
        let before = state(&pool, &objects);
        let (plan, times) = at_every_allocation("reserve", || {
            let result = if steps {
                pool.lock(&set, Engine(0)).and_then(|mut reservation| {
                    let plan = pool.validate(&reservation);
                    if plan.is_ok() {
                        pool.fence(&mut reservation, fence, DevicePart::default());
                    }
                    pool.unlock(reservation);
                    plan
                })
            } else {
                pool.reserve(&set, fence)
            };
            match result {
                Err(error) if no_memory(&error) => {
                    let now = aside(|| state(&pool, &objects));
                    assert_eq!(now, before, "a refusal changes nothing");
                    assert!(!pool.is_pending(fence));
                    None
                }
                other => Some(other),
            }
        });
        refusals += times;
        let mut plan = plan.unwrap();
        if fails && !plan.actions().is_empty() {
            // Taking back is never refused.
            let executed = round as usize % (plan.actions().len() + 1);
            let (result, was) = refused(0, || pool.roll_back(&mut plan, executed));
            assert_eq!((result, was), (Ok(()), false), "taking back needs no memory");
        } else {
            for one in &set {
                let (parts, times) = at_every_allocation("locate", || pool.locate(one.object).ok());
                refusals += times;
                assert!(!parts.is_empty());
            }
        }
        let (_, was) = refused(0, || pool.passed(fence));
        assert!(!was, "an end needs no memory");
    }
    let (_, was) = refused(0, || objects.drain(..).for_each(|object| pool.release(object).unwrap()));
    assert!(!was, "giving up needs no memory");
    let usage = pool.usage();
    assert_eq!((usage.used, usage.largest_free, usage.objects), (0, 16 * KIB, 0));
    refusals
}

#[test]
fn a_pool_survives_a_refusal_at_every_allocation() {
    for granule in [KIB, u64::MAX] {
        let policies: [Box<dyn ReclaimPolicy>; 4] = [
            Box::new(Lru::new()),
            Box::new(Mru::new()),
            Box::new(SegmentedLru::new(8 * KIB)),
            Box::new(Adaptive::new(16 * KIB)),
        ];
        for policy in policies {
            let refusals = program(policy, granule);
            assert!(refusals > 1000, "only {refusals} allocations were refused");
        }
    }
}

#[test]
fn pools_are_made_shared_and_heaped_without_memory() {
    let make = || Pool::new(0..16 * KIB, 64, Box::new(Lru::new()));
    // The policy's box is its maker's own.
    let policy = || -> Box<dyn ReclaimPolicy> { Box::new(Lru::new()) };
    for allocations in 0..2 {
        let policy = policy();
        let (pool, was) = refused(allocations, || Pool::new(0..16 * KIB, 64, policy));
        assert!(was && pool.is_err(), "{pool:?}");
    }
    let mut heap = Heap::new();
    let mut pool = Some(make().unwrap());
    let (result, was) = refused(0, || heap.add(Capabilities::GLOBAL, pool.take().unwrap()));
    assert!(was && matches!(result, Err(HeapError::Pool(PoolError::HostMemory(_)))));
    heap.add(Capabilities::GLOBAL, make().unwrap()).unwrap();
    let (object, times) =
        at_every_allocation("heap", || match heap.create(KIB, Capabilities::GLOBAL, Capabilities::NONE) {
            Err(HeapError::Pool(PoolError::HostMemory(_))) => None,
            other => Some(other.unwrap()),
        });
    assert!(times > 0);
    heap.release(object).unwrap();
    let shared = SharedPool::new(make().unwrap());
    let objects = [(); 3].map(|()| shared.create(8 * KIB).unwrap());
    for round in 0..30 {
        let set = [Use::write(objects[round % 3]), Use::read(objects[(round + 1) % 3])];
        let (held, _) = at_every_allocation("hold", || match shared.hold(&set, Engine(0)) {
            Err(error) if no_memory(&error) => None,
            other => Some(other.unwrap()),
        });
        let (patches, _) = at_every_allocation("patches", || held.patches().ok());
        assert!(patches.len() <= 2);
        held.submitted(Fence(round as u64), DevicePart::default());
        shared.passed(Fence(round as u64));
    }
}

#[test]
fn what_is_known_of_contents_survives_a_refusal_at_every_allocation() {
    let mut contents: Contents<u64> = Contents::new(64, Some(Place::HOST)).unwrap();
    let mut refusals = 0;
    let mut number = 1_u64;
    for event in 0..300_u64 {
        let mut next = |below: u64| {
            number ^= number << 13;
            number ^= number >> 7;
            number ^= number << 17;
            number % below
        };
        let start = next(63);
        let bytes = start..start + 1 + next(64 - start);
        let (place, kind) = (Place(next(4) as u32), next(4));
        let access = [Access::Read, Access::Write, Access::Discard][next(3) as usize];
        let (_, times) = at_every_allocation("contents", || {
            let before = aside(|| known(&contents));
            let result = (|| {
                for missing in contents.missing(&bytes, place)? {
                    assert!(!missing.at.is_empty());
                }
                contents.move_waits(&bytes, Place::HOST, place)?;
                contents.command_waits(&bytes, place, access)?;
                // Once there is room, nothing more is needed.
                contents.prepare(&bytes, &[Place::HOST, place], 1)?;
                let left = LEFT.replace(0);
                let result = match kind {
                    0 => contents.record_foreign_read(&bytes, place, &event),
                    1 if place != Place::HOST => contents.record_move(&bytes, Place::HOST, place, &event),
                    _ => contents.record(&bytes, place, access, Some(&event)),
                };
                assert_eq!(LEFT.replace(left), 0, "recording needed memory");
                result
            })();
            if result.is_err() {
                assert_eq!(aside(|| known(&contents)), before);
            }
            result.ok()
        });
        refusals += times;
        if event % 8 == 0 {
            let done = |at: &u64| if *at < event { End::Done } else { End::Pending };
            let (_, was) = refused(0, || contents.settle(&(0..64), done));
            assert!(!was, "looking at ends needs no memory");
        }
    }
    assert!(refusals > 300, "{refusals}");
}

/// For each byte and place whether the latest content is there.
fn known(contents: &Contents<u64>) -> Vec<bool> {
    let of = |byte| (0..4).map(move |place| contents.has_latest(&(byte..byte + 1), Place(place)));
    (0..64).flat_map(of).collect()
}
