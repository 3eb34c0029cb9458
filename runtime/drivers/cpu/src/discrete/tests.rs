//! The device by itself: conformance, more allocations than memory, faults in the middle of everything.

use std::ptr::NonNull;

use oxcl_memory::Shortage;

use super::*;

fn span(bytes: &mut [u8]) -> HostSpan {
    let length = bytes.len() as u64;
    // SAFETY: every use is synchronous, or the test keeps the bytes until it is over.
    unsafe { HostSpan::new(NonNull::from(bytes).cast(), length) }
}

fn device(memory: u64) -> DiscreteDriver {
    DiscreteDriver::new(memory, None).unwrap()
}

const SIZE: u64 = 64 << 10;

fn filled(number: u8) -> Vec<u8> {
    (0..SIZE).map(|i| (i as u8).wrapping_mul(31).wrapping_add(number)).collect()
}

fn contents(device: &DiscreteDriver, allocation: &Allocation) -> Result<Vec<u8>, DriverError> {
    let mut bytes = vec![0; SIZE as usize];
    device.read(allocation, 0, span(&mut bytes)).map(|()| bytes)
}

#[test]
fn the_device_conforms() {
    let driver: Arc<dyn Driver> = Arc::new(device(8 << 20));
    let report = oxcl_driver::conformance::run(&driver);
    assert!(report.passed(), "{report}");
}

#[test]
fn more_is_kept_than_the_memory_holds() {
    let device = device(4 * SIZE);
    let kept: Vec<_> = (0..16).map(|_| device.allocate(&AllocationRequest::bytes(SIZE)).unwrap()).collect();
    for (number, allocation) in (0..).zip(&kept) {
        device.write(allocation, 0, span(&mut filled(number))).unwrap();
    }
    for (number, allocation) in (0..16).zip(&kept).rev() {
        assert_eq!(contents(&device, allocation).unwrap(), filled(number));
    }
    // What is only read is read where it is: nothing comes in, and nothing leaves for it.
    let first = device.memory_counters();
    assert!(first.paged_out >= 12 * SIZE && first.paged_in == 0, "{first:?}");
    let out = first.paged_out;
    // What is written in part comes in. Pages that leave for it and were not written since leave without a copy.
    for (number, allocation) in (0..).zip(&kept) {
        device.write(allocation, 5, span(&mut filled(number)[5..6])).unwrap();
    }
    for (number, allocation) in (0..).zip(&kept) {
        assert_eq!(contents(&device, allocation).unwrap(), filled(number));
    }
    let second = device.memory_counters();
    assert!(second.paged_in >= 12 * SIZE && second.paged_out > out, "{second:?}");
    // All of the target is written: it takes a place, but no page comes in.
    let away = |at: &usize| {
        let before = device.memory_counters().paged_in;
        device.write(&kept[*at], 0, span(&mut filled(*at as u8))).unwrap();
        device.memory_counters().paged_in == before
    };
    assert!((0..16).all(|at| away(&at)));
    device.copy(&kept[0], 0, &kept[15], 100, 1000).unwrap();
    let mut want = filled(15);
    want[100..1100].copy_from_slice(&filled(0)[..1000]);
    assert_eq!(contents(&device, &kept[15]).unwrap(), want);
    kept.into_iter().for_each(|allocation| device.free(allocation));
    let usage = device.usage().unwrap();
    assert_eq!((usage.used, usage.objects), (0, 0));
}

#[test]
fn what_came_from_home_is_not_saved() {
    let device = device(2 * SIZE);
    let mut homes: Vec<Vec<u8>> = (0..6).map(filled).collect();
    let homes: Vec<_> = homes.iter_mut().map(|home| span(home)).collect();
    let kept: Vec<_> = homes
        .iter()
        .map(|home| {
            let request = AllocationRequest { host: Some(*home), ..AllocationRequest::bytes(SIZE) };
            device.allocate(&request).unwrap()
        })
        .collect();
    for (allocation, home) in kept.iter().zip(&homes) {
        device.write(allocation, 0, *home).unwrap();
    }
    for (number, allocation) in (0..).zip(&kept) {
        assert_eq!(contents(&device, allocation).unwrap(), filled(number));
    }
    let counters = device.memory_counters();
    assert_eq!((counters.paged_out, counters.paged_in), (0, 0));
    assert!(counters.clobbered >= 4 * SIZE, "{counters:?}");
    for (number, allocation) in (0..).zip(&kept) {
        device.write(allocation, 7, span(&mut [number])).unwrap();
        let mut want = filled(number);
        want[7] = number;
        assert_eq!(contents(&device, allocation).unwrap(), want);
    }
    let counters = device.memory_counters();
    assert!(counters.paged_in >= 4 * SIZE, "{counters:?}");
    kept.into_iter().for_each(|allocation| device.free(allocation));
}

