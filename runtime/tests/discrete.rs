//! Devices with memory of their own, from the outside: content follows its users, from place to place and in and out of
//! memory that is too small for it.

mod step;

use oxcl_runtime::{
    ArgValue, Buffer, Coded as _, Context, ContextOptions, Device, HostSpan, LaunchError, MapAccess,
    Migration, NdRange, Queue, QueueError, QueueProperties,
};
use step::{bytes, context, step};

fn queue(context: &Context, device: &Device) -> Queue {
    context.queue(device, QueueProperties::default()).unwrap()
}

const IN_ORDER: QueueProperties = QueueProperties { out_of_order: false, profiling: true };

#[test]
fn content_follows_its_users() {
    let (context, kernel) = (context(), step());
    let range = NdRange::new(&[64]).unwrap().with_local(&[4]).unwrap();
    let words = ["discrete:64K", "cpu", "discrete:1M", "basic", "discrete:64K"];
    let devices = words.map(|word| context.device(word).unwrap());
    let queues = devices.each_ref().map(|device| context.queue(device, IN_ORDER).unwrap());
    let data = Buffer::from_bytes(&bytes(0..64)).unwrap();
    let mut want: Vec<i32> = (0..64).collect();
    let mut last = Vec::new();
    for round in 0..30_usize {
        let queue = &queues[round * 7 % 5];
        last = vec![queue.kernel(&kernel, &range, &[ArgValue::Buffer(&data)], &last).unwrap()];
        want.iter_mut().for_each(|value| *value = value.wrapping_mul(3).wrapping_add(1));
        if round % 6 == 5 {
            // The host's own commands see it too.
            last.pop().unwrap().wait().unwrap();
            assert_eq!(data.to_vec(), bytes(want.iter().copied()), "round {round}");
        }
    }
    let counters = devices.each_ref().map(Device::memory_counters);
    assert!(counters[0].device_to_device + counters[2].device_to_device + counters[4].device_to_device > 0);
    assert!(counters[0].uploaded > 0 && counters[0].downloaded > 0, "{counters:?}");
    assert_eq!(counters[1].uploaded + counters[3].downloaded, 0);
}

#[test]
fn transfers_maps_and_parts_reach_their_bytes() {
    let (context, kernel) = (context(), step());
    let devices = ["discrete:64K", "discrete:64K", "cpu"].map(|word| context.device(word).unwrap());
    let [one, two, host] = devices.each_ref().map(|device| queue(&context, device));
    let range = NdRange::new(&[16]).unwrap().with_local(&[4]).unwrap();
    let whole = Buffer::uninitialised(256).unwrap();
    let (low, high) = (whole.part(0, 64).unwrap(), whole.part(64, 64).unwrap());
    one.write(&whole, 0, bytes(0..64), &[]).unwrap().wait().unwrap();
    // Two parts, two devices, side by side.
    let first = one.kernel(&kernel, &range, &[ArgValue::Buffer(&low)], &[]).unwrap();
    let second = two.kernel(&kernel, &range, &[ArgValue::Buffer(&high)], &[]).unwrap();
    let both = [first, second];
    let stepped = |i: i32| if i < 32 { 3 * i + 1 } else { i };
    assert_eq!(host.read(&whole, 0, 256, &both).unwrap().wait().unwrap(), bytes((0..64).map(stepped)));
    let map = two.map(&high, MapAccess::ReadWrite, 4, 8, &both).unwrap();
    map.event().wait().unwrap();
    let mut seen = [0; 8];
    map.read(0, &mut seen).unwrap();
    assert_eq!(seen.to_vec(), bytes([52, 55]));
    // SAFETY: the mapping is complete, and nobody else uses its bytes.
    unsafe { map.pointer().cast::<i32>().write_unaligned(1000) };
    two.unmap(&map, &[]).unwrap().wait().unwrap();
    one.copy(&whole, 64, &whole, 128, 64, &[]).unwrap();
    one.fill(&whole, &7_i32.to_le_bytes(), 0, 16, &[]).unwrap();
    one.migrate(&[low], Migration::ToHost, &[]).unwrap();
    one.finish().unwrap();
    let numbers = whole.to_vec();
    assert_eq!(numbers[..24].to_vec(), bytes([7, 7, 7, 7, 13, 16]));
    assert_eq!(numbers[128..140].to_vec(), bytes([49, 1000, 55]));
    let out = one.read(&whole, 128, 12, &[]).unwrap();
    assert_eq!(out.wait().unwrap(), bytes([49, 1000, 55]));
}

