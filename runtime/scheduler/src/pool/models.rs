//! Models of wake-ups that only the pool's own parts show: a worker that runs out of work, ends its search, ends its watch, or
//! leaves slot 0, while work is added. Each begins where the threads are about to do that; a wake-up that is lost is a deadlock.

use std::sync::Arc;

use loom::thread;
use oxcl_driver::{Driver, Failure, Lane, Launch, NullDriver};

use super::aside::Aside;
use super::parker::Parker;
use super::wait::Search;
use super::{Core, Found, Local};
use crate::points::{Access, ResourceId, Touch};
use crate::queue::{Command, Queue, QueueProperties};
use crate::task::TaskPtr;
use crate::task::list::TaskList;

/// Work that leaves a token.
struct Telling(Arc<Parker>);

impl Launch for Telling {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        self.0.unpark();
        Ok(())
    }
}

/// One half of work that two threads execute or nobody: each half ends when the other has begun. A launch of two pieces is
/// both halves.
#[derive(Clone)]
struct Half {
    pieces: u64,
    first: u64,
    begun: [Arc<Parker>; 2],
}

impl Launch for Half {
    fn groups(&self) -> u64 {
        self.pieces
    }

    fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
        assert_eq!(count, 1);
        let own = usize::try_from(self.first + first).unwrap();
        self.begun[own].unpark();
        self.begun[1 - own].park();
        Ok(())
    }
}

/// A pool of two whose worker is a thread of the model.
fn core() -> Arc<Core> {
    let core = Arc::new(Core::new(2, true, None));
    core.begin_threads();
    core
}

/// What was enqueued and is ready.
fn take(core: &Core) -> TaskPtr {
    let mut taken = None;
    core.inject.take(1, |task| {
        taken = Some(task);
        true
    });
    taken.unwrap()
}

fn queue(core: &Arc<Core>) -> Queue {
    queue_of(core, true)
}

fn queue_of(core: &Arc<Core>, out_of_order: bool) -> Queue {
    let driver: Arc<dyn Driver> = Arc::new(NullDriver::new());
    Queue::new(core, driver, QueueProperties { out_of_order, profiling: false }).unwrap()
}

fn enqueue(queue: &Queue, told: &Arc<Parker>) {
    let work: Option<Arc<dyn Launch>> = Some(Arc::new(Telling(Arc::clone(told))));
    queue.enqueue_silently(Command { work, ..Command::default() }).unwrap();
}

/// A launch whose pieces two threads execute, or nobody.
fn enqueue_both(queue: &Queue) {
    let work = Half { pieces: 2, first: 0, begun: [parker(), parker()] };
    queue.enqueue_silently(Command { work: Some(Arc::new(work)), ..Command::default() }).unwrap();
}

fn parker() -> Arc<Parker> {
    Arc::new(Parker::new())
}

/// The only worker that searches finds a command, which may take long, while another is enqueued: who sleeps is woken
/// for that one, by the enqueuer, who sees nobody search, or by the worker.
#[test]
fn models_last_searcher_finds_work() {
    loom::model(|| {
        let core = core();
        let (host, first, second) = (parker(), parker(), parker());
        let q = queue(&core);
        enqueue(&q, &first);
        // The thread that has slot 0 sleeps, and the worker searches.
        assert!(core.take_host_slot());
        core.idle.begin_search();
        core.idle.sleep(0, &host, false);
        core.idle.begin_search();
        let theirs = Arc::clone(&core);
        let worker = thread::spawn(move || {
            let local = Local::new(1);
            let Search::Found(found) = theirs.search(&local, false, || false) else { return };
            theirs.stop_searching();
            theirs.run(&local, found, || false);
        });
        enqueue(&q, &second);
        // The worker executes no more, so somebody has to wake the sleeper.
        host.park();
        assert!(!core.idle.rise(0), "it was woken, but is still among the sleepers");
        core.drain(0);
        core.stop_searching();
        worker.join().unwrap();
        second.park();
        first.park();
    });
}

/// A worker ends its watch while a command is enqueued that is left to the watcher: it sees it, or is woken.
#[test]
fn models_end_of_a_watch() {
    loom::model(|| {
        let core = core();
        let told = parker();
        let q = queue(&core);
        let own = parker();
        core.idle.begin_search();
        assert!(core.idle.sleep(1, &own, true));
        let theirs = Arc::clone(&core);
        let worker = thread::spawn(move || {
            theirs.watch(1, &own, &Aside::default());
            theirs.idle.rise(1);
            theirs.drain(1);
            theirs.stop_searching();
        });
        enqueue(&q, &told);
        told.park();
        worker.join().unwrap();
    });
}

/// A thread of the host program leaves slot 0 with a command in its ring, while the worker falls asleep: the worker
/// sees it, or is woken.
#[test]
fn models_leftovers_of_slot_0() {
    loom::model(|| {
        let core = core();
        let told = parker();
        let q = queue(&core);
        enqueue(&q, &told);
        // The thread that has slot 0 took the command together with others.
        assert!(core.take_host_slot());
        let taken = take(&core);
        core.idle.begin_search();
        let theirs = Arc::clone(&core);
        let worker = thread::spawn(move || {
            let own = parker();
            theirs.idle.sleep(1, &own, false);
            if !theirs.has_work() {
                own.park();
            }
            theirs.idle.rise(1);
            theirs.drain(1);
            theirs.stop_searching();
        });
        core.push_own(0, TaskList::of(taken));
        core.leave_host_slot();
        told.park();
        worker.join().unwrap();
    });
}

