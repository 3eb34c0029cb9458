//! The benchmarks' kernels: what the OpenCL client's kernels do, as functions. Cells are atomics that are only loaded
//! and stored, so that a wrong order shows as a wrong result and not as undefined behaviour.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use oxcl_driver::{Failure, Lane, Launch};

/// A buffer of 32-bit cells.
pub(super) type Cells = Arc<[AtomicU32]>;

pub(super) fn cells(count: usize) -> Cells {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

/// `out[0] = in[0] + 1`.
pub(super) struct Increment {
    pub(super) from: Cells,
    pub(super) to: Cells,
}

impl Launch for Increment {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        self.to[0].store(self.from[0].load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        Ok(())
    }

    fn label(&self) -> &str {
        "inc"
    }
}

/// Elements that the largest piece of work goes through.
pub(super) const ELEMENTS: u64 = 8192;

/// A chain of dependent multiply-adds over `count` elements.
fn chain(input: &[f32], count: u64) -> f32 {
    let count = usize::try_from(count).unwrap_or(usize::MAX).min(input.len());
    input[..count].iter().fold(0.0, |sum, value| sum * 0.999 + value)
}

/// `groups` work-groups. Group `g` goes `g + 1` times through `elements` elements if the work is uneven, else once.
pub(super) struct Work {
    pub(super) input: Arc<[f32]>,
    pub(super) to: Cells,
    pub(super) elements: u64,
    pub(super) groups: u64,
    pub(super) uneven: bool,
}

impl Launch for Work {
    fn groups(&self) -> u64 {
        self.groups
    }

    fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
        for group in first..first + count {
            let rounds = if self.uneven { group + 1 } else { 1 };
            for _ in 0..rounds {
                black_box(chain(black_box(&self.input), self.elements));
            }
            if let Some(cell) = usize::try_from(group).ok().and_then(|group| self.to.get(group)) {
                cell.store(cell.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn label(&self) -> &str {
        "work"
    }
}

/// Work-groups that do nothing, called one by one as compiled code would be.
pub(super) struct Empty {
    pub(super) groups: u64,
}

#[inline(never)]
fn empty_group(group: u64) {
    black_box(group);
}

impl Launch for Empty {
    fn groups(&self) -> u64 {
        self.groups
    }

    fn run(&self, first: u64, count: u64, _lane: Lane) -> Result<(), Failure> {
        for group in first..first + count {
            empty_group(group);
        }
        Ok(())
    }

    fn label(&self) -> &str {
        "empty"
    }
}
