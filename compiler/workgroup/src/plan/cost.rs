//! What a plan costs, in cycles.
//!
//! In: a plan and what the target's vectors can do. Out: for each region, the cycles that one round of the plan's lanes
//! takes in it. The figures are throughputs of current x86-64 cores, rounded; what masks, blends, gathers and lane loops
//! cost is ours. A loop takes what its instructions take, or what its longest chain of dependences does, whichever is more:
//! that is why several registers of lanes may be cheaper than one.
//!
//! Not known here: how often a loop runs (a fixed guess), cache misses, register pressure (but see `pressure.rs`).

use super::access_cost::address;
use super::{Form, How, Plan, pressure};
use crate::emit::{by_floating, divides, independent, is_marker, joined, long_divisor};
use crate::guards::is_test;
use crate::narrow::asks_low_bits;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::slots::Slots;
use crate::workitem::{Query, range_of_small};
use crate::{Vectors, space};
use oxcl_ir::access::PIXEL;
use oxcl_ir::range::{Range, Ranges};
use oxcl_ir::{Block, Function, Opcode, Type, TypeKind, Value};
use std::cell::RefCell;
use std::collections::HashMap;

/// Rounds of a loop.
const ROUNDS: f64 = 12.0;
/// How much longer the longest of several lanes stays in a loop that they leave in different rounds.
const LONGEST: f64 = 1.3;
/// Variables of a loop that chains of dependences are looked for through.
const MOST_CARRIED: usize = 8;
/// A branch that is taken or not by chance, at W = 1: a sixth of them are not foreseen.
const CHANCE: f64 = 3.0;
/// A block under a mask: the test whether any lane is in it, and the mask's own arithmetic. LLVM makes no such test.
const MASKED_BLOCK: f64 = 3.0;
const MASKED_BLOCK_OF_LLVM: f64 = 1.0;
/// What a mask of more than one register of 32-bit lanes costs more, for each register, where there are no mask registers: what
/// comparisons give is packed, and unpacked for each blend. Masks of one register stay in lanes of 32 bits.
const PACKED_MASK: f64 = 2.0;
/// To find out whether the lanes' addresses are one behind the other, for each register of them.
const TEST_OF_ADDRESSES: f64 = 3.0;
/// How often those of [`HALF_APART`] lanes are not, and how much more often with each doubling of the lanes: of runs of any length
/// fewer are as long.
const APART: f64 = 0.5;
const APART_DOUBLED: f64 = 0.1;
const HALF_APART: f64 = 16.0;
/// How often they are not, where only a number that wraps around could part them.
const RARELY_APART: f64 = 0.05;
/// An operation among the lanes of a sub-group. Nothing is chosen by it: such kernels run in lanes wherever they can.
const AMONG_LANES: f64 = 8.0;
/// What code around a lane's turn costs.
const TURN: f64 = 3.0;
/// The same for an atomic operation, which takes little itself: its address is taken out of a register of lanes, by two operations
/// or three, where one work-item's alone is part of the instruction.
const TURN_OF_ATOMIC: f64 = 5.0;
/// LLVM's loop over work-items against the plan of the same width: it needs no masks of its own where nothing diverges, and is
/// less good at those that it needs.
const LLVM_PLAIN: f64 = 0.95;
const LLVM_MASKED: f64 = 1.35;
/// What is done to the elements of a work-item's array at once, against one after the other.
const JOINED: f64 = 0.25;

/// What one region costs.
#[derive(Debug)]
struct Part {
    cycles: f64,
    /// How often the group comes here, against a region in no loop.
    often: f64,
    /// It has a loop of its own.
    has_loop: bool,
    has_masks: bool,
    has_turns: bool,
    /// Lanes differ in OpenCL vectors. LLVM widens a loop over work-items only if all that differs in it are numbers.
    has_vectors: bool,
    /// An access moves by its size times a number of the launch. LLVM widens such a loop for the case that the number is one.
    has_unknown_stride: bool,
}

/// What a plan costs, by regions.
#[derive(Debug)]
pub(super) struct Cost {
    parts: Vec<Part>,
}

