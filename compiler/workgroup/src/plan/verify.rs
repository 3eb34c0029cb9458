//! What lanes cannot do, and whether a plan holds together.
//!
//! Lanes run in lock step: a lane that waits for another one of its vector would wait for ever. So a kernel is declined in
//! which a loop ends when another work-item has done something, as the holder of a lock does; and one whose work-items
//! meet at barriers by dispatch.
//!
//! In: a kernel and shapes among lanes, or a plan. Out: nothing, or why not.

use super::decide::can_be_first;
use super::{Form, How, Plan, chunks::Chunks};
use crate::collectives::{self, Collective};
use crate::emit::{WideForm, is_componentwise, is_dense, is_marker, is_simple_access, varying_index};
use crate::error::FormError;
use crate::guards::is_test;
use crate::prepare::Prepared;
use crate::regions::{End, Regions};
use crate::slots::{Home, Slots};
use crate::workitem::Query;
use oxcl_ir::cfg::Cfg;
use oxcl_ir::shape::{Shape, Shapes};
use oxcl_ir::{Opcode, Value};
use std::collections::HashSet;

/// Whether lanes can run the kernel as its work-items would.
pub(super) fn can_run_in_lanes<'c>(
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    shapes: &Shapes<'c>,
) -> Result<(), FormError> {
    let decline = |reason: &str, line: u32| {
        Err(FormError::CannotVectorise { kernel: kernel.name.clone(), reason: reason.to_owned(), line })
    };
    if !regions.regular {
        return decline("not all work-items are known to meet the same barriers", regions.irregular_line);
    }
    let _ = shapes;
    if let Some(waiting) = waits_for_others(&regions.cfg) {
        return decline("a loop may end only when another work-item has stored something", waiting.line());
    }
    Ok(())
}

/// An atomic or volatile access by which a loop around it ends.
fn waits_for_others<'c>(cfg: &Cfg<'c>) -> Option<Value<'c>> {
    let ordered = cfg.order.iter().filter(|&&block| cfg.innermost[block].is_some()).flat_map(|&block| {
        let instructions = cfg.blocks[block].instructions().into_iter();
        instructions.filter(|i| !i.ty().is_void() && i.effects().ordered()).map(move |i| (block, i))
    });
    ordered.into_iter().find(|(block, access)| ends_a_loop(cfg, *block, *access)).map(|(_, access)| access)
}

/// Whether a loop around `block` is left, or not, by what an instruction there gives.
fn ends_a_loop<'c>(cfg: &Cfg<'c>, block: usize, access: Value<'c>) -> bool {
    let around: Vec<usize> =
        std::iter::successors(cfg.innermost[block], |&number| cfg.loops[number].parent).collect();
    let leaves = |from: usize| {
        around.iter().any(|&number| {
            let found = &cfg.loops[number];
            found.contains(from) && cfg.successors[from].iter().any(|&to| !found.contains(to))
        })
    };
    let mut known: HashSet<Value<'c>> = HashSet::from([access]);
    let mut work = vec![access];
    while let Some(value) = work.pop() {
        for user in value.users() {
            let Some(place) = user.block().map(|block| cfg.number(block)) else { continue };
            if user.is_terminator() {
                if leaves(place) {
                    return true;
                }
                // What work-items bring to where the branch's ways meet depends on it.
                let mut meet = cfg.between(place, cfg.ipdom(place));
                meet.extend(cfg.ipdom(place));
                if cfg.successors[place].len() > 1 {
                    // A way that leaves a loop from between is taken by the branch's decision too.
                    if meet.iter().any(|&between| Some(between) != cfg.ipdom(place) && leaves(between)) {
                        return true;
                    }
                    for phi in meet.into_iter().flat_map(|block| cfg.blocks[block].phis()) {
                        if known.insert(phi) {
                            work.push(phi);
                        }
                    }
                }
            } else if known.insert(user) {
                work.push(user);
            }
        }
    }
    false
}

