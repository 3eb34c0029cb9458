//! Two contexts on one device with memory of its own: what is short is short for both, and neither loses anything by what
//! the other one does, whatever fails and whatever is released first.

mod step;

use oxcl_runtime::{
    ArgValue, Buffer, Coded as _, Context, Device, Event, Kernel, LaunchError, NdRange, Queue, QueueError,
    QueueProperties,
};
use step::{bytes, context, step};

/// Numbers of a buffer of 16 KiB: four fit the device.
const NUMBERS: i32 = 4096;

fn range() -> NdRange {
    NdRange::new(&[NUMBERS as u64]).unwrap().with_local(&[64]).unwrap()
}

fn stepped(start: i32, times: usize) -> Vec<u8> {
    bytes((start..start + NUMBERS).map(|i| (0..times).fold(i, |value: i32, _| value.wrapping_mul(3) + 1)))
}

/// One context's side: its queue, and buffers that alone exceed the memory.
struct Side {
    context: Context,
    device: Device,
    queue: Queue,
    buffers: Vec<(i32, Buffer)>,
}

impl Side {
    fn new(context: Context, device: Device, first: i32, count: i32) -> Self {
        let queue = context.queue(&device, QueueProperties::default()).unwrap();
        let buffer = |number| (number, Buffer::from_bytes(&stepped(number, 0)).unwrap());
        let buffers = (first..first + count).map(buffer).collect();
        Self { context, device, queue, buffers }
    }

    /// Two sides of one device.
    fn pair(count: i32) -> [Self; 2] {
        let (one, other) = (context(), context());
        let device = one.device("discrete:64K").unwrap();
        let shared = other.share(&device).unwrap();
        [Self::new(one, device, 0, count), Self::new(other, shared, 1000, count)]
    }

    fn step(&self, kernel: &Kernel, buffer: &Buffer, waits: &[Event]) -> Event {
        self.queue.kernel(kernel, &range(), &[ArgValue::Buffer(buffer)], waits).unwrap()
    }
}

