//! A device that orders commands itself, as a processor with event words in its memory does: `waits_on` tells it whom to
//! wait for, and it begins when those have been executed, whatever the host has heard of that. So `waits_on` must not name
//! an event of which *executed* is not enough.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak, mpsc};
use std::time::Duration;

use oxcl_driver::capability::Execution;
use oxcl_driver::{Driver, DriverError, EventId, Lane, Launch, Submission, command as driver_command};

use super::{Random, in_order, scheduler, work};
use crate::own_device::{Executes, OwnDevice};
use crate::shim::{Mutex, lock};
use crate::{Access, Command, Event, Facts, Fence, Queue, QueueProperties, ResourceId, Scheduler, Touch};

/// A command on the device.
struct Held {
    submission: Arc<dyn Submission>,
    /// Those of the events that it waits for that were the device's when it came.
    waits: Vec<EventId>,
    /// Nothing outside the device holds it back.
    host_ready: bool,
    begun: bool,
    /// The word of its event.
    executed: bool,
    /// The host is told of its end next.
    told: bool,
}

/// The device. Every command runs in a thread of its own, so that commands overlap as far as their waits allow.
struct Device {
    this: Weak<OwnDevice<Device>>,
    commands: Mutex<BTreeMap<EventId, Held>>,
    /// Commands that had the device to wait for.
    chained: AtomicU64,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").finish_non_exhaustive()
    }
}

impl Device {
    fn start() -> Arc<OwnDevice<Device>> {
        Arc::new_cyclic(|this| {
            let (commands, chained) = (Mutex::new(BTreeMap::new()), AtomicU64::new(0));
            let own = Device { this: Weak::clone(this), commands, chained };
            OwnDevice::new(Execution::DeviceOrdered, own)
        })
    }

    /// Begins what has nothing left to wait for.
    fn look(&self) {
        let mut commands = lock(&self.commands);
        // What is not there any more has been executed, and the host knows.
        let executed = |id: &EventId| commands.get(id).is_none_or(|held| held.executed);
        let may_begin = |held: &Held| held.host_ready && !held.begun && held.waits.iter().all(executed);
        let ready: Vec<EventId> =
            commands.iter().filter(|(_, held)| may_begin(held)).map(|(id, _)| *id).collect();
        for id in ready {
            let Some(held) = commands.get_mut(&id) else { continue };
            held.begun = true;
            let (device, submission) = (self.this.upgrade(), Arc::clone(&held.submission));
            std::thread::spawn(move || {
                let outcome = driver_command::perform(submission.as_ref(), Lane { index: 0 });
                let Some(device) = device else { return };
                let device = &device.own;
                // Others begin before the host hears of it.
                device.change(id, |held| held.executed = true);
                device.look();
                std::thread::yield_now();
                device.change(id, |held| held.told = true);
                submission.ended(outcome);
                drop(lock(&device.commands).remove(&id));
            });
        }
    }

    fn change(&self, id: EventId, action: impl FnOnce(&mut Held)) {
        if let Some(held) = lock(&self.commands).get_mut(&id) {
            action(held);
        }
    }

    /// Whether all that the host counts are events of the device that the host was not told of.
    fn is_host_ready(
        submission: &dyn Submission,
        waits: &[EventId],
        commands: &BTreeMap<EventId, Held>,
    ) -> bool {
        let ours = waits.iter().filter(|id| commands.get(id).is_some_and(|held| !held.told)).count();
        submission.holders() as usize <= ours
    }
}

impl Executes for Device {
    fn submit(&self, submission: Arc<dyn Submission>) -> Result<(), DriverError> {
        let mut commands = lock(&self.commands);
        let is_live = |id: &&EventId| commands.get(id).is_some_and(|held| !held.told);
        let waits: Vec<EventId> = submission.waits_on().iter().filter(is_live).copied().collect();
        self.chained.fetch_add(u64::from(!waits.is_empty()), Ordering::Relaxed);
        let held = Held { submission, waits, host_ready: false, begun: false, executed: false, told: false };
        commands.insert(held.submission.event(), held);
        Ok(())
    }

    fn notify(&self, waiting: &Arc<dyn Submission>, _ended: EventId) {
        let mut commands = lock(&self.commands);
        let id = waiting.event();
        let ready = commands
            .get(&id)
            .is_some_and(|held| Device::is_host_ready(waiting.as_ref(), &held.waits, &commands));
        if let Some(held) = commands.get_mut(&id) {
            held.host_ready |= ready;
        }
        drop(commands);
        self.look();
    }
}

/// Such a device.
pub(super) fn device() -> Arc<dyn Driver> {
    Device::start()
}

