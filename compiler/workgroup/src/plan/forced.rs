//! A plan that was read is made the plan to follow.
//!
//! In: a kernel, cut into regions, and its [`KernelPlan`]. Out: [`Plan`], in which every instruction that the text names is
//! made as the text says; what follows from that, and what is left out, is decided as always. Or the line that the kernel
//! has nothing for, or that is no way to make it: the plan is then not followed at all.
//!
//! Which lanes run a block is no choice of a plan's: it follows from divergent branches. Where the text says something else,
//! it is refused, for whoever wrote it expects other code.

use super::read::{BlockText, KernelPlan, PlanError};
use super::{How, Plan, show, verify};
use crate::cut::Cut;
use crate::error::FormError;
use crate::plan::space::Space;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::slots::Slots;
use crate::turn;
use oxcl_ir::Value;
use std::collections::HashMap;

/// Makes the plan; `possible` is the longest row that the kernel's work-items can be seen as.
///
/// # Errors
/// [`FormError::Plan`] where the text does not fit the kernel, [`FormError::CannotVectorise`] where no plan would.
pub(crate) fn plan<'c>(
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    slots: &Slots<'c>,
    possible: Space,
    text: &KernelPlan,
) -> Result<Plan<'c>, FormError> {
    let refuse = |line: u32, what: String| FormError::Plan {
        kernel: kernel.name.clone(),
        error: PlanError { line, what },
    };
    if text.space.is_run() && !possible.is_run() {
        let what = "rows cannot go through several groups: the kernel has barriers or local memory, or tells groups apart";
        return Err(refuse(text.line, what.to_owned()));
    }
    if text.width == 1 {
        return Ok(Plan::scalar(regions, text.space));
    }
    let shapes = regions.row_shapes(kernel)?;
    let mut plan = Plan::undecided(kernel, regions, slots, text.space, shapes, text.width)?;
    let lines = named(&mut plan, regions, text).map_err(|(line, what)| refuse(line, what))?;
    plan.decide(kernel, regions, slots);
    if let Some((instruction, what)) = verify::obstacle(&plan, kernel, regions, slots) {
        // What is wrong may be what follows from other lines.
        let around = || lines.blocks.get(&regions.cfg.number(instruction.block()?)).copied();
        let line = lines.instructions.get(&instruction).copied().or_else(around).unwrap_or(text.line);
        return Err(refuse(line, format!("'{}': {what}", instruction.to_string().trim())));
    }
    Ok(plan)
}

/// Whether lanes may run along columns.
///
/// # Errors
/// [`FormError::Plan`] where they may not.
pub(crate) fn can_have_columns(rows: &Cut<'_, '_>, text: &KernelPlan) -> Result<(), FormError> {
    if turn::is_possible(rows) {
        return Ok(());
    }
    let what = "lanes cannot run along columns: the kernel has barriers, local memory or sub-groups, prints, or asks for linear ids \
                or for dimensions that it computes";
    let error = PlanError { line: text.line, what: what.to_owned() };
    Err(FormError::Plan { kernel: rows.kernel.name.clone(), error })
}

/// Where the text says something of a kernel's parts.
#[derive(Default)]
struct Lines<'c> {
    blocks: HashMap<usize, u32>,
    instructions: HashMap<Value<'c>, u32>,
}

/// Finds what the text names, and notes how it shall be made.
fn named<'c>(
    plan: &mut Plan<'c>,
    regions: &Regions<'c>,
    text: &KernelPlan,
) -> Result<Lines<'c>, (u32, String)> {
    let mut lines = Lines::default();
    for written in &text.regions {
        let Some(region) = regions.regions.get(written.number) else {
            let count = regions.regions.len();
            return Err((
                written.line,
                format!("there is no region {}, they are 0 to {}", written.number, count - 1),
            ));
        };
        for block_text in &written.blocks {
            let found = region.blocks.iter().find(|&&block| show::label(regions, block) == block_text.name);
            let Some(&block) = found else {
                let what = format!("region {} has no block '{}'", written.number, block_text.name);
                return Err((block_text.line, what));
            };
            if lines.blocks.insert(block, block_text.line).is_some() {
                return Err((block_text.line, format!("block '{}' is there already", block_text.name)));
            }
            let lanes = show::lanes(plan, &plan.chunks[written.number], block);
            if lanes != block_text.lanes {
                let what = format!(
                    "the lanes of block '{}' are '{lanes}': that follows from its branches and cannot be forced",
                    block_text.name
                );
                return Err((block_text.line, what));
            }
            instructions(plan, regions, block, block_text, &mut lines)?;
        }
    }
    Ok(lines)
}

/// Notes how the instructions of a block shall be made: all those that a plan shows, in their order.
fn instructions<'c>(
    plan: &mut Plan<'c>,
    regions: &Regions<'c>,
    block: usize,
    text: &BlockText,
    lines: &mut Lines<'c>,
) -> Result<(), (u32, String)> {
    let shown: Vec<(Value<'c>, String)> = regions.cfg.blocks[block]
        .instructions()
        .into_iter()
        .filter_map(|instruction| Some((instruction, show::what(instruction)?)))
        .collect();
    let mut known = shown.iter();
    for written in &text.instructions {
        match known.next() {
            Some((instruction, what)) if *what == written.what => {
                plan.forced.insert(*instruction, written.how);
                lines.instructions.insert(*instruction, written.line);
            }
            Some((_, what)) => {
                return Err((
                    written.line,
                    format!("the kernel has a '{what}' here, not a '{}'", written.what),
                ));
            }
            None => {
                return Err((
                    written.line,
                    format!("block '{}' has no more instructions that a plan names", text.name),
                ));
            }
        }
    }
    match known.next() {
        Some((_, what)) if !text.instructions.is_empty() => {
            let last = text.instructions.last().map_or(text.line, |written| written.line);
            Err((
                last,
                format!("behind this, block '{}' has a '{what}', which the plan leaves out", text.name),
            ))
        }
        _ => Ok(()),
    }
}

/// How an instruction is made, and in what form its lanes are kept, where the text says how.
pub(super) fn form_of_forced(how: How, shape: oxcl_ir::shape::Shape, is_void: bool) -> super::Form {
    use super::Form;
    use oxcl_ir::shape::Shape;
    match (how, shape) {
        _ if is_void => Form::Uniform,
        (How::Once | How::Query | How::Test, _) | (How::Collective, Shape::Uniform) => Form::Uniform,
        (How::First, Shape::Strided(stride)) => Form::Strided(stride.step),
        _ => Form::Vector,
    }
}
