//! Private variables whose contents live from one region to another, or from one round of a region to its next.
//!
//! In: a kernel cut into regions, its stack variables still `alloca`s. Out: those variables that each work-item must have
//! of its own. All others hold nothing when a region begins: one stack cell serves all work-items one after another.
//!
//! A variable crosses into a region if it *may hold something* where the region begins (some way there accesses it, and
//! neither ends its lifetime nor begins it anew after that) and *may be wanted* (some way on leads to an access before its
//! lifetime begins anew). Where its address escapes, to memory or to a call that may keep it, every block may access it.
//!
//! Says nothing about where the variables live, nor about addresses that themselves live across regions, which need one
//! place to lead to: `slots` does.

use crate::regions::Regions;
use crate::slots::is_lifetime_marker;
use oxcl_ir::{Function, Opcode, TypeKind, Value};
use std::collections::{HashMap, HashSet};

/// The variables that cross into a region, in the function's order.
pub(crate) fn crossing<'c>(function: Function<'c>, regions: &Regions<'c>) -> Vec<Value<'c>> {
    let instructions = function.instructions();
    let variables: Vec<Value<'c>> =
        instructions.iter().copied().filter(|instruction| instruction.is(Opcode::LLVMAlloca)).collect();
    if variables.is_empty() || !re_enters(regions) {
        return Vec::new();
    }
    let positions: HashMap<Value<'c>, usize> =
        instructions.into_iter().enumerate().map(|(position, instruction)| (instruction, position)).collect();
    variables
        .into_iter()
        .filter(|variable| {
            let uses = Uses::of(*variable, regions, &positions);
            uses.cross(regions)
        })
        .collect()
}

/// A variable, and all that is computed from it and may be an address in it.
pub(crate) fn addresses(variable: Value<'_>) -> HashSet<Value<'_>> {
    let mut seen = HashSet::from([variable]);
    let mut work = vec![variable];
    while let Some(pointer) = work.pop() {
        for user in pointer.users() {
            if is_address_of_same(user) && seen.insert(user) {
                work.push(user);
            }
        }
    }
    seen
}

/// Whether any region begins after another, or after itself.
fn re_enters(regions: &Regions<'_>) -> bool {
    regions.regions.len() > 1
}

/// What happens to a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    /// It begins to hold what is stored from here on.
    Begin,
    /// It holds nothing any more.
    End,
    /// It is read or written.
    Access,
}

/// All that happens to one variable, block by block.
struct Uses {
    /// In the order of the block's instructions.
    events: Vec<Vec<(usize, Event)>>,
    escapes: bool,
}

impl Uses {
    fn of<'c>(variable: Value<'c>, regions: &Regions<'c>, positions: &HashMap<Value<'c>, usize>) -> Self {
        let mut uses = Uses { events: vec![Vec::new(); regions.cfg.blocks.len()], escapes: false };
        for pointer in addresses(variable) {
            for user in pointer.users() {
                let Some(block) = user.block() else {
                    // A constant expression on a stack variable does not exist.
                    uses.escapes = true;
                    continue;
                };
                if is_address_of_same(user) {
                    continue;
                }
                let event = if is_lifetime_marker(user) {
                    if is_begin(user) { Event::Begin } else { Event::End }
                } else {
                    uses.escapes |= lets_escape(user, pointer);
                    Event::Access
                };
                let position = positions.get(&user).copied().unwrap_or_default();
                uses.events[regions.cfg.number(block)].push((position, event));
            }
        }
        for events in &mut uses.events {
            events.sort_by_key(|(position, _)| *position);
        }
        uses
    }

    /// Whether the variable may hold something that is wanted where a region begins.
    fn cross(&self, regions: &Regions<'_>) -> bool {
        let (holds, wanted) = (self.holds(regions), self.wanted(regions));
        regions.regions.iter().any(|region| region.entry != 0 && holds[region.entry] && wanted[region.entry])
    }

    /// For each block, whether the variable may hold something where the block begins.
    fn holds(&self, regions: &Regions<'_>) -> Vec<bool> {
        let cfg = &regions.cfg;
        let mut holds = vec![false; cfg.blocks.len()];
        let after = |holds: &[bool], block: usize| {
            let last = self.events[block].last();
            last.map_or(holds[block], |(_, event)| *event == Event::Access)
        };
        loop {
            let mut changed = false;
            for &block in &cfg.order {
                if !holds[block] && cfg.predecessors[block].iter().any(|&from| after(&holds, from)) {
                    holds[block] = true;
                    changed = true;
                }
            }
            if !changed {
                return holds;
            }
        }
    }

    /// For each block, whether something may be accessed from its beginning on that was stored before.
    fn wanted(&self, regions: &Regions<'_>) -> Vec<bool> {
        let cfg = &regions.cfg;
        if self.escapes {
            return vec![true; cfg.blocks.len()];
        }
        let mut wanted = vec![false; cfg.blocks.len()];
        loop {
            let mut changed = false;
            for &block in cfg.order.iter().rev() {
                let now = match self.events[block].first() {
                    Some((_, event)) => *event == Event::Access,
                    None => cfg.successors[block].iter().any(|&next| wanted[next]),
                };
                changed |= now != wanted[block];
                wanted[block] = now;
            }
            if !changed {
                return wanted;
            }
        }
    }
}

/// Gives an address in the same variable, or one in another where the way or a condition says so.
fn is_address_of_same(user: Value<'_>) -> bool {
    let pointer = matches!(user.ty().scalar().kind(), TypeKind::Pointer(_));
    pointer
        && matches!(
            user.opcode(),
            Some(
                Opcode::LLVMGetElementPtr
                    | Opcode::LLVMAddrSpaceCast
                    | Opcode::LLVMBitCast
                    | Opcode::LLVMPHI
                    | Opcode::LLVMSelect
                    | Opcode::LLVMFreeze
            )
        )
}

/// Whether a user of an address may leave it where an access through it is not seen.
fn lets_escape<'c>(user: Value<'c>, pointer: Value<'c>) -> bool {
    match user.opcode() {
        Some(Opcode::LLVMLoad | Opcode::LLVMICmp) => false,
        Some(Opcode::LLVMStore) => user.operand(0) == pointer,
        Some(Opcode::LLVMAtomicRMW) => user.operand(1) == pointer,
        Some(Opcode::LLVMAtomicCmpXchg) => user.operand(1) == pointer || user.operand(2) == pointer,
        Some(Opcode::LLVMCall) => (0..)
            .zip(user.arguments())
            .any(|(index, argument)| argument == pointer && user.may_keep_argument(index)),
        _ => true,
    }
}

fn is_begin(marker: Value<'_>) -> bool {
    marker.callee().is_some_and(|callee| callee.name().starts_with("llvm.lifetime.start"))
}
