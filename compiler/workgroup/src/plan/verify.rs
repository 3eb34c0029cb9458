//! What lanes cannot do, and whether a plan holds together.
//!
//! Lanes run in lock step: a lane that waits for another one of its vector would wait for ever. So a kernel is declined in
//! which a loop ends when another work-item has done something, as the holder of a lock does; and one whose work-items
//! meet at barriers by dispatch.
//!
//! In: a kernel and shapes among lanes, or a plan. Out: nothing, or why not.

use super::{Form, How, Plan, chunks::Chunks};
use crate::emit::is_marker;
use crate::error::FormError;
use crate::prepare::Prepared;
use crate::regions::{End, Regions};
use crate::slots::{Home, Slots};
use oxcl_ir::cfg::Cfg;
use oxcl_ir::shape::Shapes;
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

/// Whether a plan holds together: every instruction gets what it is made of in a form that it can use.
pub(super) fn verify<'c>(
    plan: &Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    slots: &Slots<'c>,
) -> Result<(), FormError> {
    let cfg = &regions.cfg;
    let wrong = cfg.order.iter().find_map(|&block| {
        let instructions = cfg.blocks[block].instructions().into_iter();
        instructions.into_iter().find(|&instruction| {
            let fits = if instruction.is_terminator() {
                terminator_fits(plan, regions, block, instruction)
            } else {
                is_marker(instruction) || instruction_fits(plan, slots, instruction)
            };
            !fits
        })
    });
    match wrong {
        None => Ok(()),
        Some(instruction) => Err(FormError::CannotVectorise {
            kernel: kernel.name.clone(),
            reason: format!("there is no plan for '{}'", instruction.to_string().trim()),
            line: instruction.line(),
        }),
    }
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

fn instruction_fits<'c>(plan: &Plan<'c>, slots: &Slots<'c>, instruction: Value<'c>) -> bool {
    let group = matches!(slots.home(instruction), Some(Home::Group(_) | Home::AgainForGroup));
    if group && plan.form(instruction) != Form::Uniform {
        return false;
    }
    if instruction.is_phi() {
        let form = plan.form(instruction);
        return form == Form::Vector
            || instruction.incoming().iter().all(|(value, _)| plan.form(*value) == form || value.is_undef());
    }
    let operands = match instruction.opcode() {
        Some(Opcode::LLVMCall) => instruction.arguments(),
        _ => instruction.operands(),
    };
    let is = |form: Form| operands.iter().any(|&operand| plan.form(operand) == form);
    let strided = operands.iter().any(|&operand| matches!(plan.form(operand), Form::Strided(_)));
    match plan.how(instruction) {
        How::Once => !is(Form::Vector) && !strided,
        How::First => !is(Form::Vector),
        _ => true,
    }
}