/// Whether a plan holds together.
pub(super) fn verify<'c>(
    plan: &Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    slots: &Slots<'c>,
) -> Result<(), FormError> {
    match obstacle(plan, kernel, regions, slots) {
        None => Ok(()),
        Some((instruction, what)) => Err(FormError::CannotVectorise {
            kernel: kernel.name.clone(),
            reason: format!("there is no plan for '{}': {what}", instruction.to_string().trim()),
            line: instruction.line(),
        }),
    }
}

/// The first instruction that cannot be made as the plan says, and why not: it must get what it is made of in a form that it
/// can use, and what is made must be what its work-items would have made.
pub(super) fn obstacle<'c>(
    plan: &Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    slots: &Slots<'c>,
) -> Option<(Value<'c>, &'static str)> {
    let cfg = &regions.cfg;
    cfg.order.iter().find_map(|&block| {
        cfg.blocks[block].instructions().into_iter().find_map(|instruction| {
            let found = if instruction.is_terminator() {
                let fits = terminator_fits(plan, regions, block, instruction);
                (!fits).then_some(
                    "lanes would go different ways here, and the blocks behind are not made for that",
                )
            } else if is_marker(instruction) {
                None
            } else {
                instruction_obstacle(plan, slots, instruction)
                    .or_else(|| how_obstacle(plan, kernel, regions, block, instruction))
            };
            found.map(|what| (instruction, what))
        })
    })
}

fn terminator_fits<'c>(plan: &Plan<'c>, regions: &Regions<'c>, block: usize, terminator: Value<'c>) -> bool {
    let Some(decider) = terminator.decider() else { return true };
    if plan.form(decider) == Form::Uniform {
        return true;
    }
    let by_group = regions.regions.iter().any(|region| region.ends.contains(&End::Branch { block }));
    let divided = |chunks: &Chunks| {
        let successors = &regions.cfg.successors[block];
        successors.iter().any(|&to| chunks.is_divided(to)) || chunks.is_divided(block)
    };
    // Both ways may lead out of the region, to the same place.
    let parts = regions.regions.iter().zip(&plan.chunks).filter(|(region, _)| region.contains(block));
    let covered = parts.into_iter().all(|(region, chunks)| {
        divided(chunks) || regions.cfg.successors[block].iter().all(|&to| !region.contains(to))
    });
    !by_group && terminator.condition().is_some() && plan.is_divergent(block) && covered
}

fn instruction_obstacle<'c>(
    plan: &Plan<'c>,
    slots: &Slots<'c>,
    instruction: Value<'c>,
) -> Option<&'static str> {
    let group = matches!(slots.home(instruction), Some(Home::Group(_) | Home::AgainForGroup));
    if group && plan.form(instruction) != Form::Uniform {
        return Some("the group keeps one value of it, which lanes with values of their own cannot give");
    }
    if instruction.is_phi() {
        let form = plan.form(instruction);
        let fits = form == Form::Vector
            || instruction.incoming().iter().all(|(value, _)| plan.form(*value) == form || value.is_undef());
        return (!fits).then_some("what is brought to it has other forms");
    }
    None
}

