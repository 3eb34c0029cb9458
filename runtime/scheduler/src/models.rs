//! Models of what threads do to each other, checked by loom over all interleavings (up to its limit of preemptions):
//! `RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=2 cargo test -p oxcl-scheduler --release --lib models`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32 as Plain, Ordering::Relaxed};

use loom::thread;
use oxcl_driver::capability::Execution;
use oxcl_driver::command::SubmitResult;
use oxcl_driver::{Capabilities, Driver, EventId, Failure, Lane, Launch, NullDriver, Submission};

use crate::event::{Stage, UserEvent};
use crate::own_device::{Executes, OwnDevice};
use crate::points::{Access, ResourceId, Touch};
use crate::pool::Core;
use crate::pool::board::{Board, Deal, OWN};
use crate::pool::idle::Idle;
use crate::pool::inject::Inject;
use crate::pool::parker::Parker;
use crate::pool::ring::Ring;
use crate::queue::{Command, Queue, QueueProperties};
use crate::shim::{AtomicU32, Ordering};
use crate::task::list::TaskList;
use crate::task::notice::{NoticeList, Registered};
use crate::task::{Fresh, Role, TaskRef};

/// Work that counts its runs, on a counter that loom does not watch.
struct Counting(Arc<Plain>, u64);

impl Launch for Counting {
    fn groups(&self) -> u64 {
        self.1
    }

    fn run(&self, _first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
        self.0.fetch_add(u32::try_from(count).unwrap(), Relaxed);
        Ok(())
    }
}

fn core(workers: usize) -> Arc<Core> {
    Arc::new(Core::new(workers, true, None))
}

/// A pool of two, the second of which works on a thread.
fn core_with_worker() -> (Arc<Core>, thread::JoinHandle<()>) {
    let core = core(2);
    core.begin_threads();
    let theirs = Arc::clone(&core);
    (core, thread::spawn(move || theirs.work(1)))
}

fn queue(core: &Arc<Core>, out_of_order: bool) -> Queue {
    let driver: Arc<dyn Driver> = Arc::new(NullDriver::new());
    Queue::new(core, driver, QueueProperties { out_of_order, profiling: false }).unwrap()
}

fn task(id: u64) -> TaskRef {
    Fresh::new(Role::OutOfOrder, EventId(id)).unwrap().share(1)
}

/// Adds a task to a ring. Whether there was room.
fn push(ring: &Ring, task: &TaskRef) -> bool {
    let mut list = TaskList::of(task.ptr());
    ring.push_list(&mut list);
    list.is_empty()
}

/// Every task is taken once, by the owner or by a thief, also when the ring wraps around.
#[test]
fn models_ring_steal_and_pop() {
    loom::model(|| {
        let tasks: Arc<Vec<TaskRef>> = Arc::new((0..3).map(task).collect());
        let ring = Arc::new(Ring::new());
        assert!(push(&ring, &tasks[0]));
        assert!(push(&ring, &tasks[1]));
        let theirs = Arc::clone(&ring);
        let thief = thread::spawn(move || {
            let mine = Ring::new();
            let first = theirs.steal(&mine, 2).map(|t| t.as_ptr() as usize);
            [first, mine.pop().map(|t| t.as_ptr() as usize)]
        });
        let mut seen = vec![ring.pop().map(|t| t.as_ptr() as usize)];
        assert!(push(&ring, &tasks[2]));
        seen.push(ring.pop().map(|t| t.as_ptr() as usize));
        seen.extend(thief.join().unwrap());
        seen.push(ring.pop().map(|t| t.as_ptr() as usize));
        seen.push(ring.pop().map(|t| t.as_ptr() as usize));
        let mut seen: Vec<_> = seen.into_iter().flatten().collect();
        seen.sort_unstable();
        let mut expected: Vec<_> = tasks.iter().map(|t| t.ptr().as_ptr() as usize).collect();
        expected.sort_unstable();
        assert_eq!(seen, expected);
    });
}