/// An in-order queue of the device.
fn queue(s: &Scheduler, device: &Arc<OwnDevice<Device>>) -> Queue {
    let driver = Arc::clone(device) as Arc<dyn Driver>;
    s.queue(driver, QueueProperties::default()).unwrap()
}

/// Work that takes until the result is dropped.
fn blocked() -> (Option<Arc<dyn Launch>>, mpsc::Sender<()>) {
    let (sender, receiver) = mpsc::channel::<()>();
    let receiver = Mutex::new(receiver);
    let body = work(move || {
        let _ = lock(&receiver).recv();
    });
    (body, sender)
}

/// Work that leaves a mark.
fn marking() -> (Option<Arc<dyn Launch>>, Arc<AtomicBool>) {
    let mark = Arc::new(AtomicBool::new(false));
    let mine = Arc::clone(&mark);
    (work(move || mine.store(true, Ordering::Release)), mark)
}

fn until(mark: &AtomicBool) {
    while !mark.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
}

fn touching<'a>(work: Option<Arc<dyn Launch>>, touches: &'a [Touch], waits: &'a [Event]) -> Command<'a> {
    Command { work, touches, waits, ..Command::default() }
}

#[test]
fn who_waits_for_an_in_order_queue_waits_for_all_before_the_event() {
    let s = scheduler(2);
    let device = Device::start();
    let (first, second) = (queue(&s, &device), queue(&s, &device));
    let buffers = [0; 2].map(|_| [Touch::whole(s.resource(), Access::Write)]);
    let (long, end) = blocked();
    let long = first.enqueue(touching(long, &buffers[0], &[])).unwrap();
    let (short, short_ran) = marking();
    let short = first.enqueue(touching(short, &buffers[1], &[])).unwrap();
    let (after, after_ran) = marking();
    let after = second.enqueue(touching(after, &[], std::slice::from_ref(&short))).unwrap();
    until(&short_ran);
    std::thread::sleep(Duration::from_millis(20));
    assert!(!short.is_complete(), "it is in order");
    assert!(!after_ran.load(Ordering::Acquire), "it waits for an event that is not complete");
    drop(end);
    assert_eq!((long.wait(), short.wait(), after.wait()), (Ok(()), Ok(()), Ok(())));
    first.finish().unwrap();
    second.finish().unwrap();
}

#[test]
fn what_may_touch_anything_waits_for_all_before_it_on_a_device_too() {
    let s = scheduler(2);
    let device = Device::start();
    let q = queue(&s, &device);
    let buffers = [0; 2].map(|_| [Touch::whole(s.resource(), Access::Write)]);
    let (long, end) = blocked();
    let long = q.enqueue(touching(long, &buffers[0], &[])).unwrap();
    let (short, short_ran) = marking();
    let short = q.enqueue(touching(short, &buffers[1], &[])).unwrap();
    let (opaque, opaque_ran) = marking();
    let facts = Facts::UNKNOWN;
    let opaque = q.enqueue(Command { facts, ..touching(opaque, &[], &[]) }).unwrap();
    until(&short_ran);
    std::thread::sleep(Duration::from_millis(20));
    assert!(!opaque_ran.load(Ordering::Acquire), "the first command has not ended");
    drop(end);
    assert_eq!((long.wait(), short.wait(), opaque.wait()), (Ok(()), Ok(()), Ok(())));
    q.finish().unwrap();
}

/// Enqueues commands with these touches of buffers, by number, and one on another queue that waits for the last. How
/// many commands the device had to wait for itself.
fn chained(s: &Scheduler, touches: &[&[(usize, Access)]]) -> u64 {
    let device = Device::start();
    let (first, second) = (queue(s, &device), queue(s, &device));
    let buffers: Vec<ResourceId> = (0..4).map(|_| s.resource()).collect();
    let gate = s.user_event().unwrap();
    let mut last = gate.event().clone();
    for (number, touches) in touches.iter().enumerate() {
        let touches: Vec<Touch> =
            touches.iter().map(|(buffer, access)| Touch::whole(buffers[*buffer], *access)).collect();
        // Nothing begins before all is enqueued.
        let gate = [gate.event().clone()];
        let waits = if number == 0 { &gate[..] } else { &[] };
        last = first.enqueue(touching(work(|| {}), &touches, waits)).unwrap();
    }
    let before = device.own.chained.load(Ordering::Relaxed);
    let after = second.enqueue(touching(work(|| {}), &[], &[last])).unwrap();
    let chained = device.own.chained.load(Ordering::Relaxed) - before;
    gate.complete();
    assert_eq!(after.wait(), Ok(()));
    chained
}

