//! Memory from the outside: memory of the host program, sub-buffers, memory known by its address.

mod step;

use std::ptr::NonNull;

use oxcl_runtime::{
    ArgValue, Buffer, BufferError, HostSpan, MapAccess, Migration, NdRange, QueueError, QueueProperties,
    RectRegion, SharedKind, SharedMemory,
};
use step::{context, step};

fn span(bytes: &mut [u8]) -> HostSpan {
    let length = bytes.len() as u64;
    // SAFETY: the tests keep the bytes, and look at them only when the commands have ended.
    unsafe { HostSpan::new(NonNull::from(bytes).cast(), length) }
}

#[test]
fn buffers_over_the_programs_memory_are_that_memory() {
    let (context, kernel) = (context(), step());
    for name in ["cpu", "basic", "ref"] {
        let device = context.device(name).unwrap();
        let queue = context.queue(&device, QueueProperties::default()).unwrap();
        let mut data: Vec<u8> = (0..8_i32).flat_map(i32::to_le_bytes).collect();
        // SAFETY: the vector outlives the buffers and the commands.
        let all = unsafe { Buffer::over(span(&mut data)) }.unwrap();
        // SAFETY: as above.
        let upper = unsafe { Buffer::over(span(&mut data[16..])) }.unwrap();
        let range = NdRange::new(&[4]).unwrap().with_local(&[2]).unwrap();
        // Both name the same bytes, so the second waits for the first.
        for target in [all.part(16, 16).unwrap(), upper] {
            queue.kernel(&kernel, &range, &[ArgValue::Buffer(&target)], &[]).unwrap();
        }
        queue.finish().unwrap();
        let want: Vec<u8> =
            (0..8_i32).flat_map(|i| if i < 4 { i } else { 9 * i + 4 }.to_le_bytes()).collect();
        assert_eq!(data, want, "{name}");
    }
}

#[test]
fn the_hosts_memory_keeps_its_order_in_a_queue() {
    let context = context();
    let device = context.device("cpu").unwrap();
    let queue = context.queue(&device, QueueProperties::default()).unwrap();
    let (a, b) = (Buffer::from_bytes(&[7; 4096]).unwrap(), Buffer::zeroed(4096).unwrap());
    let mut between = vec![0; 4096];
    let bounce = span(&mut between);
    for round in 0..50_u8 {
        queue.fill(&a, &[round], 0, 4096, &[]).unwrap();
        // SAFETY: as `span` says.
        unsafe { queue.read_to(&a, 0, bounce, &[]) }.unwrap();
        // SAFETY: as `span` says.
        unsafe { queue.write_from(&b, 0, bounce, &[]) }.unwrap();
    }
    queue.finish().unwrap();
    assert_eq!(b.to_vec(), [49; 4096]);
    let region = RectRegion {
        size: [2, 2, 1],
        from_pitch: [8, 0],
        to_pitch: [4, 0],
        to_origin: [1, 0, 0],
        ..RectRegion::default()
    };
    queue.write(&a, 0, (0..16).collect::<Vec<u8>>(), &[]).unwrap();
    // SAFETY: as `span` says.
    unsafe { queue.read_rect_to(&a.part(1, 12).unwrap(), bounce.pointer(), &region, &[]) }.unwrap();
    // SAFETY: as `span` says.
    unsafe { queue.write_rect_from(&b, bounce.pointer(), &region, &[]) }.unwrap();
    queue.finish().unwrap();
    assert_eq!(between[..8], [49, 1, 2, 49, 49, 9, 10, 49]);
    assert_eq!(b.to_vec()[..8], [49, 49, 1, 49, 49, 49, 49, 49]);
    let nowhere = std::ptr::null_mut();
    // SAFETY: it is refused.
    assert!(unsafe { queue.read_rect_to(&a, nowhere, &region, &[]) }.is_err());
}

#[test]
fn shared_memory_is_passed_by_address() {
    let (context, kernel) = (context(), step());
    let range = NdRange::new(&[4]).unwrap().with_local(&[2]).unwrap();
    for kind in [
        SharedKind::SvmCoarse,
        SharedKind::SvmFine,
        SharedKind::UsmHost,
        SharedKind::UsmDevice,
        SharedKind::UsmShared,
    ] {
        let device = context.device("cpu").unwrap();
        let queue = context.queue(&device, QueueProperties::default()).unwrap();
        let memory = SharedMemory::allocate(kind, 64, 0).unwrap();
        let upper = memory.pointer().wrapping_add(32);
        // SAFETY: it is shared memory.
        unsafe { queue.fill_memory(memory.pointer(), &5_i32.to_le_bytes(), 64, &[]) }.unwrap();
        queue.kernel(&kernel, &range, &[ArgValue::Pointer(upper as u64)], &[]).unwrap();
        // A buffer over shared memory is that memory, whatever its grain.
        // SAFETY: the memory lives until the buffer is gone.
        let over = unsafe { HostSpan::new(NonNull::new(upper).unwrap(), 16) };
        // SAFETY: as above.
        let over = unsafe { Buffer::over(over) }.unwrap();
        queue.kernel(&kernel, &range, &[ArgValue::Buffer(&over)], &[]).unwrap();
        // SAFETY: both are shared memory.
        unsafe { queue.copy_memory(memory.pointer(), upper, 16, &[]) }.unwrap();
        queue.migrate_memory(upper, 16, Migration::ToHost, &[]).unwrap();
        let mapped = queue.map_memory(memory.pointer(), 64, MapAccess::Read, &[]).unwrap();
        mapped.wait().unwrap();
        // SAFETY: 64 initialised bytes that no command uses now.
        let seen = unsafe { std::slice::from_raw_parts(memory.pointer(), 64) }.to_vec();
        let want = [[49_i32; 4], [5; 4], [49; 4], [5; 4]].concat();
        assert_eq!(seen, want.into_iter().flat_map(i32::to_le_bytes).collect::<Vec<u8>>(), "{kind:?}");
        queue.unmap_memory(memory.pointer(), &[]).unwrap();
        drop(over);
        let address = memory.pointer();
        queue.free_memory(vec![memory], &[]).unwrap().wait().unwrap();
        assert!(SharedMemory::find(address).is_none());
    }
}

#[test]
fn addresses_outside_shared_memory_are_errors() {
    let (context, kernel) = (context(), step());
    let device = context.device("cpu").unwrap();
    let queue = context.queue(&device, QueueProperties::default()).unwrap();
    let memory = SharedMemory::allocate(SharedKind::SvmFine, 64, 0).unwrap();
    let end = memory.pointer().wrapping_add(60);
    // SAFETY: it is refused.
    let error = unsafe { queue.fill_memory(end, &[0; 4], 8, &[]) }.unwrap_err();
    assert_eq!(error, QueueError::Buffer(BufferError::NotShared { address: end as u64, bytes: 8 }));
    // SAFETY: it is refused.
    let error = unsafe { queue.copy_memory(memory.pointer(), memory.pointer().wrapping_add(4), 8, &[]) };
    assert!(matches!(error.unwrap_err(), QueueError::Buffer(BufferError::OverlapAt { .. })));
    let mut own = [1_i32; 8];
    assert!(queue.map_memory(own.as_mut_ptr().cast(), 8, MapAccess::Read, &[]).is_err());
    // Memory of the program is no shared memory, and kernels take it nevertheless.
    let range = NdRange::new(&[8]).unwrap().with_local(&[8]).unwrap();
    queue
        .kernel(&kernel, &range, &[ArgValue::Pointer(own.as_mut_ptr() as u64)], &[])
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(own, [4; 8]);
    assert!(SharedMemory::release(memory.pointer()));
}