#[test]
fn a_program_may_be_larger_than_the_memory() {
    let (context, kernel) = (context(), step());
    let device = context.device("discrete:64K").unwrap();
    let queue = queue(&context, &device);
    let items = 4096_u64;
    let range = NdRange::new(&[items]).unwrap().with_local(&[64]).unwrap();
    // 16 buffers of 16 KiB: four times the memory.
    let buffers: Vec<Buffer> =
        (0..16).map(|number| Buffer::from_bytes(&bytes(number..number + 4096)).unwrap()).collect();
    for _ in 0..3 {
        for buffer in &buffers {
            queue.kernel(&kernel, &range, &[ArgValue::Buffer(buffer)], &[]).unwrap();
        }
    }
    queue.finish().unwrap();
    for (number, buffer) in (0..).zip(&buffers) {
        let want = (number..number + 4096).map(|i: i32| (0..3).fold(i, |v, _| 3 * v + 1));
        assert!(buffer.to_vec() == bytes(want), "buffer {number}");
    }
    let counters = device.memory_counters();
    assert!(counters.paged_out > 0 && counters.paged_in > 0, "{counters:?}");
    drop(buffers);
    assert_eq!(device.discrete().unwrap().usage().unwrap().objects, 0);
}

#[test]
fn what_exceeds_the_memory_by_itself_is_refused_with_its_figures() {
    let (context, kernel) = (context(), step());
    let device = context.device("discrete:64K").unwrap();
    let queue = queue(&context, &device);
    let range = NdRange::new(&[16]).unwrap();
    let large = Buffer::zeroed(65 << 10).unwrap();
    let error = queue.kernel(&kernel, &range, &[ArgValue::Buffer(&large)], &[]).unwrap_err();
    assert_eq!(error.code().to_string(), "OX0573");
    let figures = QueueError::DeviceMemory { needed: 65 << 10, available: 64 << 10, pinned: 0 };
    assert_eq!(error, LaunchError::Queue(figures));
    let halves = [Buffer::zeroed(40 << 10).unwrap(), Buffer::zeroed(40 << 10).unwrap()];
    let error = queue.copy(&halves[0], 0, &halves[1], 0, 8, &[]);
    // The source is at the host, and a copy takes it from there.
    error.unwrap().wait().unwrap();
    queue.fill(&halves[0], &[1], 0, 8, &[]).unwrap().wait().unwrap();
    let error = queue.copy(&halves[0], 0, &halves[1], 0, 8, &[]).unwrap_err();
    let figures = QueueError::DeviceMemory { needed: 80 << 10, available: 64 << 10, pinned: 0 };
    assert_eq!(error, figures);
    let own = 5_i32;
    let address = ArgValue::Pointer(&raw const own as u64);
    let error = queue.kernel(&kernel, &range, &[address], &[]).unwrap_err();
    assert_eq!(error.code().to_string(), "OX0546");
    // The queue goes on.
    let small = Buffer::from_bytes(&bytes(0..16)).unwrap();
    queue.kernel(&kernel, &range, &[ArgValue::Buffer(&small)], &[]).unwrap().wait().unwrap();
    assert_eq!(small.to_vec(), bytes((0..16).map(|i| 3 * i + 1)));
}

