//! Which values between regions live in one scratch slot.
//!
//! In: a kernel cut into regions, and the values that each work-item keeps in scratch memory. Out: these values in
//! classes; a class takes one slot. A PHI node joins the values that it takes where none of them is written while
//! another is live: a sum that a loop with a barrier carries is then updated in its place, and not copied from slot to slot
//! for every work-item in every round. Values that no PHI node ties together keep slots of their own.
//!
//! What holds: a work-item passes the blocks as the function says, and its slots are its own (stores of a wide chunk are
//! masked), so the liveness of SSA values decides; with what emission does beyond it. The PHI nodes at the entry of a region
//! are written at the ends of the blocks before it, those of all successors together, before the group reads what
//! decides its way. And no value of a slot is an operand of one that is computed again elsewhere: what is computed again
//! follows from ids, arguments and the group's variables only.

use crate::regions::Regions;
use crate::slots::is_entry_phi;
use oxcl_ir::cfg::Cfg;
use oxcl_ir::{Block, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// The classes of `values`, each in their order, ordered by their first values.
pub(crate) fn classes<'c>(regions: &Regions<'c>, values: &[Value<'c>]) -> Vec<Vec<Value<'c>>> {
    let numbers: HashMap<Value<'c>, usize> =
        values.iter().enumerate().map(|(number, &value)| (value, number)).collect();
    let mut class_of: Vec<usize> = (0..values.len()).collect();
    let mut classes: Vec<Vec<usize>> = (0..values.len()).map(|number| vec![number]).collect();
    let mut interference = Interference { regions, live: HashMap::new(), places: HashMap::new() };
    for (number, &phi) in values.iter().enumerate().filter(|(_, value)| value.is_phi()) {
        for (value, _) in phi.incoming() {
            let Some(&other) = numbers.get(&value) else { continue };
            let (one, two) = (class_of[number], class_of[other]);
            // A private variable's slot holds the variable, not its address.
            if one == two || phi.ty() != value.ty() || value.is(Opcode::LLVMAlloca) {
                continue;
            }
            let apart = classes[one]
                .iter()
                .all(|&a| classes[two].iter().all(|&b| !interference.between(values[a], values[b])));
            if apart {
                let moved = std::mem::take(&mut classes[two]);
                moved.iter().for_each(|&member| class_of[member] = one);
                classes[one].extend(moved);
            }
        }
    }
    for class in &mut classes {
        class.sort_unstable();
    }
    classes.retain(|class| !class.is_empty());
    classes.sort_unstable();
    classes.into_iter().map(|class| class.into_iter().map(|number| values[number]).collect()).collect()
}

/// At the beginnings and ends of which blocks a value is live. A PHI node uses what it takes at the end of the block
/// before.
struct Live {
    begin: Vec<bool>,
    end: Vec<bool>,
}

struct Interference<'r, 'c> {
    regions: &'r Regions<'c>,
    live: HashMap<Value<'c>, Live>,
    /// The place of each instruction in its block, for the blocks that were asked for.
    places: HashMap<Block<'c>, HashMap<Value<'c>, usize>>,
}

impl<'c> Interference<'_, 'c> {
    /// Whether one of two values is written while the other is live.
    fn between(&mut self, one: Value<'c>, other: Value<'c>) -> bool {
        self.ends(one, other) || self.ends(other, one)
    }

    /// Whether writing one value would end the other too early.
    fn ends(&mut self, written: Value<'c>, other: Value<'c>) -> bool {
        let Some(block) = written.block() else { return true };
        let cfg = &self.regions.cfg;
        let number = cfg.number(block);
        if !written.is_phi() {
            return self.is_live_after(other, written, block);
        }
        if !is_entry_phi(self.regions, written) {
            return self.live_at_begin(other, number) || (other.is_phi() && other.block() == Some(block));
        }
        let before = cfg.predecessors[number].clone();
        before.into_iter().any(|from| self.ends_at_edge(written, other, from))
    }

    /// The same for a PHI node that is written at the end of a block before its own.
    fn ends_at_edge(&mut self, phi: Value<'c>, other: Value<'c>, from: usize) -> bool {
        let cfg = &self.regions.cfg;
        let successors: HashSet<usize> = cfg.successors[from].iter().copied().collect();
        if other.is_phi() && other.block().is_some_and(|block| successors.contains(&cfg.number(block))) {
            return true;
        }
        if takes(&self.regions.cfg, phi, other, from) {
            return false;
        }
        let decides = cfg.blocks[from].terminator().is_some_and(|end| end.operands().contains(&other));
        let taken = successors.iter().any(|&to| {
            let mut phis = cfg.blocks[to].phis().into_iter();
            phis.any(|phi| takes(cfg, phi, other, from))
        });
        decides || taken || successors.into_iter().any(|to| self.live_at_begin(other, to))
    }

    fn live_at_begin(&mut self, value: Value<'c>, block: usize) -> bool {
        self.live(value).begin[block]
    }

    /// Whether `other` is live after an instruction.
    fn is_live_after(&mut self, other: Value<'c>, instruction: Value<'c>, block: Block<'c>) -> bool {
        let number = self.regions.cfg.number(block);
        let places = self.places.entry(block).or_insert_with(|| {
            block.instructions().into_iter().enumerate().map(|(place, value)| (value, place)).collect()
        });
        let at = places[&instruction];
        if places.get(&other).is_some_and(|&place| place > at) {
            return false;
        }
        let later = |user: &Value<'c>| !user.is_phi() && places.get(user).is_some_and(|&place| place > at);
        other.users().iter().any(later) || self.live(other).end[number]
    }

    fn live(&mut self, value: Value<'c>) -> &Live {
        let cfg = &self.regions.cfg;
        self.live.entry(value).or_insert_with(|| {
            let mut live = Live { begin: vec![false; cfg.blocks.len()], end: vec![false; cfg.blocks.len()] };
            let home = value.block().map(|block| cfg.number(block));
            let mut work = Vec::new();
            for user in value.users() {
                let Some(block) = user.block() else { continue };
                if user.is_phi() {
                    let taken = user.incoming().into_iter().filter(|(incoming, _)| *incoming == value);
                    work.extend(taken.map(|(_, from)| (cfg.number(from), true)));
                } else {
                    work.push((cfg.number(block), false));
                }
            }
            while let Some((block, at_end)) = work.pop() {
                if at_end && std::mem::replace(&mut live.end[block], true) {
                    continue;
                }
                if Some(block) == home || std::mem::replace(&mut live.begin[block], true) {
                    continue;
                }
                work.extend(cfg.predecessors[block].iter().map(|&before| (before, true)));
            }
            live
        })
    }
}

/// Whether a PHI node takes a value on the edges from a block.
fn takes<'c>(cfg: &Cfg<'c>, phi: Value<'c>, value: Value<'c>, from: usize) -> bool {
    phi.incoming().into_iter().any(|(taken, block)| taken == value && cfg.number(block) == from)
}