impl Cost {
    /// All regions together, for the lanes of the plan.
    pub(super) fn total(&self) -> f64 {
        self.parts.iter().map(|part| part.cycles * part.often).sum()
    }

    /// The cost of a work-item at W = 1; `by_llvm`: what the plan of one register costs, which is about what LLVM makes of
    /// a region that it can widen.
    pub(super) fn of_one<'c>(
        &self,
        kernel: &Prepared<'_, 'c>,
        regions: &Regions<'c>,
        slots: &Slots<'c>,
        by_llvm: Option<&(Cost, u32)>,
    ) -> f64 {
        let part = |number: usize| {
            let own = &self.parts[number];
            if joined::array(kernel, regions, slots, number).is_some() {
                return own.cycles * JOINED * own.often;
            }
            let widened = by_llvm.and_then(|(wide, lanes)| {
                let part = &wide.parts[number];
                let can = !own.has_loop
                    && !part.has_turns
                    && !part.has_vectors
                    && !part.has_unknown_stride
                    && independent::obstacle_at_sight(kernel, regions, slots, number).is_none();
                let factor = if part.has_masks { LLVM_MASKED } else { LLVM_PLAIN };
                can.then(|| part.cycles / f64::from(*lanes) * factor)
            });
            widened.unwrap_or(own.cycles).min(own.cycles) * own.often
        };
        (0..self.parts.len()).map(part).sum()
    }
}

/// How often all lanes pass a guard.
pub(super) const PASSING: f64 = 0.9;

/// The costs of a plan; `divergence` says of a plan for one lane where several would part.
pub(super) fn of<'c>(
    plan: &Plan<'c>,
    divergence: &Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    vectors: &Vectors,
) -> Cost {
    Costs::new(plan, divergence, kernel, regions, vectors).of_regions()
}

/// What the plan of one register would cost as LLVM makes it from the loop over work-items: it makes no tests in front of guards,
/// and where memory holds nothing but bytes and shorts, it takes so many more lanes, each as narrow as its numbers are.
pub(super) fn of_llvm<'c>(
    plan: &Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    vectors: &Vectors,
) -> Cost {
    let accessed = kernel.function.instructions().into_iter().filter_map(|instruction| {
        address(instruction).map(|_| kernel.layout.size(Costs::moved(instruction).scalar()))
    });
    let widest = accessed.max().unwrap_or(4);
    let narrow =
        (widest < 4).then(|| Narrow { ranges: Ranges::new(&range_of_small), share: widest as f64 / 4.0 });
    let weights = weights(regions, 0.0);
    Costs {
        plan,
        divergence: plan,
        kernel,
        regions,
        vectors,
        weights,
        by_llvm: true,
        by_parts: false,
        narrow,
        walking: RefCell::default(),
    }
    .of_regions()
}

/// Lanes that are as narrow as their numbers are.
struct Narrow<'a, 'c> {
    ranges: Ranges<'a, 'c>,
    /// The widest element of memory against 32 bits.
    share: f64,
}

impl<'c> Narrow<'_, 'c> {
    /// The bits that a value's lanes need.
    fn bits(&self, value: Value<'c>, own: u64) -> u64 {
        // Only low bits are taken of what low bits are enough for.
        let low = asks_low_bits(value) || value.is(Opcode::LLVMShl);
        let taken = value.users().into_iter().map(|user| match user.ty().kind() {
            TypeKind::Int(bits) if low && user.is(Opcode::LLVMTrunc) => u64::from(bits.max(8)),
            _ => own,
        });
        let taken = taken.max().unwrap_or(own);
        let range = self.ranges.of(value);
        let fits = |bits: u32| {
            range.is_some_and(|range| range.is_in(Range::signed(bits)) || range.is_in(Range::unsigned(bits)))
        };
        let known = [8, 16].into_iter().find(|&bits| fits(bits)).map_or(own, u64::from);
        taken.min(known).min(own)
    }
}

/// How often an image has a format that pixels of are decoded by a call: those that pictures mostly have are known where they are read.
const OTHER_FORMATS: f64 = 0.1;

