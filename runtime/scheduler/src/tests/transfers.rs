//! Transfers of all sizes, whole and in pieces.

use std::ptr::NonNull;
use std::sync::Arc;

use oxcl_driver::rect::{Rect, RectSide};
use oxcl_driver::{Allocation, AllocationRequest, Driver, Failure, HostSpan, Launch};

use super::{Random, command, null, scheduler};
use crate::transfer::{CHUNK, Movement, Transfer};
use crate::{QueueProperties, Scheduler};

fn span(bytes: &mut [u8]) -> HostSpan {
    let length = bytes.len() as u64;
    // SAFETY: every test waits for the transfer before it touches the bytes again or drops them.
    unsafe { HostSpan::new(NonNull::from(bytes).cast(), length) }
}

fn random_bytes(length: u64, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    (0..length).map(|_| random.next().to_le_bytes()[0]).collect()
}

struct Device<'a> {
    scheduler: &'a Scheduler,
    driver: Arc<dyn Driver>,
}

impl Device<'_> {
    fn run(&self, movement: Movement) -> Result<(), Arc<Failure>> {
        let q = self.scheduler.queue(Arc::clone(&self.driver), QueueProperties::default()).unwrap();
        let transfer: Arc<dyn Launch> = Arc::new(Transfer::new(Arc::clone(&self.driver), movement));
        q.enqueue_and_wait(command(Some(transfer), &[])).unwrap()
    }

    fn memory(&self, bytes: &mut [u8]) -> Arc<Allocation> {
        let to = Arc::new(self.driver.allocate(&AllocationRequest::bytes(bytes.len() as u64)).unwrap());
        self.run(Movement::Write { to: Arc::clone(&to), offset: 0, from: span(bytes) }).unwrap();
        to
    }

    fn content(&self, from: &Arc<Allocation>) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(from.size).unwrap()];
        self.run(Movement::Read { from: Arc::clone(from), offset: 0, to: span(&mut bytes) }).unwrap();
        bytes
    }
}

#[test]
fn large_transfers_move_what_small_ones_do() {
    for workers in [1, 2, 4] {
        let scheduler = scheduler(workers);
        let device = Device { scheduler: &scheduler, driver: null() };
        for size in [1u64, 1000, CHUNK, CHUNK + 1, 9 * CHUNK + 77] {
            let (mut a, mut b) = (random_bytes(size, 1), random_bytes(size, 2));
            let (from, to) = (device.memory(&mut a), device.memory(&mut b));
            assert_eq!(device.content(&from), a);
            let length = size - size / 3;
            let (from_offset, to_offset) = (size / 5, size / 7);
            let copy = Movement::Copy {
                from: Arc::clone(&from),
                from_offset,
                to: Arc::clone(&to),
                to_offset,
                length: length.min(size - from_offset),
            };
            device.run(copy).unwrap();
            let n = usize::try_from(length.min(size - from_offset)).unwrap();
            let (f, t) = (usize::try_from(from_offset).unwrap(), usize::try_from(to_offset).unwrap());
            b[t..t + n].copy_from_slice(&a[f..f + n]);
            assert_eq!(device.content(&to), b);
            if size >= 12 {
                let pattern: Arc<[u8]> = Arc::new([1, 2, 3]);
                let length = (size - 9) / 3 * 3;
                device.run(Movement::Fill { to: Arc::clone(&to), offset: 5, length, pattern }).unwrap();
                for (i, byte) in b[5..5 + usize::try_from(length).unwrap()].iter_mut().enumerate() {
                    *byte = [1, 2, 3][i % 3];
                }
                assert_eq!(device.content(&to), b);
            }
        }
    }
}

#[test]
fn overlapping_copies_are_one_piece() {
    let scheduler = scheduler(2);
    let device = Device { scheduler: &scheduler, driver: null() };
    let mut bytes = random_bytes(4 * CHUNK, 3);
    let memory = device.memory(&mut bytes);
    let n = usize::try_from(3 * CHUNK).unwrap();
    let copy = Movement::Copy {
        from: Arc::clone(&memory),
        from_offset: 0,
        to: Arc::clone(&memory),
        to_offset: 100,
        length: 3 * CHUNK,
    };
    device.run(copy).unwrap();
    bytes.copy_within(0..n, 100);
    assert_eq!(device.content(&memory), bytes);
}

#[test]
fn rectangles_move_their_rows_in_pieces_too() {
    let scheduler = scheduler(2);
    let device = Device { scheduler: &scheduler, driver: null() };
    for (row, rows, slices) in [(7u64, 5u64, 3u64), (1000, 900, 2), (CHUNK, 5, 1)] {
        let side = |offset, extra: u64| RectSide {
            offset,
            row_pitch: row + extra,
            slice_pitch: (row + extra) * rows + 11,
        };
        let rect = Rect { size: [row, rows, slices], from: side(3, 2), to: side(9, 5) };
        let size = 9 + ((row + 5) * rows + 11) * slices;
        let (mut a, mut b) = (random_bytes(size, 4), random_bytes(size, 5));
        let (from, to) = (device.memory(&mut a), device.memory(&mut b));
        let mut expected = b.clone();
        for r in rect.rows() {
            let [f, t, n] = [r.from, r.to, r.length].map(|v| usize::try_from(v).unwrap());
            expected[t..t + n].copy_from_slice(&a[f..f + n]);
        }
        let mut host = b.clone();
        device.run(Movement::ReadRect { from: Arc::clone(&from), to: span(&mut host), rect }).unwrap();
        assert_eq!(host, expected);
        device.run(Movement::CopyRect { from, to: Arc::clone(&to), rect }).unwrap();
        assert_eq!(device.content(&to), expected);
        device.run(Movement::Write { to: Arc::clone(&to), offset: 0, from: span(&mut b) }).unwrap();
        device.run(Movement::WriteRect { to: Arc::clone(&to), from: span(&mut a), rect }).unwrap();
        assert_eq!(device.content(&to), expected);
    }
}

#[test]
fn a_transfer_that_leaves_its_memory_fails() {
    let scheduler = scheduler(2);
    let device = Device { scheduler: &scheduler, driver: null() };
    let mut bytes = random_bytes(CHUNK * 3, 6);
    let memory = device.memory(&mut bytes);
    let outcome = device.run(Movement::Write { to: memory, offset: 1, from: span(&mut bytes) });
    assert!(matches!(&*outcome.unwrap_err(), Failure::Driver(_)));
}
