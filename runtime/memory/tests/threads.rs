//! A shared pool under several threads whose commands want each other's objects and more memory than there is.

use oxcl_memory::policy::Lru;
use oxcl_memory::{DevicePart, Engine, Fence, ObjectId, Pool, SharedPool, Shortage, Use};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers that look random, from a seed.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn no_thread_waits_for_ever_and_nobody_shares_what_is_held() {
    let pool = Pool::new(0..1 << 16, 256, Box::new(Lru::new())).unwrap().with_granule(1024);
    let pool = Arc::new(SharedPool::new(pool));
    // Twelve objects of 5 to 16 KiB in 64 KiB; a command takes up to three of them.
    let objects: Vec<ObjectId> = (0..12).map(|at| pool.create((5 + at) << 10).unwrap()).collect();
    let holders: Arc<Vec<AtomicU64>> = Arc::new(objects.iter().map(|_| AtomicU64::new(0)).collect());
    let fences = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (0..4u64)
        .map(|thread| {
            let (pool, objects) = (Arc::clone(&pool), objects.clone());
            let (holders, fences) = (Arc::clone(&holders), Arc::clone(&fences));
            std::thread::spawn(move || {
                let mut state = thread + 1;
                let mut open: Vec<Fence> = Vec::new();
                for _ in 0..2000 {
                    let mut chosen: Vec<usize> = (0..3).map(|_| (next(&mut state) % 12) as usize).collect();
                    let set: Vec<Use> = chosen.iter().map(|&at| Use::write(objects[at])).collect();
                    chosen.sort_unstable();
                    chosen.dedup();
                    // Whoever waits for memory must not sit on fences that only it passes.
                    open.drain(..).for_each(|fence| pool.passed(fence));
                    let held = pool.hold(&set, Engine(thread as u16)).unwrap();
                    for &at in &chosen {
                        assert_eq!(holders[at].swap(thread + 1, Ordering::Relaxed), 0, "held by one");
                    }
                    for patch in held.patches().unwrap() {
                        assert!(objects.contains(&patch.object));
                    }
                    for &at in &chosen {
                        holders[at].store(0, Ordering::Relaxed);
                    }
                    if next(&mut state).is_multiple_of(8) {
                        continue;
                    }
                    let fence = Fence(fences.fetch_add(1, Ordering::Relaxed));
                    held.submitted(fence, DevicePart::default());
                    open.push(fence);
                }
                open.drain(..).for_each(|fence| pool.passed(fence));
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let all: Vec<Use> = objects.iter().map(|&object| Use::read(object)).collect();
    let error = pool.hold(&all, Engine(0)).unwrap_err();
    assert!(matches!(error, Shortage::TooLarge { needed, available: 65_536, pinned: 0 } if needed > 65_536));
    for object in objects {
        pool.release(object).unwrap();
    }
    let usage = pool.with(|pool| pool.usage());
    assert_eq!((usage.used, usage.busy, usage.objects), (0, 0, 0));
}
