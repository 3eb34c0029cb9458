//! A plan as text, for people and file tests, and as facts beside the IR.
//!
//! Stable: names and numbers depend on the kernel, the target and W only.

use super::choose::Choice;
use super::chunks::{Chunks, Step};
use super::read::HowText;
use super::{Form, How, Plan};
use crate::emit::is_marker;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::workitem::Query;
use oxcl_ir::report::Fact;
use oxcl_ir::{Opcode, Value};
use std::fmt::Write;

/// The choice and the plan that it fell on.
pub(crate) fn text<'c>(kernel: &Prepared<'_, 'c>, regions: &Regions<'c>, choice: &Choice<'c>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "kernel {}: width {} along {}{}",
        kernel.name,
        choice.plan.width,
        choice.plan.space,
        why(choice)
    );
    text.push_str(&body(regions, &choice.plan));
    text
}

/// What was compared.
pub(crate) fn why(choice: &Choice<'_>) -> String {
    if let Some(declined) = &choice.declined {
        return format!(", declined: {declined}");
    }
    let costs: Vec<String> =
        choice.candidates.iter().map(|each| format!("{:.1} at {}", each.cost, each.width)).collect();
    match costs.as_slice() {
        [] => String::new(),
        costs => format!(", cycles for each work-item: {}", costs.join(", ")),
    }
}

/// The regions of a plan: their blocks, and what the instructions there become that are more than arithmetic.
pub(crate) fn body<'c>(regions: &Regions<'c>, plan: &Plan<'c>) -> String {
    let mut text = String::new();
    if plan.width == 1 {
        return text;
    }
    for (number, region) in regions.regions.iter().enumerate() {
        let _ = writeln!(text, "  region {number}");
        let chunks = &plan.chunks[number];
        for &block in &region.blocks {
            let _ = writeln!(text, "    {}: {}", label(regions, block), lanes(plan, chunks, block));
            for instruction in regions.cfg.blocks[block].instructions() {
                if let Some(told) = told(plan, instruction) {
                    let _ = writeln!(text, "      {told}{}", line(instruction));
                }
            }
        }
    }
    text
}

fn line(instruction: Value<'_>) -> String {
    match instruction.line() {
        0 => String::new(),
        line => format!(" (line {line})"),
    }
}

/// The name of a block; its number where it has none.
pub(super) fn label(regions: &Regions<'_>, block: usize) -> String {
    let name = regions.cfg.blocks[block].name();
    if name.is_empty() { format!("block {block}") } else { name }
}

/// Which lanes run a block, and how.
pub(super) fn lanes(plan: &Plan<'_>, chunks: &Chunks, block: usize) -> String {
    let mut text = if chunks.is_divided(block) { "masked" } else { "all lanes" }.to_owned();
    if let Some(how) = chunks.chunks.iter().find_map(|chunk| rounds_of(&chunk.steps, block)) {
        text.push_str(how);
    }
    if plan.is_divergent(block) {
        text.push_str(", divergent branch");
    }
    text
}

/// How the lanes leave the loop with this header, if there is one.
fn rounds_of(steps: &[Step], block: usize) -> Option<&'static str> {
    steps.iter().find_map(|step| match step {
        Step::Loop(header, _) if *header == block => Some(", loop until no lane is live"),
        Step::Together(header, _) if *header == block => Some(", loop that lanes leave together"),
        Step::Loop(_, inner) => rounds_of(inner, block),
        Step::Block(_) | Step::Together(..) => None,
    })
}

/// What a plan calls an instruction that it has a line for: one that costs more, or less, than one operation of vectors.
pub(super) fn what(instruction: Value<'_>) -> Option<String> {
    Some(match instruction.opcode()? {
        Opcode::LLVMLoad => "load".to_owned(),
        Opcode::LLVMStore => "store".to_owned(),
        Opcode::LLVMCall if is_marker(instruction) || Query::of(instruction).is_some() => return None,
        Opcode::LLVMCall => match instruction.callee() {
            Some(callee) => format!("call {}", callee.name()),
            None => "call".to_owned(),
        },
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => "atomic".to_owned(),
        _ => return None,
    })
}

/// What it becomes.
fn told(plan: &Plan<'_>, instruction: Value<'_>) -> Option<String> {
    let what = what(instruction)?;
    let how = plan.how(instruction);
    let pointer = match instruction.opcode() {
        Some(Opcode::LLVMLoad) => Some(instruction.operand(0)),
        Some(Opcode::LLVMStore) => Some(instruction.operand(1)),
        _ => None,
    };
    let step = pointer.map_or(String::new(), |pointer| match plan.form(pointer) {
        Form::Strided(step) if how == How::Gather => format!(", {step} bytes apart"),
        _ => String::new(),
    });
    let how = HowText { how, is_store: instruction.is(Opcode::LLVMStore) };
    Some(format!("{what}: {how}{step}"))
}

/// The plan as facts: about blocks which lanes run them, about instructions what they become.
pub(crate) fn facts<'c>(regions: &Regions<'c>, choice: &Choice<'c>) -> Vec<Fact<'c>> {
    let plan = &choice.plan;
    let mut facts =
        vec![Fact::of_function("plan", format!("width {} along {}{}", plan.width, plan.space, why(choice)))];
    if plan.width == 1 {
        return facts;
    }
    for (region, chunks) in regions.regions.iter().zip(&plan.chunks) {
        for &block in &region.blocks {
            let lanes = lanes(plan, chunks, block);
            facts.push(Fact::of_block("plan", regions.cfg.blocks[block], lanes));
            for instruction in regions.cfg.blocks[block].instructions() {
                if instruction.is_terminator() || is_marker(instruction) {
                    continue;
                }
                let text = match told(plan, instruction) {
                    Some(told) => told.rsplit_once(": ").map_or(told.clone(), |(_, how)| how.to_owned()),
                    None => plan.form(instruction).to_string(),
                };
                facts.push(Fact::of_instruction("plan", instruction, text));
            }
        }
    }
    facts
}