/// A full ring refuses, and what is taken meanwhile is taken once.
#[test]
fn models_ring_full() {
    loom::model(|| {
        let tasks: Arc<Vec<TaskRef>> = Arc::new((0..5).map(task).collect());
        let ring = Arc::new(Ring::new());
        for t in &tasks[..4] {
            assert!(push(&ring, t));
        }
        let theirs = Arc::clone(&ring);
        let thief = thread::spawn(move || theirs.pop().is_some());
        let pushed = push(&ring, &tasks[4]);
        assert!(thief.join().unwrap());
        let left = std::iter::from_fn(|| ring.pop()).count();
        assert_eq!(left, if pushed { 4 } else { 3 });
    });
}

/// A list that is added is seen as a whole: a thief takes its half of it, or finds nothing yet.
#[test]
fn models_ring_list() {
    loom::model(|| {
        let tasks: Arc<Vec<TaskRef>> = Arc::new((0..4).map(task).collect());
        let ring = Arc::new(Ring::new());
        let theirs = Arc::clone(&ring);
        let thief = thread::spawn(move || {
            let mine = Ring::new();
            let first = theirs.steal(&mine, 2);
            first.map_or(0, |_| 1 + mine.len())
        });
        let mut list = TaskList::default();
        tasks.iter().for_each(|t| list.push(t.ptr()));
        ring.push_list(&mut list);
        assert!(list.is_empty());
        let stolen = thief.join().unwrap();
        assert!(stolen == 0 || stolen == 2);
        let left = std::iter::from_fn(|| ring.pop()).count();
        assert_eq!(u64::try_from(left).unwrap() + stolen, 4);
    });
}

/// A token that comes before, while or after the thread falls asleep wakes it.
#[test]
fn models_parker() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let theirs = Arc::clone(&parker);
        let waker = thread::spawn(move || theirs.unpark());
        parker.park();
        waker.join().unwrap();
    });
}

/// Work that is added while a worker falls asleep is found: by the worker, or because it is woken.
#[test]
fn models_no_wake_up_is_lost() {
    loom::model(|| {
        let idle = Arc::new(Idle::new(2));
        let inject = Arc::new(Inject::new());
        let work = task(1);
        let at = work.ptr();
        let (their_idle, their_inject) = (Arc::clone(&idle), Arc::clone(&inject));
        let worker = thread::spawn(move || {
            let parker = Arc::new(Parker::new());
            their_idle.begin_search();
            loop {
                let mut found = false;
                their_inject.take(1, |_| {
                    found = true;
                    true
                });
                if found {
                    their_idle.end_search();
                    return;
                }
                their_idle.sleep(1, &parker, false);
                if their_inject.len() == 0 {
                    parker.park();
                }
                their_idle.rise(1);
            }
        });
        let mut list = TaskList::default();
        list.push(at);
        inject.push(list);
        let seen = idle.after_push();
        if seen.sleeping() && seen.searching() == 0 {
            idle.wake_one();
        }
        worker.join().unwrap();
        drop(work);
    });
}

/// Work that tells who waits for it.
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

/// What was flushed is taken although no thread of the host program helps, wherever the worker is on its way to sleep.
#[test]
fn models_flushed_command_is_taken() {
    loom::model(|| {
        let (core, worker) = core_with_worker();
        let q = queue(&core, true);
        let ended = Arc::new(Parker::new());
        // A searching worker lets others go first between two looks: once both have, what follows may come between the
        // worker's last look and its sleep.
        thread::yield_now();
        let work: Option<Arc<dyn Launch>> = Some(Arc::new(Telling(Arc::clone(&ended))));
        q.enqueue_silently(Command { work, ..Command::default() }).unwrap();
        q.flush().unwrap();
        ended.park();
        drop(q);
        core.stop_threads();
        worker.join().unwrap();
    });
}