/// How often each block runs because of the tests in front of guards, and of the formats of images.
fn weights(regions: &Regions<'_>, passing: f64) -> Vec<f64> {
    let cfg = &regions.cfg;
    let calls_for_pixel = |block: &Block<'_>| {
        let is_pixel = |callee: Function<'_>| callee.name().starts_with(PIXEL);
        block.instructions().into_iter().any(|i| i.is(Opcode::LLVMCall) && i.callee().is_some_and(is_pixel))
    };
    let weight = |block| if calls_for_pixel(block) { OTHER_FORMATS } else { 1.0 };
    let mut weights: Vec<f64> = cfg.blocks.iter().map(weight).collect();
    for &block in &cfg.order {
        if !cfg.blocks[block].terminator().and_then(Value::condition).is_some_and(is_test) {
            continue;
        }
        for (&to, share) in cfg.successors[block].iter().zip([passing, 1.0 - passing]) {
            let behind = |&other: &usize| cfg.dominates(to, other);
            for other in cfg.order.iter().copied().filter(behind) {
                weights[other] *= share;
            }
        }
    }
    weights
}

fn longer(so_far: Option<f64>, other: f64) -> Option<f64> {
    Some(so_far.map_or(other, |so_far| so_far.max(other)))
}

/// The operations of a division by a power of two, of numbers with a sign.
const SHIFTS: f64 = 4.0;

/// The operations of the high half of a product of 64 bits beyond those of one of 32.
const HIGH_HALF: f64 = 8.0;

/// Whether LLVM's lanes have turns for a division: of 64 bits, and not by a power of two.
fn is_long_division(instruction: Value<'_>) -> bool {
    divides(instruction)
        && matches!(instruction.ty().scalar().kind(), TypeKind::Int(64..))
        && by_constant(instruction).is_none_or(|operations| operations > SHIFTS)
}

/// Whether lanes have turns for a division where they are ours.
pub(super) fn has_turns(division: Value<'_>) -> bool {
    is_long_division(division) && long_divisor(division).is_none()
}

/// The vector operations that a division by a constant takes, which LLVM makes a product, its high half, and shifts; none for any
/// other division.
pub(super) fn by_constant(division: Value<'_>) -> Option<f64> {
    let divisor = division.operand(1);
    let number = divisor.as_int().or_else(|| divisor.constant_element(0)?.as_int())?;
    let shifts = number > 0 && number.cast_unsigned().is_power_of_two();
    Some(match division.opcode() {
        Some(Opcode::LLVMUDiv | Opcode::LLVMURem) if shifts => 1.0,
        Some(Opcode::LLVMSDiv | Opcode::LLVMSRem) if shifts => SHIFTS,
        Some(Opcode::LLVMURem | Opcode::LLVMSRem) => 13.0,
        _ => 9.0,
    })
}

/// What the parts of a plan cost.
pub(super) struct Costs<'a, 'c> {
    pub(super) plan: &'a Plan<'c>,
    divergence: &'a Plan<'c>,
    pub(super) kernel: &'a Prepared<'a, 'c>,
    pub(super) regions: &'a Regions<'c>,
    pub(super) vectors: &'a Vectors,
    weights: Vec<f64>,
    /// The code is LLVM's, made from the loop over work-items.
    pub(super) by_llvm: bool,
    /// Rounds are made one register of lanes after the other.
    by_parts: bool,
    narrow: Option<Narrow<'a, 'c>>,
    /// The accesses of which it is known whether lanes walk along rows of their own.
    pub(super) walking: RefCell<HashMap<Value<'c>, bool>>,
}

impl<'a, 'c> Costs<'a, 'c> {
    /// As [`of`] has it.
    pub(super) fn new(
        plan: &'a Plan<'c>,
        divergence: &'a Plan<'c>,
        kernel: &'a Prepared<'a, 'c>,
        regions: &'a Regions<'c>,
        vectors: &'a Vectors,
    ) -> Self {
        let weights = weights(regions, PASSING);
        Costs {
            plan,
            divergence,
            kernel,
            regions,
            vectors,
            weights,
            by_llvm: false,
            by_parts: plan.width == vectors.bits / 32 * 4
                && pressure::rounds_by_parts(plan, kernel, regions, vectors),
            narrow: None,
            walking: RefCell::default(),
        }
    }