#[test]
fn the_device_waits_itself_where_the_event_comes_after_all_before_it() {
    use Access::{Read, ReadWrite, Write};
    let s = scheduler(1);
    // The only command; a chain; a command that reads what two others, which are behind the first, have written.
    assert_eq!(chained(&s, &[&[(0, Write)]]), 1);
    assert_eq!(chained(&s, &[&[(0, Write)], &[(0, ReadWrite)], &[(0, Read), (1, Write)]]), 1);
    let join: [&[(usize, Access)]; 4] =
        [&[(0, Write)], &[(0, Read), (1, Write)], &[(0, Read), (2, Write)], &[(1, Read), (2, Read)]];
    assert_eq!(chained(&s, &join), 1);
}

/// What every command of a random program saw when it began.
struct Seen {
    executed: Vec<AtomicBool>,
    wrong: Mutex<Vec<(usize, usize)>>,
}

/// Random commands on in-order queues of the device and one of the host, which wait for events of one another. Each
/// looks, when it begins, whether all has been executed that was to be before it.
fn random_program(s: &Scheduler, seed: u64) {
    const COMMANDS: usize = 24;
    let mut random = Random(seed);
    let device = Device::start();
    let queues = [queue(s, &device), queue(s, &device), queue(s, &device), in_order(s)];
    let buffers: Vec<ResourceId> = (0..3).map(|_| s.resource()).collect();
    let seen = Arc::new(Seen {
        executed: (0..COMMANDS).map(|_| AtomicBool::new(false)).collect(),
        wrong: Mutex::new(Vec::new()),
    });
    let gate = s.user_event().unwrap();
    let mut events: Vec<(usize, Event)> = Vec::new();
    let mut accesses: Vec<Option<(usize, Access)>> = Vec::new();
    let mut opaque: Vec<usize> = Vec::new();
    for number in 0..COMMANDS {
        let at = usize::try_from(random.below(queues.len() as u64)).unwrap();
        let access = if random.below(2) == 0 { Access::Read } else { Access::ReadWrite };
        let buffer = usize::try_from(random.below(3)).unwrap();
        let touch = (random.below(4) > 0).then_some((buffer, access));
        let is_opaque = random.below(10) == 0;
        let mut before: Vec<usize> = Vec::new();
        // In its own queue: what conflicts, and all of it where anything may be touched.
        for (other, (queue, _)) in events.iter().enumerate().filter(|(_, (queue, _))| *queue == at) {
            let conflicts = touch.zip(accesses[other]).is_some_and(|((a, how), (b, other))| {
                a == b && (how == Access::ReadWrite || other == Access::ReadWrite)
            });
            if conflicts || is_opaque || opaque.contains(&other) {
                before.push(other);
            }
            debug_assert_eq!(*queue, at);
        }
        let mut waits = Vec::new();
        if number == 0 {
            waits.push(gate.event().clone());
        }
        for _ in 0..random.below(3).min(number as u64) {
            let other = usize::try_from(random.below(number as u64)).unwrap();
            waits.push(events[other].1.clone());
            before.push(other);
            // All that is before it in its queue, unless that is this one.
            if events[other].0 != at {
                before.extend((0..other).filter(|k| events[*k].0 == events[other].0));
            }
        }
        let (mine, nap) = (Arc::clone(&seen), random.below(60));
        let body = work(move || {
            let late = before.iter().filter(|k| !mine.executed[**k].load(Ordering::Acquire));
            lock(&mine.wrong).extend(late.map(|k| (*k, number)));
            std::thread::sleep(Duration::from_micros(nap));
            mine.executed[number].store(true, Ordering::Release);
        });
        let touches: Vec<Touch> =
            touch.iter().map(|(buffer, access)| Touch::whole(buffers[*buffer], *access)).collect();
        let facts = Facts { opaque: is_opaque, ..Facts::default() };
        let fence = Fence::None;
        let command = Command { work: body, touches: &touches, facts, waits: &waits, fence };
        events.push((at, queues[at].enqueue(command).unwrap()));
        accesses.push(touch);
        if is_opaque {
            opaque.push(number);
        }
        if number == COMMANDS / 2 {
            gate.complete();
        }
    }
    for (_, event) in &events {
        assert_eq!(event.wait(), Ok(()), "seed {seed}");
    }
    queues.iter().for_each(|queue| queue.finish().unwrap());
    let wrong = std::mem::take(&mut *lock(&seen.wrong));
    assert!(wrong.is_empty(), "seed {seed}: had not ended, began: {wrong:?}");
}

#[test]
fn random_programs_on_a_device_that_orders_commands() {
    let s = scheduler(2);
    for seed in 0..300 {
        random_program(&s, seed);
    }
}