/// What becomes ready while the only thread that executes falls asleep is executed: the thread sees it, or is woken.
#[test]
fn models_gate_opens_while_the_host_falls_asleep() {
    loom::model(|| {
        let core = core(1);
        let ran = Arc::new(Plain::new(0));
        let gate = UserEvent::new(&core).unwrap();
        let waits = [gate.event().clone()];
        let q = queue(&core, true);
        let work: Option<Arc<dyn Launch>> = Some(Arc::new(Counting(Arc::clone(&ran), 1)));
        let event = q.enqueue(Command { work, waits: &waits, ..Command::default() }).unwrap();
        let opener = thread::spawn(move || {
            // As above: the host is on its way to sleep.
            thread::yield_now();
            gate.complete()
        });
        event.wait().unwrap();
        assert!(opener.join().unwrap());
        assert_eq!(ran.load(Relaxed), 1);
    });
}

/// Two threads of the host program, each with a command, and one slot: who leaves it does not leave the other one asleep.
#[test]
fn models_two_hosts_and_one_slot() {
    loom::model(|| {
        let core = core(1);
        let ran = Arc::new(Plain::new(0));
        let host = |core: &Arc<Core>, ran: &Arc<Plain>| {
            let q = queue(core, true);
            let work: Option<Arc<dyn Launch>> = Some(Arc::new(Counting(Arc::clone(ran), 1)));
            q.enqueue(Command { work, ..Command::default() }).unwrap().wait().unwrap();
        };
        let (theirs, their_ran) = (Arc::clone(&core), Arc::clone(&ran));
        let other = thread::spawn(move || host(&theirs, &their_ran));
        host(&core, &ran);
        other.join().unwrap();
        assert_eq!(ran.load(Relaxed), 2);
    });
}

/// A callback that is added while the event completes is called once: by the list's closer or by the adder.
#[test]
fn models_complete_and_add_callback() {
    loom::model(|| {
        let called = Arc::new(Plain::new(0));
        let core = core(1);
        let gate = Arc::new(UserEvent::new(&core).unwrap());
        let (theirs, their_called) = (Arc::clone(&gate), Arc::clone(&called));
        let adder = thread::spawn(move || {
            theirs
                .event()
                .on_complete(move |_, _| {
                    their_called.fetch_add(1, Relaxed);
                })
                .unwrap();
        });
        gate.complete();
        adder.join().unwrap();
        assert_eq!(called.load(Relaxed), 1);
    });
}

/// Of two threads that add and close, every entry is delivered or refused.
#[test]
fn models_notice_list() {
    loom::model(|| {
        let list = Arc::new(NoticeList::new());
        let theirs = Arc::clone(&list);
        let adder = thread::spawn(move || {
            let parker = Arc::new(Parker::new());
            let mut added = 0;
            for parker in [Arc::clone(&parker), parker] {
                added += u32::from(theirs.push_thread(parker) == Registered::Yes);
            }
            added
        });
        let delivered = list.close().count();
        let added = adder.join().unwrap();
        assert!(delivered <= usize::try_from(added).unwrap() || added == 0);
        assert_eq!(list.push_thread(Arc::new(Parker::new())), Registered::Closed);
        assert_eq!(u32::try_from(delivered).unwrap(), added);
    });
}

/// A command is enqueued behind a user event while another thread sets it: it is executed once, whoever does it.
#[test]
fn models_user_event_and_enqueue() {
    loom::model(|| {
        let ran = Arc::new(Plain::new(0));
        let core = core(1);
        let gate = Arc::new(UserEvent::new(&core).unwrap());
        let theirs = Arc::clone(&gate);
        let setter = thread::spawn(move || {
            theirs.complete();
        });
        let q = queue(&core, true);
        let waits = [gate.event().clone()];
        let work: Option<Arc<dyn Launch>> = Some(Arc::new(Counting(Arc::clone(&ran), 1)));
        let event = q.enqueue(Command { work, waits: &waits, ..Command::default() }).unwrap();
        drop(q);
        event.wait().unwrap();
        assert_eq!(ran.load(Relaxed), 1);
        setter.join().unwrap();
    });
}

