//! The work-items' level: a copy of a region's blocks inside the loop nest.
//!
//! Entered once for every W work-items. Values of earlier regions are fetched before the region's first block, where
//! their slots cannot have been overwritten yet. Blocks that all lanes run together are copied with their control flow;
//! the others are [`super::masked`]'s. At W = 1 all lanes are always together.

use super::group::{self, DONE, Dispatch};
use super::lanes::{Lanes, components};
use super::recurrence::is_bound_by_chain;
use super::rows::ItemIds;
use super::scopes::OwnScopes;
use super::tested::{Key, Tested};
use super::{Frame, is_marker};
use crate::error::FormError;
use crate::plan::chunks::Chunks;
use crate::plan::{Form, How};
use crate::regions::End;
use crate::slots::{Home, is_entry_phi, is_external, is_repeatable};
use crate::window::stores_live_out;
use oxcl_ir::metadata::Node;
use oxcl_ir::{Block, Builder, IntPredicate, Opcode, Type, Value};
use std::collections::HashMap;

/// The metadata that names a loop, on the branch back to its header.
pub(super) const LOOP: &str = "llvm.loop";

/// Where a copy begins, ends, and which lanes it is for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'s, 'c> {
    /// The ids of lane 0.
    pub(super) ids: ItemIds<'c>,
    /// The empty block where the copy begins.
    pub(super) begin: Block<'c>,
    /// Where control goes afterwards.
    pub(super) end: Block<'c>,
    /// The lanes that are work-items; `None`: all.
    pub(super) mask: Option<Value<'c>>,
    /// The region's group-level block, which ends in a jump already.
    pub(super) head: Block<'c>,
    /// Conditions that are known of the work-items that come here, and what they are.
    pub(super) decided: &'s HashMap<Value<'c>, bool>,
}

/// Emits a copy of region `number`.
pub(super) fn emit<'c>(
    frame: &Frame<'_, 'c>,
    number: usize,
    site: &Site<'_, 'c>,
    parallel: Option<Node<'c>>,
    dispatch: Option<Dispatch<'c>>,
) -> Result<(), FormError> {
    let region = &frame.regions.regions[number];
    let cfg = &frame.regions.cfg;
    let prologue = frame.body.append_block(&format!("r{number}.items"));
    let start = |&block: &usize| {
        let name = cfg.blocks[block].name();
        (block, frame.body.append_block(&format!("r{number}.{name}")))
    };
    let starts = region.blocks.iter().map(start).collect();
    let at_begin = Builder::at_end(site.begin);
    match (dispatch, frame.slots.continuation) {
        (Some(dispatch), Some(slot)) if number > 0 => {
            let address = frame.slot_address(&at_begin, slot, site.ids.linear);
            let mine = at_begin.load(at_begin.types().i32(), address, 4, "continuation");
            group::note_pending_unless(&at_begin, dispatch, mine, number);
            let here = at_begin.types().i32().int(number as i64);
            let is_here = at_begin.compare(IntPredicate::LLVMIntEQ, mine, here, "");
            at_begin.conditional_branch(is_here, prologue, site.end);
        }
        _ => {
            at_begin.branch(prologue);
        }
    }
    let group_head = match site.head.terminator() {
        Some(terminator) => Builder::before(terminator),
        None => Builder::at_end(site.head),
    };
    let mut copy = RegionEmitter {
        frame,
        number,
        ids: site.ids,
        base: site.mask,
        mask: site.mask,
        chunks: &frame.plan.chunks[number],
        values: HashMap::new(),
        fetched: HashMap::new(),
        local: HashMap::new(),
        cells: HashMap::new(),
        mask_cells: HashMap::new(),
        tested: HashMap::new(),
        rounds: Vec::new(),
        group_values: HashMap::new(),
        group_head,
        prologue,
        starts,
        tails: HashMap::new(),
        phis: Vec::new(),
        finish: site.end,
        parallel,
        decided: site.decided,
        scopes: frame.scopes.copy(frame.regions, number),
        dispatch,
    };
    let mut done = vec![false; copy.chunks.chunks.len()];
    for &block in &region.blocks {
        match copy.chunks.of(block) {
            None => copy.block(block)?,
            Some(chunk) if !done[chunk] => {
                done[chunk] = true;
                copy.chunk(chunk)?;
            }
            Some(_) => {}
        }
    }
    copy.fill_phis()?;
    copy.begin_rounds();
    let entry = copy.starts[&region.entry];
    Builder::at_end(prologue).branch(entry);
    Ok(())
}