#[test]
fn a_fault_at_any_step_loses_nothing_but_the_command() {
    for after in 0..120 {
        let device = device(2 * SIZE);
        let kept: Vec<_> =
            (0..5).map(|_| device.allocate(&AllocationRequest::bytes(SIZE)).unwrap()).collect();
        for (number, allocation) in (0..).zip(&kept) {
            device.write(allocation, 0, span(&mut filled(number))).unwrap();
        }
        match after % 3 {
            0 => device.fail_after(after / 3),
            1 => device.refuse_pages_after(after / 12),
            _ => device.refuse_lists_after(after / 3),
        }
        let mut failed = 0;
        for allocation in &kept {
            // Pages that are not there come in, others go out for them.
            failed += usize::from(device.copy(&kept[0], 0, allocation, 0, SIZE / 2).is_err());
        }
        let unused = device.stop_failing();
        assert_eq!(failed, usize::from(!unused), "fault after {after}");
        // Whatever failed can be done again, and what no command wrote is as it was.
        for allocation in &kept {
            device.copy(&kept[0], 0, allocation, 0, SIZE).unwrap();
        }
        for allocation in &kept {
            assert_eq!(contents(&device, allocation).unwrap(), filled(0), "fault after {after}");
        }
        kept.into_iter().for_each(|allocation| device.free(allocation));
        assert_eq!(device.usage().unwrap().objects, 0);
    }
}

/// Pages of this size leave in several pieces, so that a fault comes when some have left and others have not.
#[test]
fn a_fault_in_the_middle_of_a_page_loses_nothing() {
    const LARGE: u64 = 1 << 20;
    let filled = |number: u8| -> Vec<u8> {
        (0..LARGE).map(|i| (i >> 8) as u8 ^ (i as u8).wrapping_mul(7).wrapping_add(number)).collect()
    };
    for after in 0..24 {
        let device = device(2 * LARGE);
        let kept: Vec<_> =
            (0..4).map(|_| device.allocate(&AllocationRequest::bytes(LARGE)).unwrap()).collect();
        for (number, allocation) in (0..).zip(&kept) {
            device.write(allocation, 0, span(&mut filled(number))).unwrap();
        }
        let before = device.memory_counters();
        device.fail_after(after);
        let mut failed = Vec::new();
        for (number, allocation) in (0..).zip(&kept) {
            // One byte: what is out comes in for it, and others leave.
            if device.write(allocation, 3, span(&mut [number])).is_err() {
                failed.push(number);
            }
        }
        device.stop_failing();
        assert!(failed.len() <= 1, "fault after {after}: {failed:?}");
        for (number, allocation) in (0..).zip(&kept) {
            let mut want = filled(number);
            let mut found = vec![0; LARGE as usize];
            device.read(allocation, 0, span(&mut found)).unwrap();
            if failed != [number] {
                want[3] = number;
            }
            assert!(found == want, "fault after {after}, allocation {number}");
            // And the next command runs.
            device.write(allocation, 0, span(&mut filled(number + 1))).unwrap();
            device.read(allocation, 0, span(&mut found)).unwrap();
            assert!(found == filled(number + 1), "fault after {after}, allocation {number}");
        }
        assert!(device.memory_counters().paged_out > before.paged_out, "fault after {after}");
        kept.into_iter().for_each(|allocation| device.free(allocation));
        assert_eq!(device.usage().unwrap().objects, 0);
    }
}

#[test]
fn what_does_not_fit_at_once_is_refused_with_its_figures() {
    let device = device(4 * SIZE);
    let error = device.allocate(&AllocationRequest::bytes(5 * SIZE)).unwrap_err();
    assert_eq!(error, DriverError::OutOfMemory { needed: 5 * SIZE, available: 4 * SIZE });
    let three = || device.allocate(&AllocationRequest::bytes(3 * SIZE)).unwrap();
    let (one, other) = (three(), three());
    device.fill(&one, 0, 3 * SIZE, &[1]).unwrap();
    device.fill(&other, 0, 3 * SIZE, &[2]).unwrap();
    // The source of a copy is read where it is, so only the target has to fit.
    device.copy(&one, 0, &other, SIZE, SIZE).unwrap();
    let mut bytes = [0; 2];
    device.read(&other, SIZE - 1, span(&mut bytes)).unwrap();
    assert_eq!(bytes, [2, 1]);
    let figures = Shortage::TooLarge { needed: 6, available: 4, pinned: 1 };
    let refusal = coordinator::refusal(&figures);
    assert_eq!(refusal, DriverError::DeviceMemory { needed: 6, available: 4, pinned: 1 }.into());
    let mut byte = [0];
    device.read(&one, SIZE, span(&mut byte)).unwrap();
    assert_eq!(byte, [1]);
    device.free(one);
    device.free(other);
}

#[test]
fn memory_of_the_host_that_is_gone_is_the_callers_fault() {
    let device = device(4 * SIZE);
    let allocation = device.allocate(&AllocationRequest::bytes(SIZE)).unwrap();
    let gone = {
        // So large that no other thread's memory gets to its lower end meanwhile.
        let block = HostMemory::zeroed(1 << 32).unwrap();
        // SAFETY: nothing is copied once the block is gone; that is what is tested.
        unsafe { HostSpan::new(NonNull::new(block.as_ptr()).unwrap(), SIZE) }
    };
    let error = device.write(&allocation, 0, gone).unwrap_err();
    assert!(matches!(error, DriverError::HostMemoryGone { bytes: SIZE, .. }), "{error}");
    device.write(&allocation, 0, span(&mut filled(3))).unwrap();
    assert_eq!(contents(&device, &allocation).unwrap(), filled(3));
    device.free(allocation);
}