/// A user event's handles go while it is set: the record is freed once, and what waits has ended.
#[test]
fn models_user_event_and_release() {
    loom::model(|| {
        let core = core(1);
        let q = queue(&core, false);
        let gate = UserEvent::new(&core).unwrap();
        let handle = gate.event().clone();
        let marker = q.enqueue(Command { waits: &[gate.event().clone()], ..Command::default() }).unwrap();
        let setter = thread::spawn(move || {
            gate.complete();
            drop(gate);
        });
        drop(handle);
        drop(q);
        marker.wait().unwrap();
        setter.join().unwrap();
    });
}

/// Two commands of an in-order queue complete in order whichever is executed first.
#[test]
fn models_retiring_in_order() {
    loom::model(|| {
        let core = core(1);
        let q = queue(&core, false);
        let gates = [UserEvent::new(&core).unwrap(), UserEvent::new(&core).unwrap()];
        let markers = gates
            .each_ref()
            .map(|gate| q.enqueue(Command { waits: &[gate.event().clone()], ..Command::default() }).unwrap());
        let called = Arc::new(AtomicU32::new(0));
        let their_called = Arc::clone(&called);
        let earlier = markers[0].clone();
        markers[1]
            .on_complete(move |_, _| {
                assert!(earlier.is_complete());
                their_called.fetch_add(1, Ordering::AcqRel);
            })
            .unwrap();
        let [first, second] = gates;
        let other = thread::spawn(move || {
            second.complete();
        });
        first.complete();
        other.join().unwrap();
        let _ = markers[1].wait();
        assert_eq!(called.load(Ordering::Acquire), 1);
    });
}

/// A callback for a stage before the end is registered while a command without work ends: it is called, once.
#[test]
fn models_stage_callback_and_end() {
    loom::model(|| {
        let core = core(1);
        let q = queue(&core, false);
        let gate = UserEvent::new(&core).unwrap();
        let marker = q.enqueue(Command { waits: &[gate.event().clone()], ..Command::default() }).unwrap();
        let called = Arc::new(AtomicU32::new(0));
        let (theirs, their_called) = (marker.clone(), Arc::clone(&called));
        let setter = thread::spawn(move || {
            theirs
                .on_stage(Stage::Running, move |_, _| {
                    their_called.fetch_add(1, Ordering::AcqRel);
                })
                .unwrap();
        });
        gate.complete();
        setter.join().unwrap();
        marker.wait().unwrap();
        assert_eq!(called.load(Ordering::Acquire), 1);
    });
}

/// A worker ends while a command is pending: it is executed once, by the worker or by whoever comes after it.
#[test]
fn models_shutdown_with_pending_commands() {
    loom::model(|| {
        let ran = Arc::new(Plain::new(0));
        let (core, worker) = core_with_worker();
        let q = queue(&core, false);
        let work: Option<Arc<dyn Launch>> = Some(Arc::new(Counting(Arc::clone(&ran), 1)));
        let event = q.enqueue(Command { work, ..Command::default() }).unwrap();
        drop(q);
        core.stop_threads();
        worker.join().unwrap();
        core.help_out();
        assert!(event.is_complete());
        assert_eq!(ran.load(Relaxed), 1);
    });
}

/// Work that comes after other work of the model, which is number 0, and counts itself.
struct InTurn {
    number: u32,
    first: Arc<Plain>,
    ran: Arc<Plain>,
}

impl Launch for InTurn {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        if self.number == 0 {
            self.first.store(1, Relaxed);
        }
        assert_eq!(self.first.load(Relaxed), 1, "it runs before what it waits for");
        self.ran.fetch_add(1, Relaxed);
        Ok(())
    }
}

/// A command behind a gate, and two that wait for it, the second in a group. The pool has two slots and no threads.
struct Grouped {
    core: Arc<Core>,
    queue: Queue,
    gate: UserEvent,
    first: Arc<Plain>,
    ran: Arc<Plain>,
}

impl Grouped {
    fn new() -> Grouped {
        let core = core(2);
        let queue = queue(&core, false);
        let gate = UserEvent::new(&core).unwrap();
        let counter = || Arc::new(Plain::new(0));
        Grouped { core, queue, gate, first: counter(), ran: counter() }
    }

