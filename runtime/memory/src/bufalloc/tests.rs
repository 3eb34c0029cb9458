//! Unit and property tests of the allocator against a naive model.

use super::{AllocError, BufAlloc, Chunk, Strategy};
use proptest::prelude::{Just, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy as Generator;

/// Free intervals in address order, found by walking: slow and obviously right.
struct Model {
    free: Vec<(u64, u64)>,
}

impl Model {
    fn take(&mut self, address: u64, size: u64) {
        let at = self
            .free
            .iter()
            .position(|&(start, end)| start <= address && address + size <= end)
            .expect("the chunk lies in free memory");
        let (start, end) = self.free.remove(at);
        if address + size < end {
            self.free.insert(at, (address + size, end));
        }
        if start < address {
            self.free.insert(at, (start, address));
        }
    }

    fn give(&mut self, address: u64, size: u64) {
        self.free.push((address, address + size));
        self.free.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for &(start, end) in &self.free {
            match merged.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => merged.push((start, end)),
            }
        }
        self.free = merged;
    }

    fn holds(&self, size: u64, alignment: u64) -> bool {
        self.free.iter().any(|&(start, end)| start.next_multiple_of(alignment) + size <= end)
    }
}

#[derive(Debug, Clone)]
enum Step {
    Allocate(u64, u32),
    Free(usize),
}

fn steps() -> impl Generator<Value = Vec<Step>> {
    let size = prop_oneof![1u64..300, 1u64..5000, Just(4096u64)];
    let step = prop_oneof![
        3 => (size, 0u32..9).prop_map(|(size, log)| Step::Allocate(size, log)),
        2 => any::<usize>().prop_map(Step::Free),
    ];
    proptest::collection::vec(step, 1..200)
}

proptest! {
    #[test]
    fn agrees_with_the_naive_model(steps in steps(), wasteful in any::<bool>(), base in 0u64..1000) {
        let strategy = if wasteful { Strategy::Wasteful } else { Strategy::Tight };
        let mut region = BufAlloc::new(base, 64 * 1024, 16, strategy).unwrap();
        let room = region.usage().free;
        let mut model = Model { free: vec![(base.next_multiple_of(16), base.next_multiple_of(16) + room)] };
        let mut live: Vec<Chunk> = Vec::new();
        for step in steps {
            match step {
                Step::Allocate(size, log) => {
                    let alignment = 1u64 << log;
                    match region.allocate_aligned(size, alignment) {
                        Ok(chunk) => {
                            prop_assert_eq!(chunk.address % alignment.max(16), 0);
                            prop_assert!(chunk.size >= size && chunk.size < size + 16);
                            model.take(chunk.address, chunk.size);
                            live.push(chunk);
                        }
                        Err(_) => prop_assert!(!model.holds(size.next_multiple_of(16), alignment.max(16))),
                    }
                }
                Step::Free(_) if live.is_empty() => {}
                Step::Free(which) => {
                    let chunk = live.swap_remove(which % live.len());
                    region.free(chunk).unwrap();
                    prop_assert_eq!(region.free(chunk), Err(AllocError::NotAllocated(chunk.address)));
                    model.give(chunk.address, chunk.size);
                }
            }
            let usage = region.usage();
            prop_assert_eq!(usage.chunks, live.len());
            prop_assert_eq!(usage.free, model.free.iter().map(|(s, e)| e - s).sum::<u64>());
            prop_assert_eq!(usage.largest_free, model.free.iter().map(|(s, e)| e - s).max().unwrap_or(0));
        }
        for chunk in live {
            region.free(chunk).unwrap();
        }
        let usage = region.usage();
        prop_assert_eq!((usage.free, usage.largest_free, usage.used), (room, room, 0));
    }
}

#[test]
fn wasteful_prefers_the_end_and_tight_the_hole() {
    for (strategy, reused) in [(Strategy::Tight, true), (Strategy::Wasteful, false)] {
        let mut region = BufAlloc::new(0, 4096, 64, strategy).unwrap();
        let first = region.allocate(100).unwrap();
        let _second = region.allocate(100).unwrap();
        region.free(first).unwrap();
        let third = region.allocate(100).unwrap();
        assert_eq!(third.address == first.address, reused);
    }
}

#[test]
fn refuses_what_it_cannot_do() {
    assert_eq!(BufAlloc::new(0, 100, 3, Strategy::Tight).unwrap_err(), AllocError::Alignment(3));
    assert!(matches!(BufAlloc::new(u64::MAX, 100, 16, Strategy::Tight), Err(AllocError::Region { .. })));
    assert!(matches!(BufAlloc::new(1, 14, 16, Strategy::Tight), Err(AllocError::Region { .. })));
    let mut region = BufAlloc::new(0, 1024, 16, Strategy::Tight).unwrap();
    assert_eq!(region.allocate(0).unwrap_err(), AllocError::ZeroSize);
    assert_eq!(
        region.allocate(2000).unwrap_err(),
        AllocError::OutOfMemory { needed: 2000, free: 1024, largest: 1024 }
    );
    assert!(region.allocate(u64::MAX).is_err());
    assert!(region.allocate_aligned(16, 1 << 63).is_ok(), "address 0 has every alignment");
    assert!(region.allocate_aligned(16, 1 << 63).is_err());
}

#[test]
fn a_stale_handle_frees_nothing() {
    let mut region = BufAlloc::new(0, 1024, 16, Strategy::Tight).unwrap();
    let old = region.allocate(64).unwrap();
    region.free(old).unwrap();
    let new = region.allocate(64).unwrap();
    assert_eq!(old.address, new.address);
    assert_eq!(region.free(old), Err(AllocError::NotAllocated(old.address)));
    region.free(new).unwrap();
}