/// Stack cells that stand for a value where the copy's control flow is not the kernel's: LLVM turns them into registers.
#[derive(Debug, Clone)]
pub(super) enum Cell<'c> {
    One(Value<'c>),
    Strided(Value<'c>, i64),
    Each(Vec<Value<'c>>),
}

impl<'c> Cell<'c> {
    /// The stack cells.
    pub(super) fn places(&self) -> &[Value<'c>] {
        match self {
            Cell::One(place) | Cell::Strided(place, _) => std::slice::from_ref(place),
            Cell::Each(places) => places,
        }
    }
}

/// The copy of one region in the making.
pub(super) struct RegionEmitter<'r, 'a, 'c> {
    pub(super) frame: &'r Frame<'a, 'c>,
    pub(super) number: usize,
    pub(super) ids: ItemIds<'c>,
    /// The lanes that are work-items.
    pub(super) base: Option<Value<'c>>,
    /// The lanes that run the block at hand; `None`: all.
    pub(super) mask: Option<Value<'c>>,
    pub(super) chunks: &'r Chunks,
    /// What stands for each value that this region makes, wherever its own copy is defined.
    pub(super) values: HashMap<Value<'c>, Lanes<'c>>,
    /// What stands for each value of earlier regions, from the prologue on.
    fetched: HashMap<Value<'c>, Lanes<'c>>,
    /// What stands for it in the block at hand only.
    pub(super) local: HashMap<Value<'c>, Lanes<'c>>,
    pub(super) cells: HashMap<Value<'c>, Cell<'c>>,
    pub(super) mask_cells: HashMap<usize, Value<'c>>,
    /// The indices that were tested in blocks that all lanes run together, with whether they are extended with their sign.
    pub(super) tested: HashMap<Key<'c>, Tested<'c>>,
    /// The headers of loops that lanes leave in different rounds, and where a round begins.
    pub(super) rounds: Vec<(usize, Block<'c>)>,
    /// The group's values that this region's work-items use.
    group_values: HashMap<Value<'c>, Value<'c>>,
    group_head: Builder<'c>,
    /// Before the region's first block.
    pub(super) prologue: Block<'c>,
    pub(super) starts: HashMap<usize, Block<'c>>,
    /// The last block of each block's copy.
    tails: HashMap<usize, Block<'c>>,
    phis: Vec<(Value<'c>, Value<'c>)>,
    pub(super) finish: Block<'c>,
    pub(super) parallel: Option<Node<'c>>,
    decided: &'r HashMap<Value<'c>, bool>,
    pub(super) scopes: OwnScopes<'c>,
    dispatch: Option<Dispatch<'c>>,
}

impl<'c> RegionEmitter<'_, '_, 'c> {
    pub(super) fn width(&self) -> u32 {
        self.frame.width
    }

    /// How the lanes of a value are kept.
    pub(super) fn form(&self, value: Value<'c>) -> Form {
        self.frame.plan.form(value)
    }

    /// How an instruction is made.
    pub(super) fn how(&self, instruction: Value<'c>) -> How {
        self.frame.plan.how(instruction)
    }

    /// Copies a block that all lanes run together.
    fn block(&mut self, number: usize) -> Result<(), FormError> {
        let b = Builder::at_end(self.starts[&number]);
        self.mask = self.base;
        let terminator = self.straight(&b, number)?;
        if let Some(terminator) = terminator {
            self.terminator(&b, number, terminator)?;
        }
        self.tails.insert(number, b.block());
        Ok(())
    }

    /// Copies all but the terminator, which it returns.
    pub(super) fn straight(
        &mut self,
        b: &Builder<'c>,
        number: usize,
    ) -> Result<Option<Value<'c>>, FormError> {
        self.local.clear();
        let instructions = self.frame.regions.cfg.blocks[number].instructions();
        let phis = instructions.iter().take_while(|instruction| instruction.is_phi()).count();
        for &phi in &instructions[..phis] {
            self.phi(b, number, phi);
        }
        for &phi in &instructions[..phis] {
            self.keep_phi(b, number, phi);
            self.spill(b, phi);
        }
        for &instruction in &instructions[phis..] {
            if instruction.is_terminator() {
                return Ok(Some(instruction));
            }
            if (is_marker(instruction) && !self.scopes.declares(instruction))
                || instruction.is(Opcode::LLVMAlloca)
                || self.is_computed_again(instruction)
            {
                continue;
            }
            let made = match self.decided.get(&instruction) {
                Some(&truth) => Lanes::One(b.types().int(1).int(truth.into())),
                None => self.make(b, instruction)?,
            };
            self.define(b, instruction, made);
            self.spill(b, instruction);
        }
        Ok(None)
    }

    /// Whether nothing asks for the copy that this block would make: users compute the value again before the region's
    /// first block.
    fn is_computed_again(&self, value: Value<'c>) -> bool {
        matches!(self.frame.slots.home(value), Some(Home::AgainForGroup | Home::AgainForItem))
            && is_external(self.frame.regions, self.number, value)
    }

    /// Begins the copy of a PHI node; at the region's entry there is none, for its ways in are in other regions: it is
    /// fetched where it is used.
    fn phi(&mut self, b: &Builder<'c>, block: usize, original: Value<'c>) {
        if block == self.frame.regions.regions[self.number].entry && block != 0 {
            return;
        }
        if self.phi_in_cell(block) {
            let cell = self.cell(original);
            let lanes = self.load_cell(b, &cell, original);
            self.local.insert(original, lanes);
            return;
        }
        let made = match self.form(original) {
            Form::Uniform => {
                let phi = b.phi(original.ty(), &original.name());
                self.phis.push((phi, original));
                Lanes::One(phi)
            }
            Form::Strided(step) => {
                let phi = b.phi(original.ty(), &original.name());
                self.phis.push((phi, original));
                Lanes::Strided { first: phi, step }
            }
            Form::Vector => {
                let types = self.lane_types(original).into_iter();
                let phis: Vec<Value<'c>> = types.map(|ty| b.phi(ty, &original.name())).collect();
                self.phis.extend(phis.iter().map(|&phi| (phi, original)));
                Lanes::Each(phis)
            }
        };
        self.local.insert(original, made);
    }

    /// Puts the copy of a PHI node, now that all of its block have begun, where its users look for it.
    fn keep_phi(&mut self, b: &Builder<'c>, block: usize, original: Value<'c>) {
        if self.phi_in_cell(block) {
            return;
        }
        if let Some(made) = self.local.remove(&original) {
            self.define(b, original, made);
        }
    }

    /// Whether the PHI nodes of a block are cells: if any way in, or the block itself, is not all lanes'.
    pub(super) fn phi_in_cell(&self, block: usize) -> bool {
        self.chunks.is_divided(block)
            || self.frame.regions.cfg.predecessors[block]
                .iter()
                .any(|&from| self.chunks.is_divided(from) || self.frame.plan.is_divergent(from))
    }

    /// Adds the blocks in which lanes' addresses that `part` is a part of are tested for being consecutive: there the parts are
    /// asked for, not the address.
    fn tested_at(&self, part: Value<'c>, places: &mut Vec<usize>) {
        let extends = |value: Value<'c>| value.is(Opcode::LLVMSExt) || value.is(Opcode::LLVMZExt);
        let exchanges = part.is(Opcode::LLVMXor);
        let is_address = part.is(Opcode::LLVMGetElementPtr);
        if !extends(part) && !exchanges && !is_address {
            return;
        }
        for user in part.users() {
            // An index of an address, or one that something is added to.
            if user.is(Opcode::LLVMGetElementPtr) || exchanges && extends(user) {
                self.tested_at(user, places);
            } else if is_address
                && !user.is_phi()
                && matches!(self.how(user), How::GatherUnlessConsecutive | How::Butterfly)
            {
                places.extend(user.block().map(|block| self.frame.regions.cfg.number(block)));
            }
        }
    }

    /// Whether a value needs a cell: the copy of its block need not dominate the copies of its users' blocks.
    pub(super) fn in_cell(&self, value: Value<'c>) -> bool {
        if self.chunks.chunks.is_empty() || value.ty().is_void() {
            return false;
        }
        let cfg = &self.frame.regions.cfg;
        let Some(block) = value.block().map(|block| cfg.number(block)) else { return false };
        let region = &self.frame.regions.regions[self.number];
        value.users().into_iter().any(|user| {
            let places: Vec<usize> = if user.is_phi() {
                let uses = user.incoming().into_iter().filter(|(incoming, _)| *incoming == value);
                uses.map(|(_, from)| cfg.number(from)).collect()
            } else {
                let mut places: Vec<usize> =
                    user.block().map(|block| cfg.number(block)).into_iter().collect();
                self.tested_at(user, &mut places);
                places
            };
            places.into_iter().any(|place| {
                if place == block || !region.contains(place) {
                    return false;
                }
                self.chunks.is_divided(block)
                    || self.chunks.of(place).is_some_and(|chunk| !self.dominates_entries(block, chunk))
            })
        })
    }

    /// Whether every way into a chunk passes a block.
    pub(super) fn dominates_entries(&self, block: usize, chunk: usize) -> bool {
        let cfg = &self.frame.regions.cfg;
        let region = &self.frame.regions.regions[self.number];
        region.blocks.iter().filter(|&&from| self.chunks.of(from) != Some(chunk)).all(|&from| {
            let enters = cfg.successors[from].iter().any(|&to| self.chunks.of(to) == Some(chunk));
            !enters || cfg.dominates(block, from)
        })
    }

    /// The cell of a value.
    pub(super) fn cell(&mut self, value: Value<'c>) -> Cell<'c> {
        if let Some(cell) = self.cells.get(&value) {
            return cell.clone();
        }
        let prologue = Builder::at_end(self.prologue);
        // Nothing is carried from one round of the loop nest to the next.
        let empty = |ty: Type<'c>| {
            let cell = self.frame.entry.alloca(ty, &value.name());
            group::store(self.frame, &prologue, cell, ty.poison());
            cell
        };
        let cell = match self.form(value) {
            Form::Uniform => Cell::One(empty(value.ty())),
            Form::Strided(step) => Cell::Strided(empty(value.ty()), step),
            Form::Vector => Cell::Each(
                components(value.ty())
                    .unwrap_or_default()
                    .into_iter()
                    .map(|part| empty(part.vector(self.width())))
                    .collect(),
            ),
        };
        self.cells.insert(value, cell.clone());
        cell
    }

    pub(super) fn load_cell(&self, b: &Builder<'c>, cell: &Cell<'c>, like: Value<'c>) -> Lanes<'c> {
        let load = |cell: Value<'c>| {
            let ty = cell.allocated().unwrap_or_else(|| like.ty());
            b.load(ty, cell, self.frame.kernel.layout.alignment(ty), &like.name())
        };
        match cell {
            Cell::One(cell) => Lanes::One(load(*cell)),
            Cell::Strided(cell, step) => Lanes::Strided { first: load(*cell), step: *step },
            Cell::Each(cells) => Lanes::Each(cells.iter().map(|&cell| load(cell)).collect()),
        }
    }

    /// Makes what stands for a value known.
    pub(super) fn define(&mut self, b: &Builder<'c>, value: Value<'c>, lanes: Lanes<'c>) {
        if value.ty().is_void() {
            return;
        }
        if self.in_cell(value) {
            let cell = self.cell(value);
            self.store_cell(b, &cell, &lanes, None);
            self.local.insert(value, lanes);
        } else {
            self.values.insert(value, lanes);
        }
    }

    /// Stores what was just made in its spill slot or variable, where later regions look for it.
    fn spill(&mut self, b: &Builder<'c>, instruction: Value<'c>) {
        let found = self.local.get(&instruction).or_else(|| self.values.get(&instruction)).cloned();
        let Some(made) = found else { return };
        match self.frame.slots.home(instruction) {
            Some(Home::Item(slot)) => self.store_to_slot(b, slot, &made, self.mask),
            Some(Home::Group(variable)) => {
                let cell = group::cell_for(self.frame.variables[variable], false);
                if let Lanes::One(value) = made {
                    group::store(self.frame, b, cell, value);
                }
            }
            _ => {}
        }
    }

    /// What stands for a value at the builder's place.
    ///
    /// A copy that this region makes is used only where the region makes it on every way to its users: where the value is
    /// not external. An external one comes from before the region's first block, which everything is dominated by; or, if
    /// the region may also make it anew on its way, from its slot, which holds the latest.
    pub(super) fn value(&mut self, b: &Builder<'c>, wanted: Value<'c>) -> Result<Lanes<'c>, FormError> {
        if !wanted.is_instruction() {
            return Ok(Lanes::One(self.frame.leaf(wanted)));
        }
        if wanted.is(Opcode::LLVMAlloca) || is_external(self.frame.regions, self.number, wanted) {
            return self.external(b, wanted);
        }
        if let Some(lanes) = self.local.get(&wanted).or_else(|| self.values.get(&wanted)) {
            return Ok(lanes.clone());
        }
        // A chunk that is entered from several blocks may be emitted before one of these: the cell of what it makes is there
        // before its value is.
        if self.cells.contains_key(&wanted) || self.in_cell(wanted) {
            let cell = self.cell(wanted);
            let lanes = self.load_cell(b, &cell, wanted);
            self.local.insert(wanted, lanes.clone());
            return Ok(lanes);
        }
        Err(self.unplaced(wanted))
    }

    /// A mistake of ours: this region asks for a value that has no place.
    fn unplaced(&self, wanted: Value<'c>) -> FormError {
        let entry = self.frame.regions.regions[self.number].entry;
        FormError::Unplaced {
            kernel: self.frame.kernel.name.clone(),
            value: wanted.to_string(),
            region: self.number,
            entry: self.frame.regions.cfg.blocks[entry].name(),
        }
    }

    /// What stands for a value of an earlier region, or of an earlier round of this one.
    fn external(&mut self, b: &Builder<'c>, wanted: Value<'c>) -> Result<Lanes<'c>, FormError> {
        let home = self.frame.slots.home(wanted);
        if let Some(Home::Item(slot)) = home
            && self.is_made_here(wanted)
        {
            return Ok(self.load_from_slot(b, slot, wanted));
        }
        if let Some(lanes) = self.fetched.get(&wanted) {
            return Ok(lanes.clone());
        }
        let made = self.fetch(wanted, home)?;
        self.fetched.insert(wanted, made.clone());
        Ok(made)
    }

    /// Fetches or computes again, before the region's first block, what earlier regions made.
    fn fetch(&mut self, wanted: Value<'c>, home: Option<Home>) -> Result<Lanes<'c>, FormError> {
        let prologue = Builder::at_end(self.prologue);
        if wanted.is(Opcode::LLVMAlloca) {
            return Ok(self.private_variable(&prologue, wanted, home));
        }
        Ok(match home {
            Some(Home::Group(_) | Home::AgainForGroup) => {
                Lanes::One(group::value(self.frame, &self.group_head, wanted, &mut self.group_values))
            }
            Some(Home::Item(slot)) => self.load_from_slot(&prologue, slot, wanted),
            // Cheap: all that it is computed from comes from before this region, too.
            Some(Home::AgainForItem) | None if is_repeatable(wanted) => {
                let mask = std::mem::replace(&mut self.mask, self.base);
                let made = self.make(&prologue, wanted);
                self.mask = mask;
                made?
            }
            _ => return Err(self.unplaced(wanted)),
        })
    }

    fn is_made_here(&self, value: Value<'c>) -> bool {
        let region = &self.frame.regions.regions[self.number];
        let here = value.block().is_some_and(|block| region.contains(self.frame.regions.cfg.number(block)));
        here && !is_entry_phi(self.frame.regions, value) && !value.is(Opcode::LLVMAlloca)
    }

    fn private_variable(&self, b: &Builder<'c>, alloca: Value<'c>, home: Option<Home>) -> Lanes<'c> {
        let frame = self.frame;
        if let Some(weave) = frame.plan.woven(alloca) {
            return self.woven_variable(b, alloca, home, weave);
        }
        if let Some(Home::Item(slot)) = home {
            let first = frame.slot_address(b, slot, self.ids.linear);
            let step = frame.slots.items[slot].size.cast_signed();
            return if self.width() == 1 { Lanes::One(first) } else { Lanes::Strided { first, step } };
        }
        if self.width() == 1 {
            return Lanes::One(frame.entry.insert_clone(alloca));
        }
        let Form::Strided(step) = self.form(alloca) else {
            return Lanes::One(frame.entry.insert_clone(alloca));
        };
        let bytes = step.cast_unsigned() * u64::from(self.width());
        let all = frame.entry.alloca(b.types().i8().array(bytes), &alloca.name());
        all.set_alignment(alloca.alignment().max(1));
        Lanes::Strided { first: all, step }
    }

    /// Copies the terminator of a block that all lanes run together.
    fn terminator(&mut self, b: &Builder<'c>, block: usize, terminator: Value<'c>) -> Result<(), FormError> {
        let frame = self.frame;
        let region = &frame.regions.regions[self.number];
        if region.ends.contains(&End::Branch { block }) {
            let targets = frame.regions.cfg.successors[block].clone();
            self.store_live_outs(b, block, &targets, self.base)?;
            b.branch(self.finish);
            return Ok(());
        }
        let targets = &frame.regions.cfg.successors[block];
        if targets.is_empty() {
            self.continue_in(b, DONE);
            b.branch(self.finish);
            return Ok(());
        }
        let decider = match terminator.decider() {
            Some(decider) => match self.value(b, decider)? {
                Lanes::One(decider) => Some(decider),
                condition => return self.divide(b, block, &condition),
            },
            None => None,
        };
        self.branch_by(b, block, terminator, decider, |this, to| {
            let leaves = region.ends.contains(&End::Edge { from: block, to });
            let goes_back = !leaves && frame.regions.cfg.is_back_edge(block, to);
            Ok((this.edge_block(block, to)?, goes_back))
        })
    }

    /// Copies a terminator that all lanes follow by one decider. `way` gives where control goes for a target, once for each, and
    /// whether that goes round in a loop of the copy.
    pub(super) fn branch_by(
        &mut self,
        b: &Builder<'c>,
        block: usize,
        terminator: Value<'c>,
        decider: Option<Value<'c>>,
        mut way: impl FnMut(&mut Self, usize) -> Result<(Block<'c>, bool), FormError>,
    ) -> Result<(), FormError> {
        let targets = &self.frame.regions.cfg.successors[block];
        let mut ways: Vec<(usize, Block<'c>)> = Vec::with_capacity(targets.len());
        let mut back_to = None;
        for &to in targets {
            if !ways.iter().any(|(known, _)| *known == to) {
                let (begin, back) = way(self, to)?;
                ways.push((to, begin));
                back_to = if back { Some(to) } else { back_to };
            }
        }
        // A clone keeps what the source says of it: weights of its ways, hints for its loop.
        let copy = b.insert_clone(terminator);
        if let Some(decider) = decider {
            copy.set_operand(0, decider);
        }
        for (index, to) in (0..).zip(targets) {
            if let Some(&(_, begin)) = ways.iter().find(|(known, _)| known == to) {
                copy.set_successor(index, begin);
            }
        }
        match back_to {
            None => copy.clear_metadata(LOOP),
            Some(header) if self.width() == 1 && self.is_ragged(header) => copy.forbid_runtime_unrolling(),
            Some(_) => {}
        }
        Ok(())
    }

    /// Whether work-items go round in a loop differently often, and each round takes as long as a chain of float operations.
    fn is_ragged(&self, header: usize) -> bool {
        let regions = self.frame.regions;
        regions.shapes.uniformity().is_divergent_cycle(header) && is_bound_by_chain(&regions.cfg, header)
    }

    /// The block that control goes to for an edge that all lanes take.
    fn edge_block(&mut self, block: usize, to: usize) -> Result<Block<'c>, FormError> {
        let region = &self.frame.regions.regions[self.number];
        let leaves = region.ends.contains(&End::Edge { from: block, to });
        if !leaves && !self.phi_in_cell(to) {
            return Ok(self.starts[&to]);
        }
        let way = self.frame.body.append_block(&format!("r{}.out", self.number));
        let b = Builder::at_end(way);
        self.local.clear();
        if leaves {
            self.store_live_outs(&b, block, &[to], self.base)?;
            let next = self.frame.regions.starting_at(to).map_or(DONE, |region| region as i64);
            self.continue_in(&b, next);
            b.branch(self.finish);
        } else {
            self.follow(&b, block, to, self.base)?;
            b.branch(self.starts[&to]);
        }
        Ok(way)
    }

    /// Stores the live-outs that PHI nodes at the beginnings of other regions take from this block, all at once.
    pub(super) fn store_live_outs(
        &mut self,
        b: &Builder<'c>,
        from: usize,
        targets: &[usize],
        mask: Option<Value<'c>>,
    ) -> Result<(), FormError> {
        let frame = self.frame;
        let mut moves = Vec::new();
        for &to in targets {
            for phi in frame.regions.cfg.blocks[to].phis() {
                if !stores_live_out(frame.regions, frame.slots, self.number, phi, from, to) {
                    continue;
                }
                let incoming = phi.incoming();
                let Some((value, _)) =
                    incoming.into_iter().find(|(_, block)| frame.regions.cfg.number(*block) == from)
                else {
                    continue;
                };
                moves.push((phi, self.value(b, value)?));
            }
        }
        for (phi, lanes) in moves {
            match (frame.slots.home(phi), lanes) {
                (Some(Home::Item(slot)), lanes) => self.store_to_slot(b, slot, &lanes, mask),
                (Some(Home::Group(variable)), Lanes::One(value)) => {
                    let cell = group::cell_for(frame.variables[variable], true);
                    let kept = self.blend_unless_none(b, cell, value, mask);
                    group::store(frame, b, cell, kept);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes the region that this work-item continues in.
    fn continue_in(&self, b: &Builder<'c>, region: i64) {
        let (Some(dispatch), Some(slot)) = (self.dispatch, self.frame.slots.continuation) else { return };
        let next = b.types().i32().int(region);
        self.store_to_slot(b, slot, &Lanes::One(next), None);
        if let Some(served) = self.frame.slots.served {
            self.store_to_slot(b, served, &Lanes::One(b.types().i8().zero()), None);
        }
        group::note_pending(b, dispatch, next);
    }

    /// Fills the copied PHI nodes, now that all values are there.
    fn fill_phis(&mut self) -> Result<(), FormError> {
        let cfg = &self.frame.regions.cfg;
        let phis = std::mem::take(&mut self.phis);
        for (position, &(phi, original)) in phis.iter().enumerate() {
            // The components of one PHI node stand side by side.
            let component = phis[..position].iter().rev().take_while(|(_, other)| *other == original).count();
            let mut brought = HashMap::new();
            for (value, from) in original.incoming() {
                let Some(&tail) = self.tails.get(&cfg.number(from)) else { continue };
                let Some(terminator) = tail.terminator() else { continue };
                // Cases of one switch that lead here are edges of their own, which bring one value.
                if let Some(&incoming) = brought.get(&from) {
                    phi.add_incoming(incoming, tail);
                    continue;
                }
                let b = Builder::before(terminator);
                self.local.clear();
                let lanes = self.value(&b, value)?;
                let incoming = match (self.form(original) == Form::Vector, lanes) {
                    (false, Lanes::One(value) | Lanes::Strided { first: value, .. }) => value,
                    (_, lanes) => {
                        let wide = self.widen_like(&b, &lanes, original);
                        wide.get(component).copied().unwrap_or_else(|| phi.ty().poison())
                    }
                };
                brought.insert(from, incoming);
                phi.add_incoming(incoming, tail);
            }
        }
        Ok(())
    }

    /// The line and reason of a decline.
    pub(super) fn decline(&self, at: Value<'c>, reason: &str) -> FormError {
        FormError::CannotVectorise {
            kernel: self.frame.kernel.name.clone(),
            reason: reason.to_owned(),
            line: at.line(),
        }
    }

    /// An access that different work-items make independently.
    pub(super) fn mark(&self, access: Value<'c>) {
        if let Some(group) = self.parallel {
            access.set_metadata("llvm.access.group", group);
        }
    }
}
