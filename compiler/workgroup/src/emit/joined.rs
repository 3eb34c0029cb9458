//! Regions in which LLVM shall join the elements of work-items' own arrays, and not work-items.
//!
//! In: a region at W = 1. Out: the private array that decides it, if there is one. A private array that crosses a barrier lies in
//! scratch memory, one work-item's elements one behind the other, so that LLVM's loop vectoriser needs a gather or a scatter
//! for each element, which is no cheaper than one work-item at a time. Where the elements are treated alike, its vectoriser of
//! straight code makes vectors of them instead: sixteen sums of a matrix product are one register. But it runs after the other, and
//! finds nothing left. So the loop over work-items is left apart where stores fill such an array, and little else is done.
//!
//! Not found here: elements that a loop inside the region goes over, which LLVM may write out later.

use super::independent::Accesses;
use super::{is_marker, is_mostly_free};
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::slots::{Home, Slots};
use oxcl_ir::{Opcode, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that stores must fill without a gap, in so many elements at least: with fewer the loop vectoriser's shuffles are as good.
const LEAST_BYTES: i64 = 32;
const LEAST_ELEMENTS: usize = 4;
/// Other instructions for each access to the array: where more is done to the elements than that, vectors of work-items may
/// gain more by it than they lose by gathers.
const MOST_OTHERS: usize = 3;

/// The private array whose elements are joined in a region.
pub(crate) fn array<'c>(
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    slots: &Slots<'c>,
    number: usize,
) -> Option<Value<'c>> {
    let is_own =
        |value: Value<'c>| value.is(Opcode::LLVMAlloca) && matches!(slots.home(value), Some(Home::Item(_)));
    let blocks = || regions.regions[number].blocks.iter().map(|&block| regions.cfg.blocks[block]);
    let instructions = || blocks().flat_map(|block| block.instructions());
    let touches = |instruction: Value<'c>| instruction.operands().into_iter().any(is_own);
    if !instructions().any(touches) {
        return None;
    }
    // Where each array's elements are stored that are found by the same terms, by the size of the element.
    let mut stored: BTreeMap<(usize, i64), (Value<'c>, BTreeSet<i64>)> = BTreeMap::new();
    let accesses = Accesses::of(kernel, regions, number);
    for access in accesses.list.iter().filter(|access| access.writes && is_own(access.root)) {
        let places = stored.entry((access.family, access.size));
        places.or_insert_with(|| (access.root, BTreeSet::new())).1.insert(access.offset);
    }
    let (array, filled) = stored
        .iter()
        .map(|(&(_, size), (array, offsets))| (*array, longest_run(offsets, size), size))
        .filter(|&(_, run, size)| run >= LEAST_ELEMENTS && run as i64 * size >= LEAST_BYTES)
        .map(|(array, run, _)| (array, run))
        .reduce(|best, other| if other.1 > best.1 { other } else { best })?;
    let works = |instruction: &Value<'c>| {
        let free = is_mostly_free(*instruction)
            || matches!(instruction.opcode(), Some(Opcode::LLVMLoad | Opcode::LLVMStore));
        !free && !instruction.is_terminator() && !is_marker(*instruction)
    };
    (instructions().filter(works).count() <= MOST_OTHERS * filled).then_some(array)
}

/// The most elements of `size` bytes that lie one behind the other.
fn longest_run(offsets: &BTreeSet<i64>, size: i64) -> usize {
    let (mut longest, mut run, mut next) = (0, 0, None);
    for &offset in offsets {
        run = if next == Some(offset) { run + 1 } else { 1 };
        longest = longest.max(run);
        next = offset.checked_add(size);
    }
    longest
}
