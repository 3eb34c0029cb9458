//! Queues from the outside: commands of every kind on every device, order, failures and what they bring down.

mod step;

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use oxcl_driver::Failure;
use oxcl_runtime::{
    ArgValue, Buffer, BufferError, Coded as _, Context, ContextOptions, MapAccess, NdRange, QueueError,
    QueueProperties, RectRegion, Status,
};
use step::{bytes, step};

const DEVICES: [&str; 3] = ["cpu", "basic", "ref"];

fn context(workers: usize) -> Context {
    Context::new(ContextOptions { workers, ..ContextOptions::default() }).unwrap()
}

const BOTH: [QueueProperties; 2] = [
    QueueProperties { out_of_order: false, profiling: true },
    QueueProperties { out_of_order: true, profiling: true },
];

#[test]
fn a_chain_of_commands_sees_what_came_before() {
    let kernel = step();
    let range = NdRange::new(&[64]).unwrap().with_local(&[4]).unwrap();
    for workers in [1, 2, 3] {
        let context = context(workers);
        for name in DEVICES {
            let device = context.device(name).unwrap();
            for properties in BOTH {
                let queue = context.queue(&device, properties).unwrap();
                let (a, b) = (Buffer::zeroed(256).unwrap(), Buffer::zeroed(256).unwrap());
                let gate = context.user_event().unwrap();
                let mut last = queue.write(&a, 0, bytes(0..64), &[gate.event().clone()]).unwrap();
                for _ in 0..5 {
                    last = queue.kernel(&kernel, &range, &[ArgValue::Buffer(&a)], &[last]).unwrap();
                }
                last = queue.copy(&a, 0, &b, 128, 128, &[last]).unwrap();
                last = queue.fill(&b, &7_i32.to_le_bytes(), 0, 128, &[last]).unwrap();
                let read = queue.read(&b, 0, 256, &[last]).unwrap();
                assert!(matches!(read.event().status(), Status::Pending(_)));
                assert!(gate.complete());
                let event = read.event().clone();
                let stepped = (0..32).map(|i| (0..5).fold(i, |v, _| 3 * v + 1));
                assert_eq!(read.wait().unwrap(), bytes(std::iter::repeat_n(7, 32).chain(stepped)), "{name}");
                let times = event.times();
                assert!(times.queued <= times.submitted && times.submitted <= times.started);
                assert!(times.started <= times.ended);
                queue.finish().unwrap();
            }
        }
    }
}

#[test]
fn a_failure_brings_down_what_depends_on_it_and_the_queue_goes_on() {
    let kernel = step();
    let range = NdRange::new(&[4]).unwrap();
    let context = context(2);
    let device = context.device("cpu").unwrap();
    let queue = context.queue(&device, QueueProperties { out_of_order: true, profiling: false }).unwrap();
    let a = Buffer::from_bytes(&bytes([1, 2, 3, 4])).unwrap();
    let gate = context.user_event().unwrap();
    let waits = [gate.event().clone()];
    let doomed = queue.kernel(&kernel, &range, &[ArgValue::Buffer(&a)], &waits).unwrap();
    let after = queue.marker(std::slice::from_ref(&doomed)).unwrap();
    gate.fail(-7);
    for event in [doomed, after] {
        assert_eq!(event.wait(), Err(Arc::new(Failure::UserEvent { status: -7 })));
    }
    let done = queue.kernel(&kernel, &range, &[ArgValue::Buffer(&a)], &[]).unwrap();
    done.wait().unwrap();
    assert_eq!(a.to_vec(), bytes([4, 7, 10, 13]));
    drop(context.user_event().unwrap());
    queue.finish().unwrap();
}

