//! The work-items' level: a copy of a region's blocks inside the loop nest.
//!
//! Entered once for every W work-items; values of earlier regions are fetched before the region's first block, where
//! their slots cannot have been overwritten yet.

use super::group::{self, DONE, Dispatch};
use super::rows::{ItemIds, Rows};
use super::{Frame, is_marker, is_ordered};
use crate::error::FormError;
use crate::regions::End;
use crate::slots::{Home, is_entry_phi, is_external};
use crate::workitem::Query;
use oxcl_ir::metadata::Node;
use oxcl_ir::{Block, Builder, IntPredicate, Opcode, Value};
use std::collections::HashMap;

/// Whether the work-items have anything to do in a region that the group cannot do for them.
pub(super) fn has_work(frame: &Frame<'_, '_>, number: usize) -> bool {
    if !frame.regions.regular {
        return true;
    }
    let cfg = &frame.regions.cfg;
    let region = &frame.regions.regions[number];
    let acts = region.blocks.iter().any(|&block| {
        cfg.blocks[block].instructions().into_iter().any(|instruction| {
            let kept = !is_entry_phi(frame.regions, instruction)
                && !instruction.is(Opcode::LLVMAlloca)
                && matches!(frame.slots.home(instruction), Some(Home::Group(_) | Home::Item(_)));
            kept || (!is_marker(instruction) && instruction.effects().side_effects())
        })
    });
    let endless = region.ends.is_empty();
    acts || endless
        || region.ends.iter().any(|end| {
            edges(frame, end).into_iter().any(|(from, to)| {
                cfg.blocks[to].phis().into_iter().any(|phi| item_gives(frame, number, phi, from, to))
            })
        })
}

/// The edges to other regions that an end stands for.
fn edges(frame: &Frame<'_, '_>, end: &End) -> Vec<(usize, usize)> {
    match *end {
        End::Return { .. } => Vec::new(),
        End::Edge { from, to } => vec![(from, to)],
        End::Branch { block } => frame.regions.cfg.successors[block].iter().map(|&to| (block, to)).collect(),
    }
}

/// Whether the work-items store what a PHI node of the next region takes from here: always where each has its own, and
/// for the group's where only they know which way they came.
fn item_gives<'c>(frame: &Frame<'_, 'c>, number: usize, phi: Value<'c>, from: usize, to: usize) -> bool {
    match frame.slots.home(phi) {
        Some(Home::Item(_)) => true,
        Some(Home::Group(_)) => {
            let region = &frame.regions.regions[number];
            let all: Vec<usize> = region
                .ends
                .iter()
                .flat_map(|end| edges(frame, end))
                .filter(|edge| edge.1 == to)
                .map(|edge| edge.0)
                .collect();
            debug_assert!(all.contains(&from));
            group::incoming_for_group(frame, phi, &all).is_none()
        }
        _ => false,
    }
}

/// Emits the copy of region `number`; returns the access group that its memory accesses share, if the work-items'
/// accesses are independent.
pub(super) fn emit<'c>(
    frame: &mut Frame<'_, 'c>,
    number: usize,
    rows: &Rows<'c>,
    known: &mut HashMap<Value<'c>, Value<'c>>,
    head: Block<'c>,
    dispatch: Option<Dispatch<'c>>,
) -> Result<Option<Node<'c>>, FormError> {
    let region = &frame.regions.regions[number];
    let cfg = &frame.regions.cfg;
    let parallel = is_parallel(frame, number).then(|| Node::access_group(frame.body.types()));
    let prologue = frame.body.append_block(&format!("r{number}.items"));
    let starts: HashMap<usize, Block<'c>> = region
        .blocks
        .iter()
        .map(|&block| {
            let name = cfg.blocks[block].name();
            (block, frame.body.append_block(&format!("r{number}.{name}")))
        })
        .collect();
    let at_body = Builder::at_end(rows.body);
    let finish = frame.body.append_block(&format!("r{number}.end"));
    Builder::at_end(finish).branch(rows.latch);
    match (dispatch, frame.slots.continuation) {
        (Some(dispatch), Some(slot)) if number > 0 => {
            let mine = at_body.load(
                at_body.types().i32(),
                frame.slot_address(&at_body, slot, rows.ids.linear),
                4,
                "continuation",
            );
            group::note_pending_unless(&at_body, dispatch, mine, number);
            let here = at_body.types().i32().int(number as i64);
            let is_here = at_body.compare(IntPredicate::LLVMIntEQ, mine, here, "");
            at_body.conditional_branch(is_here, prologue, finish);
        }
        _ => {
            at_body.branch(prologue);
        }
    }
    let mut copy = Copy {
        group_head: group_head(head),
        frame,
        number,
        ids: rows.ids,
        values: HashMap::new(),
        group_values: known,
        prologue: Builder::at_end(prologue),
        starts,
        tails: HashMap::new(),
        phis: Vec::new(),
        finish,
        parallel,
        dispatch,
    };
    for &block in &frame.regions.regions[number].blocks {
        copy.block(block);
    }
    copy.fill_phis();
    let entry = copy.starts[&frame.regions.regions[number].entry];
    copy.prologue.branch(entry);
    Ok(parallel)
}