#[test]
fn a_device_that_fails_takes_its_command_down_and_nothing_else() {
    let (context, kernel) = (context(), step());
    let range = NdRange::new(&[4096]).unwrap().with_local(&[64]).unwrap();
    for after in 0..24 {
        let device = context.device("discrete:64K").unwrap();
        let queue = queue(&context, &device);
        let buffers: Vec<Buffer> =
            (0..8).map(|number| Buffer::from_bytes(&bytes(number..number + 4096)).unwrap()).collect();
        device.discrete().unwrap().fail_after(after);
        let events: Vec<_> = buffers
            .iter()
            .map(|buffer| queue.kernel(&kernel, &range, &[ArgValue::Buffer(buffer)], &[]).unwrap())
            .collect();
        let failed: Vec<bool> = events.iter().map(|event| event.wait().is_err()).collect();
        device.discrete().unwrap().stop_failing();
        assert!(failed.iter().filter(|failed| **failed).count() <= 1, "{failed:?}");
        let all = failed.clone();
        for ((number, buffer), failed) in (0..).zip(&buffers).zip(failed) {
            let before: Vec<i32> = (number..number + 4096).collect();
            let stepped = bytes(before.iter().map(|i| 3 * i + 1));
            let contents = buffer.contents().unwrap();
            // A kernel that was not executed has written nothing.
            let want = if failed { bytes(before) } else { stepped };
            let differs = contents.iter().zip(&want).position(|(a, b)| a != b);
            let found = differs.map(|at| &contents[at / 4 * 4..at / 4 * 4 + 16]);
            assert!(
                found.is_none(),
                "buffer {number}, fault {after}, failed {failed}, at {differs:?}: {found:?} {:?} {all:?}",
                device.memory_counters()
            );
        }
    }
}

#[test]
fn memory_of_the_host_program_that_is_gone_is_named() {
    let (context, kernel) = (context(), step());
    let device = context.device("discrete:64K").unwrap();
    let queue = queue(&context, &device);
    let range = NdRange::new(&[4096]).unwrap().with_local(&[64]).unwrap();
    let gone = {
        // So large that it is a mapping of its own, to whose lower end no other thread's memory gets soon.
        let memory: Vec<u8> = Vec::with_capacity(1 << 32);
        std::ptr::NonNull::new(memory.as_ptr().cast_mut()).unwrap()
    };
    // SAFETY: the promise is broken, which the device finds out before it looks at the memory; that is what is tested.
    let gone = unsafe { HostSpan::new(gone, 4096 * 4) };
    // SAFETY: as above.
    let buffer = unsafe { Buffer::over(gone) }.unwrap();
    let kept = Buffer::from_bytes(&bytes(0..4096)).unwrap();
    let moved = queue.migrate(std::slice::from_ref(&buffer), Migration::ToDevice, &[]).unwrap();
    let run = queue.kernel(&kernel, &range, &[ArgValue::Buffer(&buffer)], &[]).unwrap();
    for event in [moved, run] {
        let failure = event.wait().unwrap_err().to_string();
        assert!(failure.contains("its caller freed or unmapped it"), "{failure}");
    }
    // The next command runs.
    queue.kernel(&kernel, &range, &[ArgValue::Buffer(&kept)], &[]).unwrap().wait().unwrap();
    // SAFETY: as above.
    let failure = unsafe { queue.read_to(&kept, 0, gone, &[]) }.unwrap().wait().unwrap_err();
    assert!(failure.to_string().contains("its caller freed or unmapped it"), "{failure}");
    assert!(kept.to_vec() == bytes((0..4096).map(|i| 3 * i + 1)));
}

#[test]
fn releases_in_every_order_with_work_pending_lose_nothing() {
    let kernel = step();
    let range = NdRange::new(&[256]).unwrap().with_local(&[64]).unwrap();
    for order in 0..24_usize {
        let context = context();
        let device = context.device("discrete:64K").unwrap();
        let queue = queue(&context, &device);
        let gate = context.user_event().unwrap();
        let kept = Buffer::from_bytes(&bytes(0..256)).unwrap();
        let buffer = Buffer::from_bytes(&bytes(0..256)).unwrap();
        let gated = [gate.event().clone()];
        let event = queue.kernel(&kernel, &range, &[ArgValue::Buffer(&buffer)], &gated).unwrap();
        queue.copy(&buffer, 0, &kept, 0, 1024, &[]).unwrap();
        let (mut context, mut device, mut queue, mut buffer) =
            (Some(context), Some(device), Some(queue), Some(buffer));
        let mut left = vec![0, 1, 2, 3];
        let mut digits = order;
        for remaining in (1..=4).rev() {
            match left.remove(digits % remaining) {
                0 => drop(context.take()),
                1 => drop(device.take()),
                2 => drop(queue.take()),
                _ => drop(buffer.take()),
            }
            digits /= remaining;
        }
        gate.complete();
        event.wait().unwrap();
        // In the buffer's own time the copy has been made.
        assert!(kept.to_vec() == bytes((0..256).map(|i| 3 * i + 1)), "order {order}");
    }
}