    fn of_regions(&self) -> Cost {
        Cost { parts: (0..self.regions.regions.len()).map(|number| self.region(number)).collect() }
    }

    /// All together, for the lanes of the plan.
    pub(super) fn total(&self) -> f64 {
        self.of_regions().total()
    }

    /// How often a block runs because of tests in front of guards, against the kernel.
    pub(super) fn weight(&self, block: usize) -> f64 {
        self.weights[block]
    }

    /// How often a block runs, against the kernel.
    pub(super) fn times(&self, block: usize) -> f64 {
        let cfg = &self.regions.cfg;
        let around = std::iter::successors(cfg.innermost[block], |&number| cfg.loops[number].parent);
        self.weights[block] * around.map(|number| self.rounds(number)).product::<f64>()
    }

    /// What a round of a loop takes: its instructions, those of inner loops as often as they run; and its longest chain.
    pub(super) fn round(&self, around: usize) -> (f64, f64) {
        let cfg = &self.regions.cfg;
        let header = cfg.loops[around].header;
        let once = self.times(header).max(f64::MIN_POSITIVE);
        let mut cycles = 0.0;
        for (region, chunks) in self.regions.regions.iter().zip(&self.plan.chunks) {
            for &block in region.blocks.iter().filter(|&&block| cfg.loops[around].contains(block)) {
                let masked = chunks.is_divided(block);
                let straight = cfg.blocks[block].instructions().into_iter();
                let straight = straight.filter(|i| !i.is_terminator() && !is_marker(*i));
                let own: f64 = straight.map(|instruction| self.instruction(instruction, masked)).sum();
                cycles += (own + self.branch(block, masked && !chunks.is_together(block)))
                    * self.times(block)
                    / once;
            }
        }
        (cycles, self.recurrence(around))
    }

    fn region(&self, number: usize) -> Part {
        let (cfg, region) = (&self.regions.cfg, &self.regions.regions[number]);
        // A loop that the region goes round by itself.
        let is_inner = |number: usize| {
            let header = cfg.loops[number].header;
            region.contains(header) && !self.regions.is_entry(header)
        };
        let inner = |from: Option<usize>| {
            std::iter::successors(from, |&number| cfg.loops[number].parent).find(|&number| is_inner(number))
        };
        let mut own = vec![0.0; cfg.loops.len()];
        let mut straight = 0.0;
        let mut part = Part {
            cycles: 0.0,
            often: 1.0,
            has_loop: false,
            has_masks: false,
            has_turns: false,
            has_vectors: false,
            has_unknown_stride: false,
        };
        for &block in &region.blocks {
            let mut cycles: f64 = 0.0;
            let masked = self.plan.chunks[number].is_divided(block);
            part.has_masks |= masked;
            for instruction in cfg.blocks[block].instructions() {
                if instruction.is_terminator() || is_marker(instruction) {
                    continue;
                }
                // LLVM leaves a loop with divisions of 64 bits as it is, and has turns for calls under masks: vector forms take none.
                let how = self.plan.how(instruction);
                part.has_vectors |= self.is_vector_in_lanes(instruction);
                part.has_unknown_stride |= self.by_llvm && self.has_unknown_stride(instruction);
                part.has_turns |= match how {
                    How::EachLane => true,
                    How::Vector => is_long_division(instruction),
                    How::Wide(_) => masked,
                    _ => false,
                };
                cycles += self.instruction(instruction, masked);
            }
            let parted = masked && !self.plan.chunks[number].is_together(block);
            cycles = (cycles + self.branch(block, parted)) * self.weights[block];
            match inner(cfg.innermost[block]) {
                Some(around) => own[around] += cycles,
                None => straight += cycles,
            }
        }
        for around in (0..cfg.loops.len()).rev().filter(|&around| is_inner(around)) {
            part.has_loop = true;
            let often = self.weights[cfg.loops[around].header];
            let all = self.rounds(around)
                * (own[around] + self.spills(around) * often).max(self.recurrence(around) * often);
            match inner(cfg.loops[around].parent) {
                Some(outer) => own[outer] += all,
                None => straight += all,
            }
        }
        let group_loops = std::iter::successors(cfg.innermost[region.entry], |&l| cfg.loops[l].parent)
            .filter(|&number| !is_inner(number))
            .count();
        part.often = ROUNDS.powi(i32::try_from(group_loops).unwrap_or(0));
        part.cycles = straight;
        part
    }

