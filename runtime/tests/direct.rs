//! Commands on memory of the host program: transfers to and from addresses, buffers over host memory, parts.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use oxcl_runtime::{Buffer, CommandFailure, Context, ContextOptions, HostSpan, QueueProperties, RectRegion};

fn span(bytes: &mut [u8]) -> HostSpan {
    // SAFETY: every test keeps the bytes until its queue is finished, and does not touch them before.
    unsafe { HostSpan::new(NonNull::from(&mut *bytes).cast(), bytes.len() as u64) }
}

#[test]
fn bytes_pass_through_host_memory_and_parts() {
    let context = Context::new(ContextOptions { workers: 2, ..ContextOptions::default() }).unwrap();
    let device = context.device("cpu").unwrap();
    let queue = context.queue(&device, QueueProperties::default()).unwrap();
    let mut memory: Vec<u8> = (0..64).collect();
    let mut out = vec![0_u8; 16];
    // SAFETY: `memory` outlives the queue's last command, and is not touched before the queue is finished.
    let whole = unsafe { Buffer::over(span(&mut memory)) }.unwrap();
    let part = whole.part(16, 16).unwrap();
    queue.fill(&part, &[9], 4, 4, &[]).unwrap();
    // SAFETY: as `span` says.
    unsafe { queue.read_to(&whole, 16, span(&mut out), &[]) }.unwrap();
    queue.finish().unwrap();
    assert_eq!(out, [16, 17, 18, 19, 9, 9, 9, 9, 24, 25, 26, 27, 28, 29, 30, 31]);
    assert_eq!(memory[20..24], [9; 4], "the buffer is the host's memory");
    assert!(whole.part(60, 5).is_err() && whole.part(0, 0).is_err());
    // SAFETY: as `span` says; nothing is enqueued.
    assert!(unsafe { queue.write_from(&part, 8, span(&mut [0; 9]), &[]) }.is_err());
    // Two parts of one buffer overlap where their bytes do.
    assert!(whole.copy_to(16, &part, 1, 4).is_err() && whole.copy_to(0, &part, 0, 4).is_ok());
}

#[test]
fn rectangles_pass_through_host_memory() {
    let context = Context::new(ContextOptions { workers: 2, ..ContextOptions::default() }).unwrap();
    let device = context.device("cpu").unwrap();
    let queue = context.queue(&device, QueueProperties::default()).unwrap();
    let buffer = Buffer::zeroed(16).unwrap();
    let mut source: Vec<u8> = (1..=6).collect();
    let mut target = vec![0_u8; 4];
    let region = RectRegion {
        size: [2, 2, 1],
        from_origin: [1, 0, 0],
        from_pitch: [3, 0],
        to_origin: [0, 1, 0],
        to_pitch: [4, 0],
    };
    let back = RectRegion {
        from_origin: region.to_origin,
        from_pitch: region.to_pitch,
        to_origin: [0; 3],
        to_pitch: [0; 2],
        ..region
    };
    // SAFETY: the memory outlives the queue's last command, and is not touched before the queue is finished.
    unsafe { queue.write_rect_from(&buffer, source.as_mut_ptr(), &region, &[]) }.unwrap();
    // SAFETY: as above.
    unsafe { queue.read_rect_to(&buffer, target.as_mut_ptr(), &back, &[]) }.unwrap();
    queue.finish().unwrap();
    assert_eq!(target, [2, 3, 5, 6]);
    assert_eq!(buffer.to_vec()[4..10], [2, 3, 0, 0, 5, 6]);
}

#[test]
fn functions_of_the_host_take_their_place_and_may_fail() {
    let context = Context::new(ContextOptions { workers: 2, ..ContextOptions::default() }).unwrap();
    let device = context.device("cpu").unwrap();
    let queue = context.queue(&device, QueueProperties::default()).unwrap();
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    let call = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let event = queue.call("host", call, Vec::new(), &[]).unwrap();
    event.wait().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 1);
    let failing = queue.call("host", || Err(CommandFailure::OutOfHostMemory), Vec::new(), &[]).unwrap();
    assert!(failing.wait().is_err());
}