/// A builder at the end of the region's group-level block, before its jump into the loop nest.
fn group_head(head: Block<'_>) -> Builder<'_> {
    match head.terminator() {
        Some(terminator) => Builder::before(terminator),
        None => Builder::at_end(head),
    }
}

/// Whether the accesses of different work-items are independent as far as LLVM may know: no volatile or atomic access,
/// no call that touches memory, and no private variable on the stack, which all work-items share one after another.
fn is_parallel(frame: &Frame<'_, '_>, number: usize) -> bool {
    let cfg = &frame.regions.cfg;
    frame.regions.regular
        && frame.regions.regions[number].blocks.iter().all(|&block| {
            cfg.blocks[block].instructions().into_iter().all(|instruction| {
                let effects = instruction.effects();
                let call = instruction.is(Opcode::LLVMCall)
                    && !is_marker(instruction)
                    && (effects.reads() || effects.writes());
                let on_stack = instruction.operands().into_iter().any(|operand| {
                    operand.is(Opcode::LLVMAlloca)
                        && !matches!(frame.slots.home(operand), Some(Home::Item(_)))
                });
                !is_ordered(instruction) && !call && !on_stack
            })
        })
}

/// The copy of one region in the making.
struct Copy<'r, 'a, 'c> {
    frame: &'r Frame<'a, 'c>,
    number: usize,
    ids: ItemIds<'c>,
    /// What stands for each value of the kernel here.
    values: HashMap<Value<'c>, Value<'c>>,
    /// The group's values that this region's work-items use.
    group_values: &'r mut HashMap<Value<'c>, Value<'c>>,
    group_head: Builder<'c>,
    /// Before the region's first block.
    prologue: Builder<'c>,
    starts: HashMap<usize, Block<'c>>,
    /// The last block of each block's copy.
    tails: HashMap<usize, Block<'c>>,
    phis: Vec<(Value<'c>, Value<'c>)>,
    finish: Block<'c>,
    parallel: Option<Node<'c>>,
    dispatch: Option<Dispatch<'c>>,
}

impl<'c> Copy<'_, '_, 'c> {
    fn block(&mut self, number: usize) {
        let b = Builder::at_end(self.starts[&number]);
        let instructions = self.frame.regions.cfg.blocks[number].instructions();
        let phis = instructions.iter().take_while(|instruction| instruction.is_phi()).count();
        for &phi in &instructions[..phis] {
            self.phi(&b, number, phi);
        }
        for &phi in &instructions[..phis] {
            self.keep(&b, phi);
        }
        for &instruction in &instructions[phis..] {
            if instruction.is_terminator() {
                self.terminator(&b, number, instruction);
            } else if !is_marker(instruction) {
                self.instruction(&b, instruction);
            }
        }
        self.tails.insert(number, b.block());
    }

    /// Begins the copy of a PHI node; at the region's entry there is none, for its ways in are in other regions: it is
    /// fetched where it is used.
    fn phi(&mut self, b: &Builder<'c>, block: usize, original: Value<'c>) {
        if block == self.frame.regions.regions[self.number].entry && block != 0 {
            return;
        }
        let phi = b.phi(original.ty(), &original.name());
        self.values.insert(original, phi);
        self.phis.push((phi, original));
    }

    fn instruction(&mut self, b: &Builder<'c>, instruction: Value<'c>) {
        if instruction.is(Opcode::LLVMAlloca) {
            return;
        }
        let made = self.make(b, instruction);
        self.values.insert(instruction, made);
        self.keep(b, instruction);
    }