/// Why an instruction cannot be made as the plan says.
fn how_obstacle<'c>(
    plan: &Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    block: usize,
    instruction: Value<'c>,
) -> Option<&'static str> {
    let how = plan.how(instruction);
    if instruction.is_phi() || instruction.allocated().is_some() {
        return (how != How::Once).then_some("it can only be made once");
    }
    if Query::of(instruction).is_some() {
        return (how != How::Query).then_some("it can only be a query");
    }
    if is_test(instruction) {
        return (how != How::Test).then_some("it can only be a test of all lanes");
    }
    if collectives::is_call(instruction) {
        let known = how == How::Collective && Collective::of(instruction).is_some();
        return (!known)
            .then_some("it can only be an operation among the lanes of a sub-group, of a known size");
    }
    let shape = plan.shapes.as_ref().map_or(Shape::Uniform, |shapes| shapes.of(instruction));
    let operands = match instruction.opcode() {
        Some(Opcode::LLVMCall) => instruction.arguments(),
        _ => instruction.operands(),
    };
    let all_uniform = operands.iter().all(|&operand| plan.form(operand) == Form::Uniform);
    let effects = instruction.effects();
    let pure = !effects.side_effects() && !effects.reads();
    let is_load = instruction.is(Opcode::LLVMLoad);
    let accessed = match instruction.opcode() {
        Some(Opcode::LLVMLoad) => Some((instruction.ty(), instruction.operand(0))),
        Some(Opcode::LLVMStore) => Some((instruction.operand(0).ty(), instruction.operand(1))),
        _ => None,
    };
    let simple = accessed.is_some_and(|(ty, _)| is_simple_access(instruction, ty));
    let otherwise = |holds: bool, what: &'static str| (!holds).then_some(what);
    let woven = accessed.map_or(instruction, |(_, pointer)| pointer);
    if plan.woven(woven).is_some() {
        let fits = match how {
            How::First => {
                plan.form(instruction.operand(0)) != Form::Vector && plan.form(instruction) != Form::Vector
            }
            How::Consecutive => plan.form(woven) != Form::Vector,
            How::Vector => accessed.is_none(),
            How::Gather => accessed.is_some(),
            _ => false,
        };
        return otherwise(fits, "its elements lie beside those of other lanes");
    }
    match how {
        How::Query | How::Test | How::Collective => Some("it is no query of ids or lanes"),
        How::Once => otherwise(pure || (is_load && simple), "every lane must do it")
            .or_else(|| otherwise(shape.is_uniform(), "its lanes may have different values"))
            .or_else(|| otherwise(all_uniform, "the lanes have different values of what it is made of")),
        How::First => {
            otherwise(pure && matches!(shape, Shape::Strided(_)), "its lanes are not a constant apart")
                .or_else(|| {
                    let vector = operands.iter().any(|&operand| plan.form(operand) == Form::Vector);
                    otherwise(!vector, "what it is made of is a vector")
                })
                .or_else(|| {
                    otherwise(
                        can_be_first(plan, regions, block, instruction),
                        "the first lane may be off here",
                    )
                })
        }
        How::Vector => otherwise(pure && is_componentwise(instruction), "no operation on vectors does it"),
        How::Wide(form) => otherwise(
            pure && WideForm::all(instruction, plan.width).contains(&form),
            "the function has no vector form of so many lanes for this width",
        ),
        How::Consecutive => otherwise(simple, "it is volatile, atomic, or of a type that has no lanes")
            .or_else(|| {
                let dense = accessed.is_some_and(|(ty, pointer)| match plan.form(pointer) {
                    Form::Strided(step) => is_dense(kernel.layout, ty, step),
                    Form::Uniform | Form::Vector => false,
                });
                otherwise(dense, "the lanes' addresses are not one behind the other")
            }),
        How::Gather => otherwise(simple, "it is volatile, atomic, or of a type that has no lanes"),
        How::GatherUnlessConsecutive => {
            let varying = varying_index(plan, regions, kernel.layout, instruction);
            otherwise(
                simple && varying.is_some(),
                "its address has no index of elements that alone differs among lanes",
            )
        }
        How::Butterfly => {
            let varying = varying_index(plan, regions, kernel.layout, instruction);
            otherwise(
                simple && varying.is_some_and(|varying| varying.exchange(plan).is_some()),
                "its address has no index of elements that is a number that grows by one from lane to lane, with bits that all \
                 lanes share exchanged by '^'",
            )
        }
        How::Last => otherwise(
            simple && instruction.is(Opcode::LLVMStore),
            "it is no store, or volatile, atomic, or of a type that has no lanes",
        )
        .or_else(|| {
            let one = accessed.is_some_and(|(_, pointer)| plan.form(pointer) == Form::Uniform);
            otherwise(one, "the lanes store to different addresses")
        }),
        How::EachLane => None,
    }
}
