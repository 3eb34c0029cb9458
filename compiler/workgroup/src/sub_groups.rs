//! Sub-groups: what the library's functions leave to the compiler, and in which order their work-items go on.
//!
//! In: a kernel whose operations on sub-groups are the library's (`builtins/src/cl/sub_group.h`). Out: the size in the place of
//! the question for it; for each size of *cell* a private variable, which the slots in scratch memory lay side by side, work-item
//! after work-item, so that the cells of a sub-group are a row; and an order of regions ([`ranks`]).
//!
//! A meeting cuts the kernel as a barrier does. Where every branch that it depends on is the group's, all sub-groups meet at
//! once. Otherwise the group's dispatch runs pending regions: the work-items that are pending in the region behind a meeting
//! are those who meet there, sub-group by sub-group. Which region is next decides who has met: the one that comes first in the
//! program, loops whole before what follows them, so that all that can still come have come; regions behind barriers last, when
//! nobody can do anything else.
//!
//! Who leads is emitted by `emit/leader.rs`.

use crate::regions::Region;
use oxcl_ir::cfg::Cfg;
use oxcl_ir::{Builder, Function, Module, Opcode, Value};
use std::collections::BTreeMap;

/// The most work-items of a sub-group: as many bits has the number that says who is there.
pub const LARGEST: u32 = 64;

/// Asks for the size.
const SIZE: &str = "oxcl_sub_group_size";
/// Asks for the work-item's cell.
const CELL: &str = "oxcl_sub_group_cell";
/// The meeting.
pub(crate) const MEET: &str = "oxcl_sub_group_meet";
/// Asks who leads.
pub(crate) const LEAD: &str = "oxcl_sub_group_lead";

/// Asks for the work-item's place in its sub-group.
pub(crate) const LANE: &str = "oxcl_sub_group_lane";
/// Asks for the sub-group's number in the group.
pub(crate) const NUMBER: &str = "oxcl_sub_group_number";
/// How the names of functions begin that work on a row of cells: they are there once.
pub(crate) const ROW: &str = "oxcl_sub_group_row_";

/// A function that the library leaves to the compiler here.
pub(crate) fn is_function(name: &str) -> bool {
    [SIZE, CELL, MEET, LEAD].contains(&name)
}

fn calls(instruction: Value<'_>, name: &str) -> bool {
    instruction.is(Opcode::LLVMCall) && instruction.callee().is_some_and(|callee| callee.name() == name)
}

/// A meeting of a sub-group's work-items.
pub(crate) fn is_meeting(instruction: Value<'_>) -> bool {
    calls(instruction, MEET)
}

/// The question who leads.
pub(crate) fn is_lead(instruction: Value<'_>) -> bool {
    calls(instruction, LEAD)
}

/// Whether anything in a kernel's own module makes the work-items of a sub-group meet.
pub(crate) fn meets(module: &Module<'_>) -> bool {
    Function::find(module, MEET).is_some_and(|function| !function.value().users().is_empty())
}

/// Whether anything in a kernel's own module depends on which work-items are a sub-group.
pub(crate) fn are_used(module: &Module<'_>) -> bool {
    [MEET, LANE, NUMBER]
        .iter()
        .any(|name| Function::find(module, name).is_some_and(|function| !function.value().users().is_empty()))
}

/// Answers the question for the size wherever it is asked.
pub fn settle(module: &Module<'_>, size: u32) {
    let Some(function) = Function::find(module, SIZE) else { return };
    for call in function.value().users() {
        if call.is(Opcode::LLVMCall) {
            call.replace_uses_with(call.ty().int(i64::from(size)));
            call.erase();
        }
    }
}

/// Makes cells private variables: one for each size, aligned to it. A work-item is in one operation at a time, so all of them
/// use the same.
pub(crate) fn give_cells<'c>(kernel: Function<'c>) {
    let Some(first) = kernel.blocks().first().and_then(|block| block.instructions().first().copied()) else {
        return;
    };
    let mut cells: BTreeMap<i64, Value<'c>> = BTreeMap::new();
    for call in kernel.instructions() {
        if !calls(call, CELL) {
            continue;
        }
        let bytes = call.operand(0).as_int().unwrap_or(i64::from(u8::MAX) + 1);
        let cell = *cells.entry(bytes).or_insert_with(|| {
            let b = Builder::before(first);
            let cell = b.alloca(b.types().i8().array(bytes.cast_unsigned()), "cell");
            cell.set_alignment(u32::try_from(bytes).unwrap_or(1));
            cell
        });
        call.replace_uses_with(cell);
        call.erase();
    }
}

/// For each block its place in an order in which every block comes after those that lead to it, but for the ways back in loops,
/// and the blocks of a loop come one behind another.
pub fn ranks(cfg: &Cfg<'_>) -> Vec<usize> {
    let count = cfg.blocks.len();
    let mut ranks = vec![usize::MAX; count];
    let is_placed = |ranks: &[usize], block: usize| ranks[block] != usize::MAX;
    let is_whole = |ranks: &[usize], number: usize| {
        cfg.order.iter().all(|&block| !cfg.loops[number].contains(block) || is_placed(ranks, block))
    };
    let mut previous: Option<usize> = None;
    for place in 0..cfg.order.len() {
        let is_ready = |ranks: &[usize], block: usize| {
            cfg.predecessors[block].iter().all(|&from| {
                let left = || {
                    (0..cfg.loops.len())
                        .filter(|&l| cfg.loops[l].contains(from) && !cfg.loops[l].contains(block))
                };
                cfg.is_back_edge(from, block)
                    || (is_placed(ranks, from) && left().all(|number| is_whole(ranks, number)))
            })
        };
        // The innermost loop that has begun and is not whole, from the block that was placed last outwards.
        let mut around = previous.and_then(|block| cfg.innermost[block]);
        while let Some(number) = around.filter(|&number| is_whole(&ranks, number)) {
            around = cfg.loops[number].parent;
        }
        let open = |block: &usize| !is_placed(&ranks, *block);
        let inside = |block: &usize| around.is_none_or(|number| cfg.loops[number].contains(*block));
        let candidates = || cfg.order.iter().copied().filter(open);
        let chosen = candidates()
            .find(|block| inside(block) && is_ready(&ranks, *block))
            .or_else(|| candidates().find(inside))
            .or_else(|| candidates().next());
        let Some(block) = chosen else { break };
        ranks[block] = place;
        previous = Some(block);
    }
    ranks
}

/// Puts the regions of an irregular kernel into the order in which the dispatch takes pending ones: `waits` says of a region's
/// first block that it follows a barrier of the whole group.
pub(crate) fn put_in_order(cfg: &Cfg<'_>, regions: &mut [Region], waits: impl Fn(usize) -> bool) {
    let ranks = ranks(cfg);
    let Some((_, later)) = regions.split_first_mut() else { return };
    later.sort_by_key(|region| (waits(region.entry), ranks[region.entry]));
}

/// Numbers the meetings in a function by the order in which they come, from 0: what the reference executor goes by.
pub fn numbered_meetings(function: Function<'_>) -> Vec<Value<'_>> {
    let cfg = Cfg::of(function);
    let ranks = ranks(&cfg);
    let mut order = cfg.order.clone();
    order.sort_by_key(|&block| ranks[block]);
    let instructions = order.into_iter().flat_map(|block| cfg.blocks[block].instructions());
    instructions.filter(|&instruction| is_meeting(instruction)).collect()
}