/// The device has no objects any more. A thread that has completed an event gives up what the command kept a moment later.
fn is_empty(device: &Device) -> bool {
    let objects = || device.discrete().unwrap().usage().unwrap().objects;
    (0..5000).any(|_| {
        let empty = objects() == 0;
        if !empty {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        empty
    })
}

#[test]
fn both_may_exceed_the_memory_at_once() {
    let kernel = step();
    let sides = Side::pair(8);
    let watch = sides[0].device.clone();
    std::thread::scope(|scope| {
        for side in &sides {
            let kernel = &kernel;
            scope.spawn(move || {
                for round in 0..6 {
                    for (number, buffer) in &side.buffers {
                        side.step(kernel, buffer, &[]);
                        if (*number + round) % 5 == 0 {
                            let part = side.queue.read(buffer, 64, 128, &[]).unwrap();
                            let want = &stepped(*number, round as usize + 1)[64..192];
                            assert_eq!(part.wait().unwrap(), want, "buffer {number}, round {round}");
                        }
                    }
                    if round == 3 {
                        // One is read and written by the host in between, while the other context goes on.
                        let (number, buffer) = &side.buffers[2];
                        assert!(buffer.contents().unwrap() == stepped(*number, 4), "buffer {number}");
                    }
                }
                for (number, buffer) in &side.buffers {
                    assert!(buffer.contents().unwrap() == stepped(*number, 6), "buffer {number}");
                }
            });
        }
    });
    let counters = watch.memory_counters();
    assert!(counters.paged_out > 0 && counters.paged_in > 0, "{counters:?}");
    assert_eq!(counters, sides[1].device.memory_counters());
    drop(sides);
    assert!(is_empty(&watch));
}

#[test]
fn a_fault_costs_one_command_of_one_context() {
    let kernel = step();
    for after in 0..64 {
        let sides = Side::pair(5);
        let watch = sides[0].device.clone();
        let driver = watch.discrete().unwrap();
        match after % 4 {
            0 => driver.fail_after(after / 2),
            1 => driver.refuse_pages_after(after / 8),
            2 => driver.refuse_lists_after(after * 2),
            _ => driver.fail_after(after),
        }
        // Of both in turns, so that each one's pages leave for the other's.
        let mut events: [Vec<Event>; 2] = Default::default();
        for at in 0..5 {
            for (side, events) in sides.iter().zip(&mut events) {
                events.push(side.step(&kernel, &side.buffers[at].1, &[]));
            }
        }
        let failed =
            events.map(|events| events.iter().map(|event| event.wait().is_err()).collect::<Vec<_>>());
        driver.stop_failing();
        let count = failed.iter().flatten().filter(|failed| **failed).count();
        assert!(count <= 1, "fault {after}: {failed:?}");
        for (side, failed) in sides.iter().zip(&failed) {
            // The next command runs, in both. What a queue knows to be spoilt is written anew.
            for ((number, buffer), failed) in side.buffers.iter().zip(failed) {
                if *failed {
                    side.queue.write(buffer, 0, stepped(*number, 0), &[]).unwrap();
                }
                let next = side.step(&kernel, buffer, &[]).wait();
                assert!(next.is_ok(), "fault {after}, buffer {number}: {next:?}");
            }
            for ((number, buffer), failed) in side.buffers.iter().zip(failed) {
                let times = if *failed { 1 } else { 2 };
                let right = buffer.contents().unwrap() == stepped(*number, times);
                assert!(right, "fault {after}, buffer {number}, failed {failed}");
            }
        }
        drop(sides);
        assert!(is_empty(&watch), "fault {after}");
    }
}

#[test]
fn releases_in_every_order_with_work_pending_in_both_lose_nothing() {
    let kernel = step();
    for order in 0..720_usize {
        let sides = Side::pair(3);
        let watch = sides[0].device.clone();
        let kept = [0, 1000].map(|_| Buffer::zeroed(NUMBERS as u64 * 4).unwrap());
        let mut gates = Vec::new();
        let mut events = Vec::new();
        let mut held: Vec<Option<Box<dyn Send>>> = Vec::new();
        for (Side { context, device, queue, buffers }, kept) in sides.into_iter().zip(&kept) {
            let gate = context.user_event().unwrap();
            let gated = [gate.event().clone()];
            for (_, buffer) in &buffers {
                queue.kernel(&kernel, &range(), &[ArgValue::Buffer(buffer)], &gated).unwrap();
            }
            events.push(queue.copy(&buffers[0].1, 0, kept, 0, NUMBERS as u64 * 4, &[]).unwrap());
            gates.push(gate);
            held.push(Some(Box::new((context, device))));
            held.push(Some(Box::new(queue)));
            held.push(Some(Box::new(buffers)));
        }
        let mut left: Vec<usize> = (0..6).collect();
        let mut digits = order;
        for remaining in (1..=6).rev() {
            let next = left.remove(digits % remaining);
            // Half of the releases come while nothing can have run, half while it runs.
            if remaining == 3 {
                gates[order % 2].complete();
            }
            drop(held[next].take());
            digits /= remaining;
        }
        gates.iter().for_each(|gate| _ = gate.complete());
        for (event, (kept, number)) in events.iter().zip(kept.iter().zip([0, 1000])) {
            event.wait().unwrap();
            assert!(kept.contents().unwrap() == stepped(number, 1), "order {order}");
        }
        drop((events, kept, gates));
        if order % 72 == 0 {
            // The device still works for a third one.
            let third = context();
            let shared = third.share(&watch).unwrap();
            let side = Side::new(third, shared, 7, 1);
            side.step(&kernel, &side.buffers[0].1, &[]).wait().unwrap();
            assert!(side.buffers[0].1.contents().unwrap() == stepped(7, 1));
        }
        assert!(is_empty(&watch), "order {order}");
    }
}

#[test]
fn objects_of_one_context_are_refused_in_the_other() {
    let kernel = step();
    let [one, other] = Side::pair(1);
    one.step(&kernel, &one.buffers[0].1, &[]).wait().unwrap();
    let foreign = [ArgValue::Buffer(&one.buffers[0].1)];
    let error = other.queue.kernel(&kernel, &range(), &foreign, &[]).unwrap_err();
    assert_eq!(error, LaunchError::Queue(QueueError::OtherContext));
    let error = other.queue.fill(&one.buffers[0].1, &[1], 0, 8, &[]).unwrap_err();
    assert_eq!((error.code().to_string().as_str(), &error), ("OX0572", &QueueError::OtherContext));
    let error = other.context.queue(&one.device, QueueProperties::default()).unwrap_err();
    assert_eq!(error, QueueError::OtherContext);
    let prepared = one.device.prepare(&kernel, &range(), &[ArgValue::Buffer(&one.buffers[0].1)]).unwrap();
    assert_eq!(other.queue.launch(&prepared, &[]).unwrap_err(), QueueError::OtherContext);
    assert!(one.buffers[0].1.contents().unwrap() == stepped(0, 1));
    // A device in the host's address space is shared as well.
    let cpu = other.context.share(&one.context.device("cpu").unwrap()).unwrap();
    let queue = other.context.queue(&cpu, QueueProperties::default()).unwrap();
    queue.kernel(&kernel, &range(), &[ArgValue::Buffer(&other.buffers[0].1)], &[]).unwrap().wait().unwrap();
    assert!(other.buffers[0].1.contents().unwrap() == stepped(1000, 1));
}