    fn enqueue(&self, number: u32, access: Access, waits: &[crate::event::Event]) {
        let work = InTurn { number, first: Arc::clone(&self.first), ran: Arc::clone(&self.ran) };
        let touches = [Touch::whole(ResourceId(7), access)];
        let work: Option<Arc<dyn Launch>> = Some(Arc::new(work));
        self.queue
            .enqueue_silently(Command { work, touches: &touches, waits, ..Command::default() })
            .unwrap();
    }

    fn enqueue_first(&self) {
        self.enqueue(0, Access::Write, &[self.gate.event().clone()]);
    }

    fn enqueue_others(&self) {
        self.enqueue(1, Access::Read, &[]);
        self.enqueue(2, Access::Read, &[]);
    }

    fn check(&self) {
        self.core.help_out();
        assert_eq!(self.ran.load(Relaxed), 3);
        assert!(self.queue.is_idle());
    }
}

/// Commands enter a group for one that ends meanwhile: each is executed once, after it.
#[test]
fn models_groups_that_fill_while_they_are_told() {
    loom::model(|| {
        let grouped = Arc::new(Grouped::new());
        grouped.enqueue_first();
        let theirs = Arc::clone(&grouped);
        // Executes what it sets free.
        let opener = thread::spawn(move || theirs.gate.complete());
        grouped.enqueue_others();
        assert!(opener.join().unwrap());
        grouped.check();
    });
}

/// Two threads execute: one tells a group while the other executes, or tells another.
#[test]
fn models_groups_that_two_threads_tell() {
    loom::model(|| {
        let grouped = Arc::new(Grouped::new());
        grouped.enqueue_first();
        grouped.enqueue_others();
        let theirs = Arc::clone(&grouped);
        let other = thread::spawn(move || theirs.core.drain(1));
        assert!(grouped.gate.complete());
        other.join().unwrap();
        grouped.check();
    });
}

/// A host thread waits while a worker takes the command, or does not.
#[test]
fn models_host_waits_beside_a_worker() {
    loom::model(|| {
        let ran = Arc::new(Plain::new(0));
        let (core, worker) = core_with_worker();
        let q = queue(&core, false);
        let work: Option<Arc<dyn Launch>> = Some(Arc::new(Counting(Arc::clone(&ran), 2)));
        q.enqueue_silently(Command { work, ..Command::default() }).unwrap();
        q.finish().unwrap();
        assert_eq!(ran.load(Relaxed), 2);
        drop(q);
        core.stop_threads();
        worker.join().unwrap();
    });
}

/// Keeps what it is given; the model's threads say when it ends.
#[derive(Debug, Default)]
struct Keeping(std::sync::Mutex<Vec<Arc<dyn Submission>>>);

impl Executes for Keeping {
    fn submit(&self, submission: Arc<dyn Submission>) -> SubmitResult {
        self.0.lock().unwrap().push(submission);
        Ok(())
    }
}

/// A device ends a command while the host takes away what held it back: it completes once, after that, and what waits
/// for it goes on.
fn device_ends_beside_the_host(failing: bool) {
    let core = core(1);
    let keeping = Arc::new(OwnDevice::new(Execution::DeviceOrdered, Keeping::default()));
    let driver = Arc::clone(&keeping) as Arc<dyn Driver>;
    let q = Queue::new(&core, driver, QueueProperties { out_of_order: true, profiling: false }).unwrap();
    let gate = UserEvent::new(&core).unwrap();
    let work: Option<Arc<dyn Launch>> = Some(Arc::new(Counting(Arc::new(Plain::new(0)), 1)));
    let waits = [gate.event().clone()];
    let event = q.enqueue(Command { work, waits: &waits, ..Command::default() }).unwrap();
    let after = q.enqueue(Command { waits: &[event.clone()], ..Command::default() }).unwrap();
    drop((q, waits));
    let (opened, calls) = (Arc::new(Plain::new(0)), Arc::new(Plain::new(0)));
    let (their_opened, their_calls) = (Arc::clone(&opened), Arc::clone(&calls));
    after
        .on_complete(move |_, _| {
            assert_eq!(their_opened.load(Relaxed), 1, "it is complete before what it waits for");
            their_calls.fetch_add(1, Relaxed);
        })
        .unwrap();
    let submission = keeping.own.0.lock().unwrap().pop().unwrap();
    let device = thread::spawn(move || {
        submission.ended(if failing { Err(Arc::new(Failure::Abandoned)) } else { Ok(()) });
    });
    opened.store(1, Relaxed);
    gate.complete();
    device.join().unwrap();
    assert_eq!(calls.load(Relaxed), 1);
    assert_eq!(event.wait().is_err(), failing);
    assert_eq!(after.wait().is_err(), failing);
}

