//! Chunks: blocks that lanes run without the others.
//!
//! Each divided block has a cell with the mask of the lanes that want to run it. An edge adds lanes to the target's
//! cell and gives its PHI nodes, lane by lane, what they take; a block takes its mask, clears the cell, and runs. Where
//! no lane wants a block, it and all that it dominates are jumped over. A loop runs until no lane wants its header.
//!
//! What a PHI node's cell holds matters for the lanes that wait for its block, and a lane waits in one place only. So an
//! edge keeps what the cell holds for lanes that do not run the block that it leaves ([`RegionEmitter::kept_for`]), and a
//! back edge nothing: who goes round again comes by it, and who has left took its live-outs along. In a round nothing is
//! left of the rounds before but what the header's PHI nodes took ([`RegionEmitter::begin_rounds`]).

use super::group;
use super::items::{Cell, RegionEmitter};
use super::lanes::{Lanes, widen};
use crate::error::FormError;
use crate::plan::How;
use crate::plan::chunks::Step;
use crate::regions::End;
use oxcl_ir::cfg::Cfg;
use oxcl_ir::{Block, Builder, IntPredicate, Value};
use std::collections::HashMap;

/// The inside of a loop that lanes leave in different rounds.
#[derive(Clone, Copy)]
struct Inside<'c> {
    /// Where a round begins.
    begin: Block<'c>,
    /// Where control goes when no lane is left.
    after: Block<'c>,
}

/// PHI nodes and what they take.
type Moves<'c> = Vec<(Value<'c>, Lanes<'c>)>;

