//! What loads and stores cost, in cycles.
//!
//! In: an access of a plan, and what the target's vectors can do. Out: what it takes for all lanes. See [`super::cost`].

use super::How;
use super::cost::Costs;
use super::strides::{Step, Steps, Variable};
use crate::emit::varying_index;
use oxcl_ir::{Opcode, Type, Value};

/// What a lane's access costs more where lanes walk along rows of their own, for each doubling of the lines that a round touches
/// beyond [`KEPT_LINES`]: these must be there for the next round too, and rows that lie a power of two apart share a few places of the cache.
const LINES_DOUBLED: f64 = 0.36;
const KEPT_LINES: f64 = 8.0;
/// A vector of elements that lanes load by rows: its share of the rows and of what turns them.
const ROW: f64 = 3.5;
/// Whether lane 0's place is a multiple of W; and a stage of an exchange of lanes, for each register: a shuffle, or a jump past it.
const TEST_OF_BLOCK: f64 = 1.0;
const EXCHANGE: f64 = 1.0;
/// Bytes between lanes from which on they have no lines together.
pub(super) const LINE: u64 = 64;

impl<'c> Costs<'_, 'c> {
    /// Whether an access moves by its own size from lane to lane, but for numbers that wrap around.
    pub(super) fn is_linear(&self, access: Value<'c>) -> bool {
        let pointer = pointer(access);
        let size = self.kernel.layout.size(Self::moved(access)).cast_signed();
        let step = Steps::new(&self.regions.cfg, self.kernel.layout, Variable::Id(0)).of(pointer);
        matches!(step, Step::By(step) if step.as_number() == Some(size))
    }

    /// Whether an instruction is an access that moves by its own size times one value from lane to lane.
    pub(super) fn has_unknown_stride(&self, instruction: Value<'c>) -> bool {
        let Some(pointer) = address(instruction) else { return false };
        let size = self.kernel.layout.size(Self::moved(instruction)).cast_signed();
        let step = Steps::new(&self.regions.cfg, self.kernel.layout, Variable::Id(0)).of(pointer);
        matches!(step, Step::By(step) if step.is_product_of(size))
    }

    /// The type that an access moves.
    pub(super) fn moved(instruction: Value<'c>) -> Type<'c> {
        Self::moved_value(instruction).ty()
    }

    fn moved_value(instruction: Value<'c>) -> Value<'c> {
        if instruction.is(Opcode::LLVMStore) { instruction.operand(0) } else { instruction }
    }

    pub(super) fn consecutive(&self, instruction: Value<'c>, masked: bool) -> f64 {
        let ty = Self::moved(instruction);
        let moved = Self::moved_value(instruction);
        let is_interleaved = self.plan.is_interleaved(moved);
        let registers = if is_interleaved { self.registers_of(moved) } else { self.registers(ty) };
        let parts = self.parts(ty);
        let each = if instruction.is(Opcode::LLVMStore) { 1.0 } else { 0.5 };
        let together = parts > 1.0 && !is_interleaved && self.plan.woven(pointer(instruction)).is_none();
        let shuffles = if together { 1.5 * registers } else { 0.0 };
        let narrow = self.bits(ty) < 32;
        let can_mask = if narrow { self.vectors.masks_bytes } else { self.vectors.masks };
        let mask = match (masked, can_mask) {
            (false, _) => 0.0,
            (true, true) => 0.5 * registers,
            (true, false) => 2.0 * f64::from(self.plan.width) * parts,
        };
        each * registers + shuffles + mask
    }

    /// An access of one vector whose lanes exchange places, of which lane 0's place is mostly a multiple of W.
    pub(super) fn butterfly(&self, instruction: Value<'c>, masked: bool) -> f64 {
        let plan = self.plan;
        let varying = varying_index(plan, self.regions, self.kernel.layout, instruction);
        let bits = varying.and_then(|varying| varying.exchange(plan)).map(|exchange| exchange.bits);
        let known = bits.is_some_and(|bits| bits.as_int().is_some());
        let stages = if known { 1.0 } else { f64::from(plan.width.ilog2()) };
        let moved = 1.0 + f64::from(u8::from(masked));
        TEST_OF_BLOCK
            + self.consecutive(instruction, masked)
            + stages * moved * EXCHANGE * self.registers(Self::moved(instruction))
    }

    pub(super) fn gather(&self, instruction: Value<'c>, masked: bool) -> f64 {
        let ty = Self::moved(instruction);
        if !masked && let Some(cycles) = self.strided(instruction) {
            return cycles;
        }
        if !masked && self.is_row(instruction) {
            return ROW * self.registers(ty).max(1.0);
        }
        let lanes = f64::from(self.plan.width);
        let narrow = self.bits(ty) < 32;
        let store = instruction.is(Opcode::LLVMStore);
        let has = !narrow && if store { self.vectors.scatters } else { self.vectors.gathers };
        let each = match (has, masked) {
            (true, _) if store => 1.2 * lanes + 3.0,
            (true, _) => 0.9 * lanes + 3.0,
            // Words are gathered and shifted down (`word_gathers.cpp`).
            (false, _) if narrow && !store && self.vectors.gathers => 1.1 * lanes + 6.0,
            (false, false) => 2.0 * lanes,
            // A branch for each lane, half of which are not foreseen.
            (false, true) if narrow => 8.0 * lanes,
            (false, true) => 4.0 * lanes,
        };
        each * self.parts(ty) + lanes * self.crowding(instruction)
    }

    /// Whether lanes go through rows of elements of four or eight bytes, in a loop that writes nothing: then each loads several at once
    /// (`gather_rows.cpp`).
    fn is_row(&self, access: Value<'c>) -> bool {
        let cfg = &self.regions.cfg;
        let around = access.block().and_then(|block| cfg.innermost[cfg.number(block)]);
        let Some(around) = around.filter(|_| access.is(Opcode::LLVMLoad) && self.vectors.gathers) else {
            return false;
        };
        let ty = Self::moved(access);
        let own = |block: &usize| cfg.loops[around].contains(*block);
        let writes = |block: usize| cfg.blocks[block].instructions().iter().any(|i| i.effects().writes());
        let wide = self.parts(ty) == 1.0 && matches!(self.bits(ty), 32 | 64);
        wide && self.walks(access) && !cfg.order.iter().copied().filter(own).any(writes)
    }

    /// How much longer a lane's access takes because lanes walk along rows of their own, each through its lines, so that lines are to
    /// be kept for as many lanes as there are in all such walks of the block.
    fn crowding(&self, access: Value<'c>) -> f64 {
        if !self.walks(access) {
            return 0.0;
        }
        let walks = |other: &Value<'c>| {
            other.is(Opcode::LLVMLoad) && self.plan.how(*other) == How::Gather && self.walks(*other)
        };
        let walks =
            access.block().map_or(1, |block| block.instructions().iter().filter(|i| walks(i)).count());
        let lines = f64::from(self.plan.width) * walks as f64;
        LINES_DOUBLED * (lines / KEPT_LINES).log2().max(0.0)
    }

    /// Whether lanes that have no lines together come to the next element in the next round of the loop around.
    fn walks(&self, access: Value<'c>) -> bool {
        if let Some(&known) = self.walking.borrow().get(&access) {
            return known;
        }
        let walks = self.find_walk(access);
        self.walking.borrow_mut().insert(access, walks);
        walks
    }

    fn find_walk(&self, access: Value<'c>) -> bool {
        let cfg = &self.regions.cfg;
        let around = access.block().and_then(|block| cfg.innermost[cfg.number(block)]);
        let Some(around) = around else { return false };
        let pointer = pointer(access);
        let step = |variable| match Steps::new(cfg, self.kernel.layout, variable).of(pointer) {
            Step::By(sum) => Some(sum),
            _ => None,
        };
        let apart = step(Variable::Id(0))
            .is_none_or(|sum| sum.as_number().is_none_or(|by| by.unsigned_abs() >= LINE));
        let counters = cfg.blocks[cfg.loops[around].header].phis();
        let next = |counter: Value<'c>| {
            let by = step(Variable::Counter(counter)).and_then(|sum| sum.as_number());
            by.is_some_and(|by| (1..LINE).contains(&by.unsigned_abs()))
        };
        apart && counters.into_iter().any(next)
    }
}

/// The address that a load or a store goes to; none for other instructions.
pub(super) fn address(instruction: Value<'_>) -> Option<Value<'_>> {
    matches!(instruction.opcode(), Some(Opcode::LLVMLoad | Opcode::LLVMStore)).then(|| pointer(instruction))
}

/// The address of an access.
fn pointer(access: Value<'_>) -> Value<'_> {
    access.operand(if access.is(Opcode::LLVMStore) { 1 } else { 0 })
}