#[test]
fn models_device_ends_a_command_that_is_held_back() {
    loom::model(|| device_ends_beside_the_host(false));
}

#[test]
fn models_device_gives_up_a_command_that_is_held_back() {
    loom::model(|| device_ends_beside_the_host(true));
}

/// A worker sets a command free that only callers execute, while the host thread begins to wait for it.
#[test]
fn models_worker_sets_free_what_the_host_executes() {
    loom::model(|| {
        let ran = Arc::new(Plain::new(0));
        let (core, worker) = core_with_worker();
        let after = after_a_command(&core, &ran);
        after.wait().unwrap();
        assert_eq!(ran.load(Relaxed), 2);
        core.stop_threads();
        worker.join().unwrap();
    });
}

/// A command that only callers execute was promised to get on, and nobody calls: a worker executes it, or the caller that
/// promised.
#[test]
fn models_promised_command_without_a_caller() {
    loom::model(|| {
        let ran = Arc::new(Plain::new(0));
        let (core, worker) = core_with_worker();
        let after = after_a_command(&core, &ran);
        let done = Arc::new(Parker::new());
        let their_done = Arc::clone(&done);
        // Promises as a flush does.
        after.on_complete(move |_, _| their_done.unpark()).unwrap();
        done.park();
        assert_eq!(ran.load(Relaxed), 2);
        core.stop_threads();
        worker.join().unwrap();
    });
}

/// A command for the workers and one for callers that waits for it.
fn after_a_command(core: &Arc<Core>, ran: &Arc<Plain>) -> crate::event::Event {
    let capabilities = Capabilities { execution: Execution::Caller, ..Capabilities::host("in caller") };
    let driver = Arc::new(NullDriver::with(capabilities));
    let properties = QueueProperties { out_of_order: true, profiling: false };
    let (host, caller) = (queue(core, true), Queue::new(core, driver, properties).unwrap());
    let work = || Some(Arc::new(Counting(Arc::clone(ran), 1)) as Arc<dyn Launch>);
    let before = host.enqueue(Command { work: work(), ..Command::default() }).unwrap();
    let waits = [before];
    let after = caller.enqueue(Command { work: work(), waits: &waits, ..Command::default() }).unwrap();
    // Its end would promise what the model is to see unpromised.
    std::mem::forget(caller);
    after
}

/// Puts a task up at the first place of a board, if that is free: what belongs to it is written before, and read by those who have a
/// chunk.
fn put_up(board: &Board, task: &TaskRef, free: u64, owners: usize) -> bool {
    let place = board.reserve(0, task.ptr()).filter(|place| *place == 0);
    if let Some(place) = place {
        task.order.store(task.id.0, Ordering::Relaxed);
        board.publish(place, Deal { owners, each: OWN, free });
    }
    place.is_some()
}

/// Takes chunks at the first place of a board, at most so many, of tasks that the model keeps and that have so many `chunks`.
fn work_off(board: &Board, slot: usize, most: usize, chunks: u64) -> usize {
    let mut done = 0;
    while done < most
        && let Some(claim) = board.claim(0, slot)
    {
        // SAFETY: the model keeps the tasks.
        let task = unsafe { claim.task.get() };
        assert_eq!(task.order.load(Ordering::Relaxed), task.id.0);
        assert!(claim.chunk < chunks);
        done += 1;
        if task.finished.fetch_add(1, Ordering::AcqRel) == chunks - 1 {
            board.close(claim.place);
        }
    }
    done
}

