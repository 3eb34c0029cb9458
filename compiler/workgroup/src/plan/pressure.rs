//! What it costs that a loop has more vectors of lanes at the same time than there are registers: these are stored and loaded again
//! in each round.
//!
//! Counted only where a loop holds OpenCL vectors, of which one value takes several registers: loops of numbers by themselves hold
//! as many as [`super::cost::fits`] looks at. The order of a block's instructions is taken for that of the code, which LLVM changes.

use super::Form;
use super::cost::{Costs, INSIDE, REGISTERS};
use oxcl_ir::Value;
use std::collections::{HashMap, HashSet};

/// Cycles in a round for each register that there is not.
const SPILL: f64 = 2.5;

impl<'c> Costs<'_, 'c> {
    /// What a round of a loop without loops inside costs more because of that.
    pub(super) fn spills(&self, around: usize) -> f64 {
        let cfg = &self.regions.cfg;
        let has_loops = cfg.loops.iter().any(|found| found.parent == Some(around));
        let in_lanes = |value: &Value<'c>| self.plan.form(*value) == Form::Vector;
        let blocks: Vec<usize> =
            (0..cfg.blocks.len()).filter(|&block| cfg.innermost[block] == Some(around)).collect();
        let all = || blocks.iter().flat_map(|&block| cfg.blocks[block].instructions());
        if self.plan.width == 1 || has_loops || !all().any(|value| self.is_vector_in_lanes(value)) {
            return 0.0;
        }
        // What the loop holds all the time: what comes from before it or goes from round to round, and from block to block.
        let mut held = HashSet::new();
        let mut carried = HashSet::new();
        let mut last = HashMap::new();
        for (at, instruction) in all().enumerate() {
            let block = instruction.block();
            if instruction.is_phi() {
                held.insert(instruction);
                carried.extend(instruction.incoming().into_iter().map(|(value, _)| value));
                continue;
            }
            for operand in instruction.operands().into_iter().filter(in_lanes) {
                if operand.block() == block {
                    last.insert(operand, at);
                } else {
                    held.insert(operand);
                }
            }
        }
        let registers = |value: &Value<'c>| self.registers_of(*value);
        let always: f64 = held.iter().filter(|value| in_lanes(value)).map(registers).sum();
        // What else is there at the same time, from where it is made to where it is used last. What goes on to the next round takes the
        // place of what it was in this one.
        let mut ends: HashMap<usize, f64> = HashMap::new();
        let (mut now, mut most) = (0.0_f64, 0.0_f64);
        for (at, instruction) in all().enumerate() {
            now -= ends.remove(&at).unwrap_or(0.0);
            let is_local = !held.contains(&instruction) && !carried.contains(&instruction);
            if let (true, Some(&end)) = (is_local && in_lanes(&instruction), last.get(&instruction)) {
                let own = self.registers_of(instruction);
                now += own;
                *ends.entry(end).or_default() += own;
            }
            most = most.max(now);
        }
        let there = REGISTERS[usize::from(self.vectors.bits < 512)] as f64;
        SPILL * (always + most + INSIDE as f64 - there).max(0.0)
    }
}