    fn rounds(&self, around: usize) -> f64 {
        let header = self.regions.cfg.loops[around].header;
        if self.plan.width > 1 && self.plan.is_divergent_loop(header) { ROUNDS * LONGEST } else { ROUNDS }
    }

    /// Whether a value is one of OpenCL's vectors and lanes differ in it.
    pub(super) fn is_vector_in_lanes(&self, value: Value<'c>) -> bool {
        matches!(value.ty().kind(), TypeKind::Vector(_)) && self.plan.form(value) == Form::Vector
    }

    /// The end of a block, and its mask.
    pub(super) fn branch(&self, block: usize, masked: bool) -> f64 {
        let several = self.regions.cfg.successors[block].len() > 1;
        if masked {
            let own = if self.by_llvm { MASKED_BLOCK_OF_LLVM } else { MASKED_BLOCK };
            (own + PACKED_MASK * self.packed()) * self.narrow.as_ref().map_or(1.0, |narrow| narrow.share)
        } else if self.plan.width == 1 && several && self.divergence.is_divergent(block) {
            let exits = self.regions.cfg.innermost[block].is_some_and(|around| {
                let found = &self.regions.cfg.loops[around];
                self.regions.cfg.successors[block].iter().any(|&to| !found.contains(to))
            });
            if exits { CHANCE / ROUNDS * 5.0 } else { CHANCE }
        } else {
            0.5
        }
    }

    /// The registers of a mask that is packed: of several, where there are no mask registers.
    fn packed(&self) -> f64 {
        let has_mask_registers = self.vectors.masks_bytes;
        let bits = self.plan.width * 32;
        if has_mask_registers || self.by_parts || bits <= self.vectors.bits || self.vectors.bits == 0 {
            return 0.0;
        }
        f64::from(bits.div_ceil(self.vectors.bits))
    }