/// Chunks of what stands on the board are taken once each, and the place is used again only when all were reported, also
/// by a thread that had looked at the place before and counts down what has come there since.
#[test]
fn models_board() {
    loom::model(|| {
        let board = Arc::new(Board::new(1));
        // They live until the other thread was joined.
        let tasks = [task(1), task(2)];
        assert!(put_up(&board, &tasks[0], 2, 0));
        let theirs = Arc::clone(&board);
        let other = thread::spawn(move || work_off(&theirs, 0, usize::MAX, 2));
        let mut done = work_off(&board, 0, usize::MAX, 2);
        let again = put_up(&board, &tasks[1], 2, 0);
        done += work_off(&board, 0, usize::MAX, 2);
        done += other.join().unwrap();
        // Where the other thread had not reported yet, the place was not free.
        assert_eq!(done, if again { 4 } else { 2 });
        assert_eq!(tasks[0].finished.load(Ordering::Relaxed), 2);
        assert!(!board.has_work());
    });
}

/// The same where chunks have owners: two threads take their own and each other's, and one has looked at the place before it is
/// used again.
#[test]
fn models_board_with_owners() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let board = Arc::new(Board::new(2));
        let tasks = [task(1), task(2)];
        // There are more chunks without an owner than workers.
        assert!(put_up(&board, &tasks[0], 3, 2));
        // All but three of the first launch are taken, so that the model stays small.
        let mut done = work_off(&board, 0, 16, 19);
        let theirs = Arc::clone(&board);
        let other = thread::spawn(move || work_off(&theirs, 1, 2, 19));
        done += work_off(&board, 0, 3, 19);
        let again = put_up(&board, &tasks[1], 3, 2);
        done += work_off(&board, 0, 17, 19);
        done += other.join().unwrap();
        done += work_off(&board, 1, 38, 19);
        assert_eq!(done, if again { 38 } else { 19 });
        assert_eq!(tasks[0].finished.load(Ordering::Relaxed), 19);
        assert!(!board.has_work());
    });
}

/// A worker falls asleep while another puts a launch on the board: it sees that, or is woken.
#[test]
fn models_board_and_sleep() {
    loom::model(|| {
        let idle = Arc::new(Idle::new(2));
        let board = Arc::new(Board::new(2));
        let work = task(1);
        let (their_idle, their_board) = (Arc::clone(&idle), Arc::clone(&board));
        let sleeper = thread::spawn(move || {
            let parker = Arc::new(Parker::new());
            their_idle.begin_search();
            their_idle.sleep(1, &parker, false);
            if !their_board.has_work() {
                parker.park();
            }
            their_idle.rise(1);
            their_board.claim_any(1).is_some()
        });
        let place = board.reserve(0, work.ptr()).unwrap();
        board.publish(place, Deal { owners: 0, each: 0, free: 1 });
        if idle.after_push().sleeping() {
            idle.wake_another();
        }
        assert!(sleeper.join().unwrap());
    });
}

/// A launch of many pieces is executed by two threads: each piece once, and what waits for it comes after all of them.
#[test]
fn models_launch_that_two_threads_execute() {
    loom::model(|| {
        let core = core(2);
        let q = queue(&core, false);
        let (ran, after) = (Arc::new(Plain::new(0)), Arc::new(Plain::new(0)));
        let enqueue = |counter: &Arc<Plain>, pieces| {
            let touches = [Touch::whole(ResourceId(7), Access::Write)];
            let work: Option<Arc<dyn Launch>> = Some(Arc::new(Counting(Arc::clone(counter), pieces)));
            q.enqueue_silently(Command { work, touches: &touches, ..Command::default() }).unwrap();
        };
        enqueue(&ran, 2);
        enqueue(&after, 2);
        let theirs = Arc::clone(&core);
        let other = thread::spawn(move || theirs.drain(1));
        core.drain(0);
        other.join().unwrap();
        core.drain(0);
        assert_eq!((ran.load(Relaxed), after.load(Relaxed)), (2, 2));
        assert!(q.is_idle());
    });
}
