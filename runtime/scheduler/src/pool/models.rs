//! Models of wake-ups that only the pool's own parts show: a worker that ends its search, ends its watch, or leaves slot 0,
//! while work is added. Each begins where the threads are about to do that; a wake-up that is lost is a deadlock.

use std::sync::Arc;

use loom::thread;
use oxcl_driver::{Driver, Failure, Lane, Launch, NullDriver};

use super::aside::Aside;
use super::parker::Parker;
use super::wait::Search;
use super::{Core, Local};
use crate::queue::{Command, Queue, QueueProperties};
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

/// A pool of two whose worker is a thread of the model.
fn core() -> Arc<Core> {
    let core = Arc::new(Core::new(2, true, None));
    core.begin_threads();
    core
}

fn queue(core: &Arc<Core>) -> Queue {
    let driver: Arc<dyn Driver> = Arc::new(NullDriver::new());
    Queue::new(core, driver, QueueProperties { out_of_order: true, profiling: false }).unwrap()
}

fn enqueue(queue: &Queue, told: &Arc<Parker>) {
    let work: Option<Arc<dyn Launch>> = Some(Arc::new(Telling(Arc::clone(told))));
    queue.enqueue_silently(Command { work, ..Command::default() }).unwrap();
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
            let Search::Found(found) = theirs.search(&local, || false) else { return };
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
        let mut taken = None;
        core.inject.take(1, |task| {
            taken = Some(task);
            true
        });
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
        core.push_own(0, TaskList::of(taken.unwrap()));
        core.leave_host_slot();
        told.park();
        worker.join().unwrap();
    });
}