#[test]
fn rectangles_and_mappings_reach_their_bytes() {
    let context = context(2);
    let device = context.device("cpu").unwrap();
    let queue = context.queue(&device, QueueProperties::default()).unwrap();
    let a = Buffer::from_bytes(&(0..60).collect::<Vec<u8>>()).unwrap();
    let b = Buffer::zeroed(16).unwrap();
    let region =
        RectRegion { size: [3, 2, 2], from_origin: [1, 1, 0], from_pitch: [5, 20], ..RectRegion::default() };
    queue.copy_rect(&a, &b, &region, &[]).unwrap();
    let map = queue.map(&b, MapAccess::ReadWrite, 2, 10, &[]).unwrap();
    map.event().wait().unwrap();
    let mut seen = [0; 10];
    map.read(0, &mut seen).unwrap();
    assert_eq!(seen, [8, 11, 12, 13, 26, 27, 28, 31, 32, 33]);
    map.write(9, &[99]).unwrap();
    assert_eq!(map.write(10, &[1]), Err(BufferError::OutOfRange { offset: 10, bytes: 1, size: 10 }));
    queue.unmap(&map, &[]).unwrap();
    let read = queue.read(&b, 10, 3, &[]).unwrap();
    assert_eq!(read.wait().unwrap(), [32, 99, 0]);
    let shifted = RectRegion { to_origin: [2, 1, 0], to_pitch: [5, 20], ..region };
    let error = queue.copy_rect(&a, &a, &shifted, &[]).unwrap_err();
    assert!(matches!(error, QueueError::Buffer(BufferError::Overlap { .. })), "{error}");
    assert_eq!(error.code().to_string(), "OX0522");
    let beyond = RectRegion { from_origin: [1, 1, 2], ..region };
    assert!(queue.copy_rect(&a, &b, &beyond, &[]).is_err());
}

#[test]
fn independent_launches_of_an_in_order_queue_give_the_serial_result() {
    let kernel = step();
    let range = NdRange::new(&[16]).unwrap().with_local(&[2]).unwrap();
    let context = context(3);
    let device = context.device("cpu").unwrap();
    let queue = context.queue(&device, QueueProperties::default()).unwrap();
    let buffers: Vec<Buffer> = (0..8).map(|_| Buffer::zeroed(64).unwrap()).collect();
    for round in 0..200 {
        let buffer = &buffers[(round * 5 + round / 8) % 8];
        queue.kernel(&kernel, &range, &[ArgValue::Buffer(buffer)], &[]).unwrap();
        if round % 16 == 15 {
            queue.copy(&buffers[round % 7], 0, &buffers[7], 32, 32, &[]).unwrap();
        }
    }
    queue.finish().unwrap();
    let mut serial = vec![[0_i32; 16]; 8];
    for round in 0..200_usize {
        for value in &mut serial[(round * 5 + round / 8) % 8] {
            *value = value.wrapping_mul(3).wrapping_add(1);
        }
        if round % 16 == 15 {
            let source = serial[round % 7];
            serial[7][8..].copy_from_slice(&source[..8]);
        }
    }
    for (buffer, want) in buffers.iter().zip(serial) {
        assert_eq!(buffer.to_vec(), bytes(want));
    }
}

/// `basic` executes in the thread that waits, flushes or asks, whatever workers there are.
#[test]
fn basic_executes_in_the_caller() {
    let kernel = step();
    let range = NdRange::new(&[64]).unwrap().with_local(&[4]).unwrap();
    let context = context(3);
    let device = context.device("basic").unwrap();
    for properties in BOTH {
        let queue = context.queue(&device, properties).unwrap();
        let data = Buffer::zeroed(256).unwrap();
        let threads = Arc::new(Mutex::new(Vec::new()));
        let note = || {
            let threads = Arc::clone(&threads);
            move || {
                threads.lock().unwrap().push(thread::current().id());
                Ok(())
            }
        };
        let mut last = queue.write(&data, 0, bytes(0..64), &[]).unwrap();
        for _ in 0..100 {
            last = queue.kernel(&kernel, &range, &[ArgValue::Buffer(&data)], &[last]).unwrap();
            last = queue.call("note", note(), Vec::new(), &[last]).unwrap();
        }
        thread::sleep(Duration::from_millis(1));
        assert!(threads.lock().unwrap().is_empty(), "an enqueue executes nothing");
        queue.flush().unwrap();
        assert!(last.is_complete(), "a flush does");
        for _ in 0..100 {
            queue.call("note", note(), Vec::new(), &[]).unwrap();
        }
        queue.finish().unwrap();
        let threads = threads.lock().unwrap();
        assert_eq!(threads.len(), 200);
        assert!(threads.iter().all(|id| *id == thread::current().id()));
    }
}
