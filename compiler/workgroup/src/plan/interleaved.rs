//! OpenCL vectors of which all lanes are kept as memory has them: the components of one lane behind one another, then those of the
//! next, in one vector of W times as many.
//!
//! In: a plan, with every form and how decided. Out: the values that are kept so. Elsewhere each component's lanes are a vector of
//! their own, and a load or store of consecutive vectors takes its components apart or puts them together, which costs more than the
//! load. Where a vector is only loaded so, computed with component by component, and stored so, nothing has to be moved.
//!
//! A value is kept so only if everything is that it is computed from, but for what is the same for all lanes, and everything that uses
//! it can. It lives in one region, in which all lanes run everything together: no cell, slot or mask knows of this.

use super::{Form, How, Plan};
use crate::emit::{by_floating, is_by_element};
use crate::regions::Regions;
use crate::slots::Slots;
use oxcl_ir::{Opcode, Type, TypeKind, Value};
use std::collections::HashSet;

/// Finds the values.
pub(super) fn find<'c>(plan: &Plan<'c>, regions: &Regions<'c>, slots: &Slots<'c>) -> HashSet<Value<'c>> {
    let cfg = &regions.cfg;
    // A block may be in several regions.
    let parted = regions.regions.iter().zip(&plan.chunks).filter(|(_, chunks)| !chunks.chunks.is_empty());
    let parted: HashSet<usize> = parted.flat_map(|(region, _)| region.blocks.iter().copied()).collect();
    let mut found = HashSet::new();
    for region in &regions.regions {
        for &block in region.blocks.iter().filter(|block| !parted.contains(block)) {
            let instructions = cfg.blocks[block].instructions().into_iter();
            found.extend(instructions.filter(|&value| {
                let comes_in = value.is_phi() && block == region.entry;
                !comes_in && slots.home(value).is_none() && can_be_made(plan, value)
            }));
        }
    }
    // What has a neighbour that is not kept so is not either: the set only shrinks.
    loop {
        let wrong: Vec<Value<'c>> =
            found.iter().copied().filter(|&value| !fits(plan, &found, value)).collect();
        if wrong.is_empty() {
            return found;
        }
        for value in wrong {
            found.remove(&value);
        }
    }
}

/// The components of a vector whose lanes may be kept so.
fn count(ty: Type<'_>) -> Option<u32> {
    match ty.kind() {
        TypeKind::Vector(count)
            if count.is_power_of_two() && !matches!(ty.scalar().kind(), TypeKind::Pointer(_)) =>
        {
            Some(count)
        }
        _ => None,
    }
}

/// Whether an instruction can make such a value of such values.
fn can_be_made<'c>(plan: &Plan<'c>, value: Value<'c>) -> bool {
    if plan.form(value) != Form::Vector || count(value.ty()).is_none() {
        return false;
    }
    match value.opcode() {
        Some(Opcode::LLVMPHI) => true,
        Some(Opcode::LLVMLoad) => {
            plan.how(value) == How::Consecutive
                && plan.woven(value.operand(0)).is_none()
                && is_of_bytes(value.ty())
        }
        _ => plan.how(value) == How::Vector && by_floating(value).is_none() && is_by_element(value),
    }
}

/// Whether the elements lie in memory without gaps.
fn is_of_bytes(ty: Type<'_>) -> bool {
    !matches!(ty.scalar().kind(), TypeKind::Int(bits) if !bits.is_power_of_two() || bits < 8)
}

/// Whether what a value is computed from and what uses it is, or can take it, so.
fn fits<'c>(plan: &Plan<'c>, found: &HashSet<Value<'c>>, value: Value<'c>) -> bool {
    let own = count(value.ty());
    let is_same = |operand: &Value<'c>| match count(operand.ty()) {
        Some(count) => {
            Some(count) == own && (found.contains(operand) || plan.form(*operand) == Form::Uniform)
        }
        // A condition, or a flag, for all components and lanes.
        None => plan.form(*operand) == Form::Uniform,
    };
    let takes = |user: &Value<'c>| {
        let stores = user.is(Opcode::LLVMStore)
            && user.operand(0) == value
            && plan.how(*user) == How::Consecutive
            && plan.woven(user.operand(1)).is_none()
            && is_of_bytes(value.ty());
        stores || found.contains(user)
    };
    let sources = match value.opcode() {
        Some(Opcode::LLVMPHI) => value.incoming().into_iter().map(|(value, _)| value).collect(),
        Some(Opcode::LLVMLoad) => Vec::new(),
        Some(Opcode::LLVMCall) => value.arguments(),
        _ => value.operands(),
    };
    sources.iter().all(is_same) && value.users().iter().all(takes)
}