/// Whether a block of some steps leads back to a loop's header.
fn sends_back(cfg: &Cfg<'_>, steps: &[Step], header: usize) -> bool {
    steps.iter().any(|step| match step {
        Step::Block(block) => cfg.successors[*block].contains(&header),
        Step::Loop(_, inner) => sends_back(cfg, inner, header),
        Step::Together(_, blocks) => blocks.iter().any(|&block| cfg.successors[block].contains(&header)),
    })
}

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// Whether any lane is set.
    pub(super) fn any(&self, b: &Builder<'c>, mask: Value<'c>) -> Value<'c> {
        let packed = self.packed(b, mask);
        b.compare(IntPredicate::LLVMIntNE, packed, packed.ty().zero(), "any")
    }

    /// Whether a mask is set for all lanes at work.
    pub(super) fn all_set(&self, b: &Builder<'c>, mask: Value<'c>) -> Value<'c> {
        let held = match self.mask {
            Some(working) => b.select(working, mask, self.mask_type().int(-1), ""),
            None => mask,
        };
        let packed = self.packed(b, held);
        b.compare(IntPredicate::LLVMIntEQ, packed, packed.ty().int(-1), "all")
    }

    /// A mask as an integer of W bits.
    pub(super) fn packed(&self, b: &Builder<'c>, mask: Value<'c>) -> Value<'c> {
        b.cast(oxcl_ir::Opcode::LLVMBitCast, mask, b.types().int(self.width()), "")
    }

    /// The type of a mask.
    fn mask_type(&self) -> oxcl_ir::Type<'c> {
        self.frame.body.types().bool().vector(self.width())
    }

    /// The cell with the lanes that want a divided block; empty at the region's beginning.
    fn mask_cell(&mut self, block: usize) -> Value<'c> {
        if let Some(&cell) = self.mask_cells.get(&block) {
            return cell;
        }
        let ty = self.mask_type();
        let cell = self.frame.entry.alloca(ty, "wanted");
        self.store_mask(&Builder::at_end(self.prologue), cell, ty.zero());
        self.mask_cells.insert(block, cell);
        cell
    }

    fn store_mask(&self, b: &Builder<'c>, cell: Value<'c>, mask: Value<'c>) {
        b.store(mask, cell, self.frame.kernel.layout.alignment(mask.ty()));
    }

    fn load_mask(&self, b: &Builder<'c>, cell: Value<'c>) -> Value<'c> {
        let ty = self.mask_type();
        b.load(ty, cell, self.frame.kernel.layout.alignment(ty), "mask")
    }

    /// `mask` with all lanes spelled out.
    pub(super) fn full(&self, mask: Option<Value<'c>>) -> Value<'c> {
        mask.unwrap_or_else(|| self.mask_type().int(-1))
    }

    /// Takes a divergent branch out of a block that all lanes run together.
    pub(super) fn divide(
        &mut self,
        b: &Builder<'c>,
        block: usize,
        condition: &Lanes<'c>,
    ) -> Result<(), FormError> {
        let targets = self.frame.regions.cfg.successors[block].clone();
        self.take_both(b, block, condition)?;
        let chunk = targets.iter().find_map(|&to| self.chunks.of(to));
        match chunk.and_then(|chunk| self.chunks.chunks[chunk].steps.first()) {
            Some(step) => b.branch(self.starts[&step.first()]),
            // Both ways leave the region.
            None => b.branch(self.finish),
        };
        Ok(())
    }

    /// Follows both edges of a divergent branch, each with its lanes.
    fn take_both(&mut self, b: &Builder<'c>, block: usize, condition: &Lanes<'c>) -> Result<(), FormError> {
        let targets = self.frame.regions.cfg.successors[block].clone();
        let none = self.mask_type().zero();
        let taken = widen(b, condition, self.width())[0];
        let mask = self.full(self.mask);
        // A lane that is not active may have a poisoned condition, which a plain `and` would let through.
        let yes = b.select(mask, taken, none, "yes");
        let negated = b.not(taken, "");
        let no = b.select(mask, negated, none, "no");
        self.follow_both(b, block, (targets[0], yes), (targets[1], no))
    }

    /// Lets lanes pass two edges. What one edge's PHI nodes take may be a PHI node of the other's target, so all is read before
    /// anything is stored.
    fn follow_both(
        &mut self,
        b: &Builder<'c>,
        from: usize,
        one: (usize, Value<'c>),
        other: (usize, Value<'c>),
    ) -> Result<(), FormError> {
        let moves = [self.moves(b, from, one.0)?, self.moves(b, from, other.0)?];
        for ((to, mask), moves) in [one, other].into_iter().zip(moves) {
            self.follow_with(b, from, to, Some(mask), false, moves)?;
        }
        Ok(())
    }

    /// Emits a chunk; control comes in at the copy of any of its blocks.
    pub(super) fn chunk(&mut self, number: usize) -> Result<(), FormError> {
        let chunk = &self.chunks.chunks[number];
        let exit = chunk.join.map_or(self.finish, |join| self.starts[&join]);
        let steps = chunk.steps.clone();
        self.steps(&steps, exit, None)
    }

    /// Emits a sequence, which goes on at `exit`. A loop's inside begins in the loop's block: some lane wants it.
    fn steps(
        &mut self,
        steps: &[Step],
        exit: Block<'c>,
        inside: Option<Inside<'c>>,
    ) -> Result<(), FormError> {
        for (position, step) in steps.iter().enumerate() {
            let label = |step: Option<&Step>| step.map_or(exit, |step| self.starts[&step.first()]);
            let next = label(steps.get(position + 1));
            let cfg = &self.frame.regions.cfg;
            let after =
                steps[position + 1..].iter().find(|other| !cfg.dominates(step.first(), other.first()));
            // Where no lane goes on in a loop, none goes round again, unless it was sent back before.
            let skip = match (after, &inside) {
                (None, Some(inside)) if !sends_back(cfg, &steps[..position], steps[0].first()) => {
                    inside.after
                }
                _ => label(after),
            };
            let cell = self.mask_cell(step.first());
            let run = match &inside {
                Some(inside) if position == 0 => inside.begin,
                _ => {
                    let b = Builder::at_end(self.starts[&step.first()]);
                    let run = self.frame.body.append_block(&format!("r{}.run", self.number));
                    let wanted = self.load_mask(&b, cell);
                    let any = self.any(&b, wanted);
                    b.conditional_branch(any, run, skip);
                    run
                }
            };
            match step {
                Step::Block(block) => {
                    let b = Builder::at_end(run);
                    self.divided_block(&b, *block)?;
                    b.branch(next);
                }
                Step::Together(header, blocks) => self.together(run, *header, blocks, next)?,
                Step::Loop(header, inner) => {
                    self.rounds.push((*header, run));
                    let again = self.frame.body.append_block(&format!("r{}.again", self.number));
                    self.steps(inner, again, Some(Inside { begin: run, after: next }))?;
                    let b = Builder::at_end(again);
                    let wanted = self.load_mask(&b, cell);
                    let any = self.any(&b, wanted);
                    b.conditional_branch(any, run, next);
                }
            }
        }
        Ok(())
    }

    /// Copies a loop that the lanes that came to it leave together, from the block `run` on; who leaves it goes on at `next`.
    fn together(
        &mut self,
        run: Block<'c>,
        header: usize,
        blocks: &[usize],
        next: Block<'c>,
    ) -> Result<(), FormError> {
        let cell = self.mask_cell(header);
        let b = Builder::at_end(run);
        let mask = self.load_mask(&b, cell);
        self.store_mask(&b, cell, self.mask_type().zero());
        // Lanes are asked for where the header's copy would begin; the others are reached from inside only.
        let mut begins: HashMap<usize, Block<'c>> =
            blocks.iter().map(|&block| (block, self.starts[&block])).collect();
        begins.insert(header, self.frame.body.append_block(&format!("r{}.round", self.number)));
        b.branch(begins[&header]);
        for &block in blocks {
            self.mask = Some(mask);
            let b = Builder::at_end(begins[&block]);
            let Some(terminator) = self.straight(&b, block)? else { continue };
            self.pass_together(&b, block, terminator, &begins, next)?;
        }
        Ok(())
    }

    /// Copies the terminator of a block in such a loop: all lanes pass one of its edges.
    fn pass_together(
        &mut self,
        b: &Builder<'c>,
        block: usize,
        terminator: Value<'c>,
        begins: &HashMap<usize, Block<'c>>,
        next: Block<'c>,
    ) -> Result<(), FormError> {
        let decider = match terminator.decider() {
            Some(decider) => match self.value(b, decider)? {
                Lanes::One(decider) => Some(decider),
                _ => return Err(self.decline(terminator, "lanes that leave a loop together part in it")),
            },
            None => None,
        };
        self.branch_by(b, block, terminator, decider, |this, to| {
            let way = this.frame.body.append_block(&format!("r{}.way", this.number));
            let b = Builder::at_end(way);
            this.local.clear();
            let Some(&inside) = begins.get(&to) else {
                this.follow(&b, block, to, this.mask)?;
                b.branch(next);
                return Ok((way, false));
            };
            for (phi, lanes) in this.moves(&b, block, to)?.unwrap_or_default() {
                let cell = this.cell(phi);
                this.store_cell(&b, &cell, &lanes, None);
            }
            b.branch(inside);
            Ok((way, this.frame.regions.cfg.is_back_edge(block, to)))
        })
    }

    /// Copies a divided block, but for the jump to what comes next in the sequence.
    fn divided_block(&mut self, b: &Builder<'c>, block: usize) -> Result<(), FormError> {
        let cell = self.mask_cell(block);
        let mask = self.load_mask(b, cell);
        self.store_mask(b, cell, self.mask_type().zero());
        self.mask = Some(mask);
        let Some(terminator) = self.straight(b, block)? else { return Ok(()) };
        let targets = self.frame.regions.cfg.successors[block].clone();
        let (Some(condition), &[yes, no]) = (terminator.condition(), targets.as_slice()) else {
            return match targets.first() {
                Some(&to) => self.follow(b, block, to, Some(mask)),
                None => Ok(()),
            };
        };
        if yes == no {
            return self.follow(b, block, yes, Some(mask));
        }
        match self.value(b, condition)? {
            Lanes::One(condition) => {
                let none = self.mask_type().zero();
                let taken = b.select(condition, mask, none, "yes");
                let other = b.select(condition, none, mask, "no");
                self.follow_both(b, block, (yes, taken), (no, other))
            }
            lanes => self.take_both(b, block, &lanes),
        }
    }

    /// Lets all lanes that run a block pass an edge.
    pub(super) fn follow(
        &mut self,
        b: &Builder<'c>,
        from: usize,
        to: usize,
        mask: Option<Value<'c>>,
    ) -> Result<(), FormError> {
        let moves = self.moves(b, from, to)?;
        self.follow_with(b, from, to, mask, true, moves)
    }

    /// What the PHI nodes of an edge's target take; none where the edge leaves the region.
    fn moves(&mut self, b: &Builder<'c>, from: usize, to: usize) -> Result<Option<Moves<'c>>, FormError> {
        if self.frame.regions.regions[self.number].ends.contains(&End::Edge { from, to }) {
            return Ok(None);
        }
        let mut moves = Vec::new();
        let cfg = &self.frame.regions.cfg;
        for phi in cfg.blocks[to].phis() {
            let incoming = phi.incoming();
            let found = incoming.into_iter().find(|(_, block)| cfg.number(*block) == from);
            if let Some((value, _)) = found {
                moves.push((phi, self.value(b, value)?));
            }
        }
        Ok(Some(moves))
    }

    /// Lets lanes pass an edge: what the target's PHI nodes take, then the lanes themselves. `certain`: all lanes that run the
    /// block pass.
    fn follow_with(
        &mut self,
        b: &Builder<'c>,
        from: usize,
        to: usize,
        mask: Option<Value<'c>>,
        certain: bool,
        moves: Option<Moves<'c>>,
    ) -> Result<(), FormError> {
        let Some(moves) = moves else { return self.store_live_outs(b, from, &[to], mask) };
        let mut taken = None;
        for (phi, lanes) in moves {
            let cell = self.cell(phi);
            match cell {
                Cell::Each(_) => self.store_cell(b, &cell, &lanes, self.kept_for(from, to)),
                Cell::One(place) | Cell::Strided(place, _) => {
                    let (Lanes::One(new) | Lanes::Strided { first: new, .. }) = lanes else {
                        return Err(self.decline(phi, "a value that should be uniform is not"));
                    };
                    let kept = match mask.filter(|_| !certain && !self.goes_round(from, to)) {
                        Some(mask) => {
                            let taken = *taken.get_or_insert_with(|| self.any(b, mask));
                            let alignment = self.frame.kernel.layout.alignment(new.ty());
                            let old = b.load(new.ty(), place, alignment, "");
                            b.select(taken, new, old, "")
                        }
                        None => new,
                    };
                    group::store(self.frame, b, place, kept);
                }
            }
        }
        if self.chunks.is_divided(to) {
            let cell = self.mask_cell(to);
            let before = self.load_mask(b, cell);
            let after = b.or(before, self.full(mask), "");
            self.store_mask(b, cell, after);
        }
        Ok(())
    }

    /// Outside of which lanes the cells of an edge's PHI nodes keep what they hold; `None`: for no lane. The lanes that run
    /// the edge's block and go another way may lose it: they do not wait for this one.
    fn kept_for(&self, from: usize, to: usize) -> Option<Value<'c>> {
        let alone = self.chunks.is_divided(from);
        // What a call does with lanes that have left takes longer, if it is large.
        self.mask.filter(|_| alone && (self.calls_forms(to) || !self.goes_round(from, to)))
    }

    /// Whether an edge is the only one that leads back to a loop's header.
    fn goes_round(&self, from: usize, to: usize) -> bool {
        let cfg = &self.frame.regions.cfg;
        let back = cfg.predecessors[to].iter().filter(|&&other| cfg.is_back_edge(other, to));
        cfg.is_back_edge(from, to) && back.count() == 1
    }

    /// Whether a loop calls vector forms of functions, which have rare ways for all lanes where one lane needs them.
    fn calls_forms(&self, header: usize) -> bool {
        let cfg = &self.frame.regions.cfg;
        let around = cfg.loops.iter().filter(|found| found.header == header);
        let blocks = around.flat_map(|found| (0..cfg.blocks.len()).filter(|&block| found.contains(block)));
        let instructions = blocks.flat_map(|block| cfg.blocks[block].instructions());
        instructions.into_iter().any(|instruction| matches!(self.how(instruction), How::Wide(_)))
    }

    /// Ends, where a round of a loop begins, what the rounds before left in cells of the loop's values: LLVM would carry it
    /// along.
    pub(super) fn begin_rounds(&self) {
        let cfg = &self.frame.regions.cfg;
        for &(header, begin) in &self.rounds {
            let Some(first) = begin.instructions().first().copied() else { continue };
            let b = Builder::before(first);
            let around = cfg.loops.iter().filter(|found| found.header == header);
            let blocks =
                around.flat_map(|found| (0..cfg.blocks.len()).filter(|&block| found.contains(block)));
            for value in blocks.flat_map(|block| cfg.blocks[block].instructions()) {
                let taken = value.is_phi() && value.block().is_some_and(|block| cfg.number(block) == header);
                let Some(cell) = self.cells.get(&value).filter(|_| !taken) else { continue };
                for place in cell.places() {
                    if let Some(ty) = place.allocated() {
                        group::store(self.frame, &b, *place, ty.poison());
                    }
                }
            }
        }
    }

    /// The new value where any lane of the mask is set, else what the cell holds.
    pub(super) fn blend_unless_none(
        &self,
        b: &Builder<'c>,
        cell: Value<'c>,
        new: Value<'c>,
        mask: Option<Value<'c>>,
    ) -> Value<'c> {
        let Some(mask) = mask else { return new };
        let any = self.any(b, mask);
        let old = b.load(new.ty(), cell, self.frame.kernel.layout.alignment(new.ty()), "");
        b.select(any, new, old, "")
    }

    /// Stores into a cell the lanes of a mask.
    pub(super) fn store_cell(
        &self,
        b: &Builder<'c>,
        cell: &Cell<'c>,
        lanes: &Lanes<'c>,
        mask: Option<Value<'c>>,
    ) {
        match (cell, lanes) {
            (
                Cell::One(place) | Cell::Strided(place, _),
                Lanes::One(value) | Lanes::Strided { first: value, .. },
            ) => {
                group::store(self.frame, b, *place, *value);
            }
            (Cell::Each(places), lanes) => {
                for (&place, new) in places.iter().zip(widen(b, lanes, self.width())) {
                    let value = match mask {
                        Some(mask) => {
                            let alignment = self.frame.kernel.layout.alignment(new.ty());
                            let old = b.load(new.ty(), place, alignment, "");
                            b.select(mask, new, old, "")
                        }
                        None => new,
                    };
                    group::store(self.frame, b, place, value);
                }
            }
            (Cell::One(place) | Cell::Strided(place, _), Lanes::Each(_)) => {
                debug_assert!(false, "a varying value in a uniform cell {place}");
            }
        }
    }
}