/// Begins `model` so many times late: who searches lets others go first between two looks, so that what follows may come between
/// them, or between the last one and the sleep.
fn early_and_late(model: impl Fn(u32) + Send + Sync + Copy + 'static) {
    for late in 0..3 {
        loom::model(move || model(late));
    }
}

fn be_late(late: u32) {
    for _ in 0..late {
        thread::yield_now();
    }
}

/// A worker has run out of work, searches and falls asleep, while a thread puts a launch on the board that it does not get done
/// alone: the worker sees it, or is woken.
#[test]
fn models_launch_comes_while_a_worker_falls_asleep() {
    early_and_late(|late| {
        let core = core();
        let q = queue(&core);
        enqueue_both(&q);
        assert!(core.take_host_slot());
        let taken = take(&core);
        let theirs = Arc::clone(&core);
        let worker = thread::spawn(move || theirs.work(1));
        be_late(late);
        core.run(&Local::new(0), Found::Task(taken), || false);
        drop(q);
        core.stop_threads();
        worker.join().unwrap();
    });
}

/// The same for a row: the command that waits in it has to begin for another, which does not wait in it, to end.
#[test]
fn models_row_comes_while_a_worker_falls_asleep() {
    early_and_late(|late| {
        let core = core();
        let q = queue_of(&core, false);
        let begun = [parker(), parker()];
        let enqueue = |work: Arc<dyn Launch>, access| {
            let touches = [Touch::whole(ResourceId(7), access)];
            q.enqueue_silently(Command { work: Some(work), touches: &touches, ..Command::default() })
                .unwrap();
        };
        enqueue(Arc::new(Telling(parker())), Access::Write);
        for first in 0..2 {
            enqueue(Arc::new(Half { pieces: 1, first, begun: begun.clone() }), Access::Read);
        }
        assert!(core.take_host_slot());
        let taken = take(&core);
        let theirs = Arc::clone(&core);
        let worker = thread::spawn(move || theirs.work(1));
        be_late(late);
        core.run(&Local::new(0), Found::Task(taken), || false);
        drop(q);
        core.stop_threads();
        worker.join().unwrap();
    });
}

/// The same for a thread of the host program that waits for the launch: it searches or sleeps while a worker puts the launch on
/// the board.
#[test]
fn models_launch_comes_while_the_host_falls_asleep() {
    early_and_late(|late| {
        let core = core();
        let q = queue(&core);
        enqueue_both(&q);
        let taken = take(&core);
        let theirs = Arc::clone(&core);
        let worker = thread::spawn(move || {
            be_late(late);
            theirs.run(&Local::new(1), Found::Task(taken), || false);
        });
        q.finish().unwrap();
        worker.join().unwrap();
        assert!(q.is_idle());
    });
}

/// Work that sets a user event.
struct Opening(crate::event::UserEvent);

impl Launch for Opening {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        assert!(self.0.complete());
        Ok(())
    }
}

/// The thread that stands in for those that wait for user events, in a pool that has no other.
fn core_with_spare() -> (Arc<Core>, thread::JoinHandle<()>) {
    let core = Arc::new(Core::new(1, true, None));
    core.spare.is_in_model();
    let theirs = Arc::clone(&core);
    (core, thread::spawn(move || theirs.stand_in()))
}

/// A thread waits for user events, each of which a command sets that it has enqueued and leaves to the thread that stands in:
/// that one is called, does not go while somebody needs it, and ends when it is told to.
#[test]
fn models_spare_executes_what_opens_the_gate() {
    loom::model(|| {
        let (core, spare) = core_with_spare();
        let q = queue(&core);
        for _ in 0..2 {
            let gate = crate::event::UserEvent::new(&core).unwrap();
            let event = gate.event().clone();
            let work: Option<Arc<dyn Launch>> = Some(Arc::new(Opening(gate)));
            q.enqueue_silently(Command { work, ..Command::default() }).unwrap();
            event.wait().unwrap();
        }
        drop(q);
        assert!(core.spare.end().is_none());
        spare.join().unwrap();
    });
}

/// A thread waits for a command that a user event holds back, while another sets that and leaves the command to whoever has the
/// slot.
#[test]
fn models_spare_executes_what_the_gate_held_back() {
    loom::model(|| {
        let (core, spare) = core_with_spare();
        let q = queue(&core);
        let gate = crate::event::UserEvent::new(&core).unwrap();
        let waits = [gate.event().clone()];
        let work: Option<Arc<dyn Launch>> = Some(Arc::new(Telling(parker())));
        let event = q.enqueue(Command { work, waits: &waits, ..Command::default() }).unwrap();
        drop((q, waits));
        let setter = thread::spawn(move || assert!(gate.complete()));
        event.wait().unwrap();
        setter.join().unwrap();
        assert!(core.spare.end().is_none());
        spare.join().unwrap();
    });
}