/// A callback that a waiting thread executes may use the buffer whose content that thread waits for.
#[test]
fn a_buffer_is_not_locked_while_its_content_is_waited_for() {
    let kernel = step();
    let range = NdRange::new(&[256]).unwrap().with_local(&[64]).unwrap();
    for write in [false, true] {
        let (done, finished) = std::sync::mpsc::channel();
        let kernel = kernel.clone();
        std::thread::spawn(move || {
            // One worker: whoever waits is who executes.
            let context = Context::new(ContextOptions { workers: 1, ..ContextOptions::default() }).unwrap();
            let [device, cpu] = ["discrete:64K", "cpu"].map(|word| context.device(word).unwrap());
            let [on_device, on_cpu] = [queue(&context, &device), queue(&context, &cpu)];
            let (gate, first) = (context.user_event().unwrap(), context.user_event().unwrap());
            let buffer = Buffer::from_bytes(&bytes(0..256)).unwrap();
            let gated = [gate.event().clone()];
            on_device.kernel(&kernel, &range, &[ArgValue::Buffer(&buffer)], &gated).unwrap();
            let other = Buffer::from_bytes(&bytes(0..256)).unwrap();
            let unlocked = [first.event().clone()];
            let early = on_cpu.kernel(&kernel, &range, &[ArgValue::Buffer(&other)], &unlocked).unwrap();
            let same = buffer.clone();
            let (called, calls) = std::sync::mpsc::channel();
            early
                .on_complete(move |_, _| {
                    // Waits for the kernel, too.
                    same.write(1020, &7_i32.to_le_bytes()).unwrap();
                    called.send(()).unwrap();
                })
                .unwrap();
            let gates = std::thread::spawn(move || {
                let opens = std::thread::spawn(move || {
                    std::thread::sleep(std::time::Duration::from_millis(150));
                    gate.complete();
                });
                std::thread::sleep(std::time::Duration::from_millis(50));
                first.complete();
                opens.join().unwrap();
            });
            if write {
                buffer.write(0, &1_i32.to_le_bytes()).unwrap();
            } else {
                buffer.read(0, &mut [0; 4]).unwrap();
            }
            early.wait().unwrap();
            calls.recv().unwrap();
            gates.join().unwrap();
            let mut want: Vec<i32> = (0..256).map(|i| 3 * i + 1).collect();
            want[255] = 7;
            done.send(buffer.to_vec() == bytes(want)).unwrap();
        });
        let right = finished.recv_timeout(std::time::Duration::from_secs(20));
        assert_eq!(right, Ok(true), "write: {write}");
    }
}

#[test]
fn contexts_with_devices_of_one_kind_share_no_memory() {
    let kernel = step();
    let range = NdRange::new(&[1024]).unwrap().with_local(&[64]).unwrap();
    std::thread::scope(|scope| {
        for start in [0, 1000] {
            let kernel = &kernel;
            scope.spawn(move || {
                let context = context();
                let device = context.device("discrete:64K").unwrap();
                let queues = [queue(&context, &device), queue(&context, &device)];
                let buffers: Vec<Buffer> = (0..40)
                    .map(|number| Buffer::from_bytes(&bytes(start + number..start + number + 1024)).unwrap())
                    .collect();
                for (number, buffer) in buffers.iter().enumerate() {
                    queues[number % 2].kernel(kernel, &range, &[ArgValue::Buffer(buffer)], &[]).unwrap();
                }
                for (number, buffer) in (start..).zip(&buffers) {
                    assert!(buffer.to_vec() == bytes((number..number + 1024).map(|i| 3 * i + 1)));
                }
            });
        }
    });
}
