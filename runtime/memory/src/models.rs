//! Loom models of [`SharedPool`]: every interleaving of two commands that want each other's objects, each other's memory,
//! or wait for each other's fences. A model that blocks for ever is a failure. Run with `--cfg loom`; the command is in
//! `docs/memory.md`.

use loom::sync::Arc;
use loom::thread;

use crate::object::ObjectId;
use crate::plan::{Fence, Use};
use crate::policy::Lru;
use crate::pool::Pool;
use crate::shared::SharedPool;
use crate::submit::{DevicePart, Engine};

const SIZE: u64 = 1024;

fn shared(objects: usize, size: u64) -> (Arc<SharedPool>, Vec<ObjectId>) {
    let pool = Pool::new(0..SIZE, 64, Box::new(Lru::new())).expect("a region");
    let pool = SharedPool::new(pool);
    let objects = (0..objects).map(|_| pool.create(size).expect("an object")).collect();
    (Arc::new(pool), objects)
}

/// A command: the set is held, the command submitted, and its fence passes.
fn command(pool: &SharedPool, set: &[Use], engine: u16, fence: u64) {
    let held = pool.hold(set, Engine(engine)).expect("the set fits");
    for one in set {
        assert!(pool.with(|pool| pool.address(one.object)).is_some(), "what is held is resident");
    }
    held.submitted(Fence(fence), DevicePart::default());
    pool.passed(Fence(fence));
}

fn over(pool: &SharedPool) {
    pool.with(|pool| {
        let usage = pool.usage();
        assert_eq!((usage.busy, usage.pinned), (0, 0), "nothing is left in use");
    });
}

#[test]
fn two_commands_want_each_others_objects() {
    loom::model(|| {
        let (pool, objects) = shared(2, 256);
        let (a, b) = (objects[0], objects[1]);
        let other = Arc::clone(&pool);
        let thread = thread::spawn(move || command(&other, &[Use::write(b), Use::write(a)], 0, 1));
        command(&pool, &[Use::write(a), Use::write(b)], 0, 2);
        thread.join().expect("no panic");
        over(&pool);
    });
}

#[test]
fn two_commands_want_each_others_memory() {
    loom::model(|| {
        let (pool, objects) = shared(2, SIZE / 8 * 5);
        let (a, b) = (objects[0], objects[1]);
        let other = Arc::clone(&pool);
        let thread = thread::spawn(move || command(&other, &[Use::write(b)], 0, 1));
        command(&pool, &[Use::write(a)], 0, 2);
        thread.join().expect("no panic");
        over(&pool);
    });
}

#[test]
fn commands_of_two_engines_wait_for_each_others_fences() {
    loom::model(|| {
        let (pool, objects) = shared(1, 256);
        let a = objects[0];
        let other = Arc::clone(&pool);
        let thread = thread::spawn(move || command(&other, &[Use::write(a)], 1, 1));
        command(&pool, &[Use::read(a)], 2, 2);
        thread.join().expect("no panic");
        over(&pool);
    });
}

#[test]
fn a_dropped_reservation_lets_the_next_one_in() {
    loom::model(|| {
        let (pool, objects) = shared(1, SIZE);
        let a = objects[0];
        let other = Arc::clone(&pool);
        let thread = thread::spawn(move || drop(other.hold(&[Use::write(a)], Engine(0)).expect("it fits")));
        command(&pool, &[Use::write(a)], 0, 1);
        thread.join().expect("no panic");
        over(&pool);
    });
}