    /// Stores what was just made where later regions look for it.
    fn keep(&mut self, b: &Builder<'c>, instruction: Value<'c>) {
        let Some(&made) = self.values.get(&instruction) else { return };
        match self.frame.slots.home(instruction) {
            Some(Home::Item(slot)) => self.store_to_slot(b, slot, made),
            Some(Home::Group(variable)) => {
                let cell = group::cell_for(self.frame.variables[variable], false);
                group::store(self.frame, b, cell, made);
            }
            _ => {}
        }
    }

    /// Copies an instruction to the builder's place.
    fn make(&mut self, b: &Builder<'c>, instruction: Value<'c>) -> Value<'c> {
        if let Some(query) = Query::of(instruction) {
            let dimension = instruction.arguments().first().map(|&dimension| self.value(b, dimension));
            return self.answer(b, query, dimension);
        }
        let operands: Vec<_> =
            instruction.operands().into_iter().map(|operand| self.value(b, operand)).collect();
        let copy = b.insert_clone(instruction);
        for (index, operand) in (0..).zip(operands) {
            copy.set_operand(index, operand);
        }
        let effects = instruction.effects();
        if let Some(group) = self.parallel
            && (effects.reads() || effects.writes())
        {
            copy.set_metadata("llvm.access.group", group);
        }
        copy
    }

    fn answer(&self, b: &Builder<'c>, query: Query, dimension: Option<Value<'c>>) -> Value<'c> {
        let frame = self.frame;
        let global = |d: usize| b.add_no_wrap(frame.ids.first[d], self.ids.local[d], &format!("g{d}"));
        match (query, dimension) {
            (Query::LocalId, Some(dimension)) => frame.choose(b, query, self.ids.local, dimension),
            (Query::GlobalId, Some(dimension)) => {
                frame.choose(b, query, [global(0), global(1), global(2)], dimension)
            }
            (Query::LocalLinearId, _) => self.ids.linear,
            (Query::GlobalLinearId, _) => {
                let own = |d: usize| {
                    let group = b.mul_no_wrap(frame.ids.group[d], frame.ids.local_size[d], "");
                    b.add_no_wrap(group, self.ids.local[d], "")
                };
                let size = |d: usize| b.mul_no_wrap(frame.ids.counts[d], frame.ids.local_size[d], "");
                let plane = b.add_no_wrap(b.mul_no_wrap(own(2), size(1), ""), own(1), "");
                b.add_no_wrap(b.mul_no_wrap(plane, size(0), ""), own(0), "global.linear")
            }
            _ => frame.answer_for_group(b, query, dimension),
        }
    }

    /// What stands for a value at the builder's place.
    fn value(&mut self, b: &Builder<'c>, wanted: Value<'c>) -> Value<'c> {
        if !wanted.is_instruction() {
            return self.frame.leaf(wanted);
        }
        let external = is_external(self.frame.regions, self.number, wanted);
        let home = self.frame.slots.home(wanted);
        if external
            && let Some(Home::Item(slot)) = home
            && self.is_made_here(wanted)
        {
            // The value may come from before this region or from a way round inside it: its slot knows.
            return self.load_from_slot(b, slot, wanted);
        }
        if let Some(&value) = self.values.get(&wanted) {
            return value;
        }
        let made = if wanted.is(Opcode::LLVMAlloca) {
            self.private_variable(wanted, home)
        } else {
            match home {
                Some(Home::Group(_) | Home::AgainForGroup) => {
                    group::value(self.frame, &self.group_head, wanted, self.group_values)
                }
                Some(Home::Item(slot)) => {
                    let prologue = Builder::at_end(self.prologue.block());
                    self.load_from_slot(&prologue, slot, wanted)
                }
                _ => {
                    let prologue = Builder::at_end(self.prologue.block());
                    self.make(&prologue, wanted)
                }
            }
        };
        self.values.insert(wanted, made);
        made
    }

    fn is_made_here(&self, value: Value<'c>) -> bool {
        let region = &self.frame.regions.regions[self.number];
        let here = value.block().is_some_and(|block| region.contains(self.frame.regions.cfg.number(block)));
        here && !is_entry_phi(self.frame.regions, value) && !value.is(Opcode::LLVMAlloca)
    }

    fn private_variable(&self, alloca: Value<'c>, home: Option<Home>) -> Value<'c> {
        match home {
            Some(Home::Item(slot)) => {
                let prologue = Builder::at_end(self.prologue.block());
                self.frame.slot_address(&prologue, slot, self.ids.linear)
            }
            _ => self.frame.entry.insert_clone(alloca),
        }
    }

    fn load_from_slot(&self, b: &Builder<'c>, slot: usize, like: Value<'c>) -> Value<'c> {
        let address = self.frame.slot_address(b, slot, self.ids.linear);
        let load = b.load(like.ty(), address, self.frame.slots.items[slot].alignment, &like.name());
        self.mark(load);
        load
    }

    fn store_to_slot(&self, b: &Builder<'c>, slot: usize, value: Value<'c>) {
        let address = self.frame.slot_address(b, slot, self.ids.linear);
        let store = b.store(value, address, self.frame.slots.items[slot].alignment);
        self.mark(store);
    }

    fn mark(&self, access: Value<'c>) {
        if let Some(group) = self.parallel {
            access.set_metadata("llvm.access.group", group);
        }
    }

    fn terminator(&mut self, b: &Builder<'c>, block: usize, terminator: Value<'c>) {
        let frame = self.frame;
        let region = &frame.regions.regions[self.number];
        if region.ends.contains(&End::Branch { block }) {
            let targets = frame.regions.cfg.successors[block].clone();
            self.give(b, block, &targets);
            b.branch(self.finish);
            return;
        }
        let targets = &frame.regions.cfg.successors[block];
        if targets.is_empty() {
            self.continue_in(b, DONE);
            b.branch(self.finish);
            return;
        }
        let ways: Vec<Block<'c>> = targets
            .iter()
            .map(|&to| {
                if !region.ends.contains(&End::Edge { from: block, to }) {
                    return self.starts[&to];
                }
                let way = frame.body.append_block(&format!("r{}.out", self.number));
                let b = Builder::at_end(way);
                self.give(&b, block, &[to]);
                let next = frame.regions.starting_at(to).map_or(DONE, |region| region as i64);
                self.continue_in(&b, next);
                b.branch(self.finish);
                way
            })
            .collect();
        match (terminator.condition(), ways.as_slice()) {
            (Some(condition), &[yes, no]) => {
                let condition = self.value(b, condition);
                b.conditional_branch(condition, yes, no);
            }
            _ => {
                b.branch(ways[0]);
            }
        }
    }

    /// Gives the PHI nodes at the beginnings of other regions what they take from this block, all at once.
    fn give(&mut self, b: &Builder<'c>, from: usize, targets: &[usize]) {
        let frame = self.frame;
        let mut moves = Vec::new();
        for &to in targets {
            for phi in frame.regions.cfg.blocks[to].phis() {
                if !item_gives(frame, self.number, phi, from, to) {
                    continue;
                }
                let incoming = phi.incoming();
                let Some((value, _)) =
                    incoming.into_iter().find(|(_, block)| frame.regions.cfg.number(*block) == from)
                else {
                    continue;
                };
                moves.push((phi, self.value(b, value)));
            }
        }
        for (phi, value) in moves {
            match frame.slots.home(phi) {
                Some(Home::Item(slot)) => self.store_to_slot(b, slot, value),
                Some(Home::Group(variable)) => {
                    group::store(frame, b, group::cell_for(frame.variables[variable], true), value);
                }
                _ => {}
            }
        }
    }

    /// Notes the region that this work-item continues in.
    fn continue_in(&self, b: &Builder<'c>, region: i64) {
        let (Some(dispatch), Some(slot)) = (self.dispatch, self.frame.slots.continuation) else { return };
        let next = b.types().i32().int(region);
        self.store_to_slot(b, slot, next);
        group::note_pending(b, dispatch, next);
    }

    /// Fills the copied PHI nodes, now that all values are there.
    fn fill_phis(&mut self) {
        let cfg = &self.frame.regions.cfg;
        for (phi, original) in std::mem::take(&mut self.phis) {
            for (value, from) in original.incoming() {
                let from = cfg.number(from);
                let Some(&tail) = self.tails.get(&from) else { continue };
                let Some(terminator) = tail.terminator() else { continue };
                let b = Builder::before(terminator);
                let value = self.value(&b, value);
                phi.add_incoming(value, tail);
            }
        }
    }
}