    /// The longest chain of dependences from round to round of a loop, for each round: several variables may depend on one
    /// another in turn, but one that only follows another does not wait for its own value of the round before.
    fn recurrence(&self, around: usize) -> f64 {
        let cfg = &self.regions.cfg;
        let found = &cfg.loops[around];
        let mut phis = cfg.blocks[found.header].phis();
        phis.truncate(MOST_CARRIED);
        let row = |&from: &Value<'c>| {
            let mut known = HashMap::new();
            let mut column = |to: &Value<'c>| {
                let back = to.incoming().into_iter().filter(|(_, block)| found.contains(cfg.number(*block)));
                let lengths = back.map(|(value, _)| self.distance(around, from, value, &mut known));
                lengths.flatten().fold(None, longer)
            };
            phis.iter().map(&mut column).collect::<Vec<Option<f64>>>()
        };
        let once: Vec<Vec<Option<f64>>> = phis.iter().map(row).collect();
        // The longest ways of 1, 2, ... rounds; one that comes back to where it began is a cycle.
        let mut ways = once.clone();
        let mut longest: f64 = 0.0;
        for rounds in 1..=phis.len() {
            for (number, way) in ways.iter().enumerate() {
                longest = longest.max(way[number].unwrap_or(0.0) / rounds as f64);
            }
            let extend = |way: &Vec<Option<f64>>, to: usize| {
                let steps = way.iter().zip(&once).map(|(so_far, next)| Some((*so_far)? + next[to]?));
                steps.flatten().fold(None, longer)
            };
            ways = ways.iter().map(|way| (0..phis.len()).map(|to| extend(way, to)).collect()).collect();
        }
        longest
    }

    /// How long after the beginning of a round a value of the loop is there, if it depends on what `from` is then.
    fn distance(
        &self,
        around: usize,
        from: Value<'c>,
        value: Value<'c>,
        known: &mut HashMap<Value<'c>, Option<f64>>,
    ) -> Option<f64> {
        let cfg = &self.regions.cfg;
        let block = cfg.number(value.block()?);
        if !cfg.loops[around].contains(block) {
            return None;
        }
        if value.is_phi() && block == cfg.loops[around].header {
            return (value == from).then_some(0.0);
        }
        if let Some(&found) = known.get(&value) {
            return found;
        }
        // A cycle inside is an inner loop's, which is counted by itself.
        known.insert(value, None);
        let operands = if value.is_phi() {
            value.incoming().into_iter().map(|(value, _)| value).collect()
        } else {
            value.operands()
        };
        let before = operands.into_iter().filter_map(|operand| self.distance(around, from, operand, known));
        let found = before.fold(None, longer).map(|before| before + self.latency(value));
        known.insert(value, found);
        found
    }

    fn latency(&self, value: Value<'c>) -> f64 {
        let vector = self.plan.form(value) == Form::Vector;
        match value.opcode() {
            Some(Opcode::LLVMPHI | Opcode::LLVMSelect) => 1.0,
            Some(
                Opcode::LLVMFAdd
                | Opcode::LLVMFSub
                | Opcode::LLVMFMul
                | Opcode::LLVMSIToFP
                | Opcode::LLVMUIToFP
                | Opcode::LLVMFPToSI
                | Opcode::LLVMFPToUI
                | Opcode::LLVMFPExt
                | Opcode::LLVMFPTrunc,
            ) => 4.0,
            Some(Opcode::LLVMFDiv) => 11.0,
            Some(Opcode::LLVMMul) => {
                if vector {
                    8.0
                } else {
                    3.0
                }
            }
            Some(Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem) => {
                if by_constant(value).is_some() { 7.0 } else { 14.0 }
            }
            Some(Opcode::LLVMLoad) => match self.plan.how(value) {
                How::Gather | How::GatherUnlessConsecutive => 20.0,
                How::Butterfly => 8.0,
                _ => 5.0,
            },
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMFreeze) => 0.0,
            Some(Opcode::LLVMICmp | Opcode::LLVMFCmp) if vector => 3.0,
            Some(Opcode::LLVMICmp | Opcode::LLVMFCmp) => 1.0,
            Some(Opcode::LLVMCall) => {
                if value.callee().is_some_and(|callee| callee.is_intrinsic()) {
                    4.0
                } else {
                    20.0
                }
            }
            _ => 1.0,
        }
    }

    pub(super) fn instruction(&self, instruction: Value<'c>, masked: bool) -> f64 {
        let lanes = f64::from(self.plan.width);
        let one = self.once(instruction);
        match self.plan.how(instruction) {
            How::Query => 0.2,
            How::Test => 2.0,
            How::Once if instruction.is_phi() => match self.plan.form(instruction) {
                Form::Vector if masked && !self.is_carried(instruction) => {
                    2.0 * self.unit() * self.registers(instruction.ty())
                }
                _ => 0.0,
            },
            How::Once | How::First => one,
            How::Last => 2.0 + one,
            How::Wide(form) => 20.0 * lanes / f64::from(form.lanes),
            How::Consecutive => self.consecutive(instruction, masked),
            How::Gather => self.gather(instruction, masked),
            // LLVM makes no tests.
            How::GatherUnlessConsecutive | How::Butterfly if self.by_llvm => self.gather(instruction, masked),
            How::Butterfly => self.butterfly(instruction, masked),
            How::GatherUnlessConsecutive => {
                let (apart, consecutive) =
                    (self.gather(instruction, masked), self.consecutive(instruction, masked));
                // Of a linear index the first lane's and the last one's are compared.
                let (share, registers) = if self.is_linear(instruction) {
                    (RARELY_APART, 1.0)
                } else {
                    let more = APART_DOUBLED * (lanes / HALF_APART).log2();
                    ((APART + more).clamp(0.1, 0.9), self.registers(Self::moved(instruction)))
                };
                TEST_OF_ADDRESSES * registers + apart * share + consecutive * (1.0 - share)
            }
            How::Collective => AMONG_LANES,
            How::EachLane => {
                let turn = match instruction.opcode() {
                    Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => TURN_OF_ATOMIC,
                    _ => TURN,
                };
                lanes * (one + turn)
            }
            How::Vector => self.vector(instruction),
        }
    }

    /// Whether a PHI node is what a loop carries from round to round, which takes no blends.
    fn is_carried(&self, phi: Value<'c>) -> bool {
        let cfg = &self.regions.cfg;
        let header = phi.block().map(|block| cfg.number(block));
        cfg.loops.iter().any(|found| Some(found.header) == header)
    }

    /// One register's worth of simple arithmetic.
    fn unit(&self) -> f64 {
        if self.vectors.bits > 256 { 0.55 } else { 0.4 }
    }

    pub(super) fn bits(&self, ty: Type<'c>) -> u64 {
        match ty.scalar().kind() {
            TypeKind::Int(1) => 8,
            TypeKind::Struct(_) | TypeKind::Array(_) => 32,
            _ => self.kernel.layout.size(ty.scalar()) * 8,
        }
    }

    pub(super) fn parts(&self, ty: Type<'c>) -> f64 {
        match ty.kind() {
            TypeKind::Vector(count) | TypeKind::Struct(count) => f64::from(count),
            TypeKind::Array(count) => count as f64,
            _ => 1.0,
        }
    }

    /// The vector registers that the lanes of a type take.
    pub(super) fn registers(&self, ty: Type<'c>) -> f64 {
        let bits = self.bits(ty) * u64::from(self.plan.width);
        if self.narrow.is_some() {
            return bits as f64 / f64::from(self.vectors.bits.max(128)) * self.parts(ty);
        }
        (bits.div_ceil(u64::from(self.vectors.bits.max(128)))).max(1) as f64 * self.parts(ty)
    }

    /// Those that a value's lanes take.
    pub(super) fn registers_of(&self, value: Value<'c>) -> f64 {
        if self.plan.is_interleaved(value) {
            let bits = self.bits(value.ty()) * u64::from(self.plan.width) * self.parts(value.ty()) as u64;
            return bits.div_ceil(u64::from(self.vectors.bits.max(128))) as f64;
        }
        let (ty, all) = (value.ty(), self.registers(value.ty()));
        match &self.narrow {
            Some(narrow) if matches!(ty.kind(), TypeKind::Int(_)) => {
                let own = self.bits(ty);
                all * narrow.bits(value, own) as f64 / own as f64
            }
            _ => all,
        }
    }

    /// A register of quotients of floats or, `wide`, of doubles.
    fn quotient(&self, wide: bool) -> f64 {
        if wide { 2.0 * self.long() } else { 1.25 * self.long() }
    }

    fn vector(&self, instruction: Value<'c>) -> f64 {
        let unit = self.unit();
        let registers = self.registers_of(instruction);
        let from = instruction.operands().first().map_or(1.0, |operand| match operand.ty().kind() {
            TypeKind::Void | TypeKind::Other => 1.0,
            _ => self.registers_of(*operand),
        });
        let wide = self.bits(instruction.ty()) == 64;
        let lanes = f64::from(self.plan.width);
        match instruction.opcode() {
            Some(Opcode::LLVMMul) if wide => registers * if self.vectors.bits > 256 { 1.5 } else { 3.0 },
            // Bytes are multiplied in 16 bits, the even ones and the odd ones.
            Some(Opcode::LLVMMul) if self.bits(instruction.ty()) == 8 => registers * 5.0 * unit,
            Some(Opcode::LLVMMul) => registers * 2.0 * unit,
            Some(Opcode::LLVMFDiv) => registers * self.quotient(wide),
            Some(Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem) => {
                match (by_constant(instruction), by_floating(instruction)) {
                    // LLVM has turns for lanes of 64 bits.
                    (Some(operations), _) if !is_long_division(instruction) => registers * operations * unit,
                    (Some(operations), _) if !self.by_llvm && long_divisor(instruction).is_some() => {
                        registers * (operations + HIGH_HALF) * unit
                    }
                    // LLVM divides one by one.
                    (None, Some(bits)) if !self.by_llvm => {
                        let same = self.plan.form(instruction.operand(1)) == Form::Uniform;
                        let numbers =
                            f64::from(self.plan.width * bits) / f64::from(self.vectors.bits.max(128));
                        let divided = if same { unit } else { self.quotient(bits == 64) };
                        numbers * self.parts(instruction.ty()) * (3.0 + divided)
                    }
                    _ => lanes * self.parts(instruction.ty()) * (self.once(instruction) + 2.0),
                }
            }
            Some(Opcode::LLVMFRem) => lanes * self.parts(instruction.ty()) * 25.0,
            Some(Opcode::LLVMICmp | Opcode::LLVMFCmp) if self.packed() > 0.0 => from * (unit * 1.5 + 1.0),
            Some(Opcode::LLVMICmp | Opcode::LLVMFCmp) => from * unit * 1.5,
            Some(
                Opcode::LLVMTrunc
                | Opcode::LLVMZExt
                | Opcode::LLVMSExt
                | Opcode::LLVMFPExt
                | Opcode::LLVMFPTrunc
                | Opcode::LLVMSIToFP
                | Opcode::LLVMUIToFP
                | Opcode::LLVMFPToSI
                | Opcode::LLVMFPToUI,
            ) => registers.max(from),
            Some(
                Opcode::LLVMExtractElement
                | Opcode::LLVMInsertElement
                | Opcode::LLVMShuffleVector
                | Opcode::LLVMExtractValue
                | Opcode::LLVMInsertValue
                | Opcode::LLVMFreeze,
            ) => 0.0,
            Some(Opcode::LLVMGetElementPtr) => self.registers(instruction.types().i64()) * unit,
            Some(Opcode::LLVMCall) => registers * self.intrinsic(instruction, unit, self.quotient(false)),
            _ => registers * unit,
        }
    }

    /// A division or root of a whole register.
    fn long(&self) -> f64 {
        f64::from(self.vectors.bits) / 64.0
    }

    /// An intrinsic that works by element: simple arithmetic, a root, or a function.
    fn intrinsic(&self, call: Value<'c>, simple: f64, root: f64) -> f64 {
        let name = call.callee().map(|callee| callee.name()).unwrap_or_default();
        let rest = name.strip_prefix("llvm.").unwrap_or(&name);
        let word = rest.split('.').next().unwrap_or(rest);
        match word {
            "sqrt" => root,
            "sin" | "cos" | "exp" | "exp2" | "log" | "log2" | "log10" | "pow" => 20.0,
            _ => simple,
        }
    }

    /// An instruction on scalars.
    fn once(&self, instruction: Value<'c>) -> f64 {
        let wide = !instruction.ty().is_void() && self.bits(instruction.ty()) == 64;
        match instruction.opcode() {
            Some(Opcode::LLVMPHI | Opcode::LLVMAlloca | Opcode::LLVMBitCast | Opcode::LLVMFreeze) => 0.0,
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMTrunc) => 0.15,
            Some(Opcode::LLVMMul) => 0.8,
            Some(Opcode::LLVMFAdd | Opcode::LLVMFSub | Opcode::LLVMFMul) => 0.5,
            Some(Opcode::LLVMFDiv) => 4.0,
            Some(Opcode::LLVMFRem) => 25.0,
            Some(Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem)
                if by_constant(instruction).is_some() =>
            {
                2.0
            }
            Some(Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem) => {
                if wide {
                    10.0
                } else {
                    6.0
                }
            }
            Some(Opcode::LLVMLoad) => 0.4 * self.parts(instruction.ty()).min(2.0),
            Some(Opcode::LLVMStore) => 0.7,
            // On local memory it is a load and a store.
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => {
                let local = instruction.operand(0).ty().kind() == TypeKind::Pointer(space::LOCAL);
                if local { 3.0 } else { 18.0 }
            }
            Some(Opcode::LLVMCall) if Query::of(instruction).is_some() => 0.2,
            Some(Opcode::LLVMCall) => match instruction.callee() {
                Some(callee) if callee.is_intrinsic() => self.intrinsic(instruction, 0.5, 4.0),
                _ => 25.0,
            },
            _ => 0.3,
        }
    }
}
