//! Whether loops have more vectors of lanes at the same time than there are registers, and what that costs: these are stored and loaded
//! again in each round.
//!
//! The cost is counted only where a loop holds OpenCL vectors, of which one value takes several registers: of loops of numbers by
//! themselves it is asked whether what they hold [`fits`]. The order of a block's instructions is taken for that of the code, which
//! LLVM changes.

use super::cost::Costs;
use super::{Form, Plan};
use crate::Vectors;
use crate::emit::{divides, is_componentwise};
use crate::prepare::Prepared;
use crate::regions::Regions;
use oxcl_ir::cfg::Cfg;
use oxcl_ir::{Opcode, TypeKind, Value};
use std::collections::{HashMap, HashSet};

/// Vector registers of AVX-512, and of what has fewer bits.
const REGISTERS: [usize; 2] = [32, 16];
/// What the values inside a round take of them, at least.
const INSIDE: usize = 2;
/// The same for a round of one register of lanes.
const INSIDE_PART: usize = 6;
/// Cycles in a round for each register that there is not.
const SPILL: f64 = 2.5;

fn registers(vectors: &Vectors) -> usize {
    REGISTERS[usize::from(vectors.bits < 512)]
}

/// The instructions that an innermost loop goes round by itself.
pub(crate) fn inside<'c>(cfg: &Cfg<'c>, around: usize) -> Vec<Value<'c>> {
    let blocks = cfg.blocks.iter().zip(&cfg.innermost).filter(|(_, inner)| **inner == Some(around));
    blocks.flat_map(|(block, _)| block.instructions()).collect()
}

/// Whether no other loop is in a loop.
pub(crate) fn is_innermost(cfg: &Cfg<'_>, around: usize) -> bool {
    cfg.loops.iter().all(|found| found.parent != Some(around))
}

fn is_from_elsewhere<'c>(value: Value<'c>, user: Value<'c>) -> bool {
    value.block().is_some_and(|own| Some(own) != user.block())
}

/// What lanes hold in an innermost loop all the time: what goes from round to round, what comes from before, and what goes from block to
/// block.
fn held<'c>(plan: &Plan<'c>, inside: &[Value<'c>]) -> HashSet<Value<'c>> {
    let of = |&user: &Value<'c>| match user.is_phi() {
        true => vec![user],
        false => user.operands().into_iter().filter(|&value| is_from_elsewhere(value, user)).collect(),
    };
    inside.iter().flat_map(of).filter(|&value| plan.form(value) == Form::Vector).collect()
}

/// Whether what each innermost loop holds from round to round, and between the blocks of a round, is in registers when every number
/// takes `each` of them.
pub(super) fn fits<'c>(plan: &Plan<'c>, regions: &Regions<'c>, vectors: &Vectors, each: usize) -> bool {
    let cfg = &regions.cfg;
    let count = |around: usize| {
        let inside = inside(cfg, around);
        let mut held = held(plan, &inside);
        // To be safe also what variables of the loop are when it begins.
        let brought =
            |&phi: &Value<'c>| phi.operands().into_iter().filter(move |&value| is_from_elsewhere(value, phi));
        let phis = inside.iter().filter(|value| value.is_phi());
        held.extend(phis.flat_map(brought).filter(|&value| plan.form(value) == Form::Vector));
        held.len() + INSIDE
    };
    let innermost = (0..cfg.loops.len()).filter(|&around| is_innermost(cfg, around));
    innermost.map(count).all(|count| count * each <= registers(vectors))
}

/// Whether rounds of four registers of the plan's lanes would be made one register after the other, which code generation does where only so few numbers go
/// on to the next round that they, and what one register's round needs, are in registers (`codegen/bridge/round_parts.h`): of every
/// innermost loop with lanes, which only computes with them. Masks and counts go from round to round in memory then.
pub(super) fn rounds_by_parts<'c>(
    plan: &Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    vectors: &Vectors,
) -> bool {
    let cfg = &regions.cfg;
    let number = |value: &Value<'c>| {
        matches!(value.ty().kind(), TypeKind::Int(_) | TypeKind::Float) && kernel.layout.size(value.ty()) <= 4
    };
    let is_by_lane =
        |value: Value<'c>| is_componentwise(value) && !divides(value) && !value.is(Opcode::LLVMFRem);
    let mut any = false;
    let is_small = |around: usize| {
        let inside = inside(cfg, around);
        let lanes: Vec<Value<'c>> = inside
            .into_iter()
            .filter(|&value| plan.form(value) == Form::Vector && !value.ty().is_void())
            .collect();
        if lanes.is_empty() {
            return true;
        }
        any = true;
        let blocks = (0..cfg.blocks.len()).filter(|&block| cfg.loops[around].contains(block)).count();
        let (carried, made): (Vec<Value<'c>>, Vec<Value<'c>>) =
            lanes.iter().partition(|value| value.is_phi());
        blocks <= 2
            && lanes.iter().all(number)
            && made.into_iter().all(is_by_lane)
            && carried.len() * 4 + INSIDE_PART <= registers(vectors)
    };
    let mut innermost = (0..cfg.loops.len()).filter(|&around| is_innermost(cfg, around));
    vectors.bits < 512 && innermost.all(is_small) && any
}

impl<'c> Costs<'_, 'c> {
    /// What a round of a loop without loops inside costs more because of that.
    pub(super) fn spills(&self, around: usize) -> f64 {
        let cfg = &self.regions.cfg;
        if self.plan.width == 1 || !is_innermost(cfg, around) {
            return 0.0;
        }
        let inside = inside(cfg, around);
        if !inside.iter().any(|&value| self.is_vector_in_lanes(value)) {
            return 0.0;
        }
        let held = held(self.plan, &inside);
        let always: f64 = held.iter().map(|&value| self.registers_of(value)).sum();
        // What else is there at the same time, from where it is made to where it is used last in its block. What goes on to the next round
        // takes the place of what it was in this one.
        let phis = inside.iter().filter(|value| value.is_phi());
        let carried: HashSet<Value<'c>> =
            phis.flat_map(|phi| phi.incoming()).map(|(value, _)| value).collect();
        let mut last = HashMap::new();
        for (at, &user) in inside.iter().enumerate().filter(|(_, user)| !user.is_phi()) {
            let own = user.operands().into_iter().filter(|&value| !is_from_elsewhere(value, user));
            last.extend(own.map(|value| (value, at)));
        }
        let mut ends: HashMap<usize, f64> = HashMap::new();
        let (mut now, mut most) = (0.0_f64, 0.0_f64);
        for (at, &value) in inside.iter().enumerate() {
            now -= ends.remove(&at).unwrap_or(0.0);
            let is_local =
                self.plan.form(value) == Form::Vector && !held.contains(&value) && !carried.contains(&value);
            if let Some(&end) = last.get(&value).filter(|_| is_local) {
                let own = self.registers_of(value);
                now += own;
                *ends.entry(end).or_default() += own;
            }
            most = most.max(now);
        }
        SPILL * (always + most + INSIDE as f64 - registers(self.vectors) as f64).max(0.0)
    }
}
