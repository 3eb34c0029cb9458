//! The regions of a kernel as text, for people and snapshots.

use crate::Options;
use crate::cut::Cut;
use crate::regions::{End, Regions};
use oxcl_ir::Value;
use std::fmt::Write;

/// The regions, group-level branches and slots as text. Stable: names and numbers depend on the kernel only.
pub(crate) fn regions(cut: &Cut<'_, '_>, options: &Options) -> String {
    let Cut { kernel, locals, regions, slots, windows, .. } = cut;
    let mut text = String::new();
    let flow = if regions.regular { "regular" } else { "irregular" };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "kernel {}: {}, {}, {flow}, width {}",
        kernel.name,
        count(regions.regions.len(), "region"),
        count(regions.after_barriers.len(), "barrier"),
        options.lanes()
    );
    if !regions.regular && regions.irregular_line != 0 {
        let _ = writeln!(text, "  divergent branch before a barrier at line {}", regions.irregular_line);
    }
    for local in locals {
        let _ = writeln!(text, "  local {}: {} bytes", local.variable.name(), local.size);
    }
    for (number, region) in regions.regions.iter().enumerate() {
        let blocks: Vec<String> =
            region.blocks.iter().map(|&block| regions.cfg.blocks[block].name()).collect();
        let _ = writeln!(text, "  region {number}: {}", blocks.join(" "));
        for bound in windows.bounds(number) {
            let (number, relation, limit) = (bound.number, bound.relation, operand(bound.limit));
            let unsigned = if bound.unsigned { ", unsigned" } else { "" };
            let _ = writeln!(text, "    only {number} {relation} {limit}{unsigned}");
        }
        for end in &region.ends {
            let _ = writeln!(text, "    -> {}", describe_end(regions, end));
        }
    }
    for value in &slots.group {
        let _ = writeln!(text, "  group variable {}: {}", label(*value), value.ty());
    }
    for slot in &slots.items {
        let labels: Vec<String> = slot.values.iter().map(|&value| label(value)).collect();
        let kept = if slot.size == 1 { "served" } else { "continuation" };
        let what = if labels.is_empty() { kept.to_owned() } else { labels.join(" ") };
        let _ = writeln!(text, "  slot {what}: {}, {} bytes at {}", slot.ty, slot.size, slot.offset);
    }
    if slots.per_item > 0 {
        let _ = writeln!(text, "  scratch: {} bytes for each work-item", slots.per_item);
    }
    text
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn label(value: Value<'_>) -> String {
    let name = value.name();
    if name.is_empty() { "unnamed".to_owned() } else { format!("%{name}") }
}

/// A value by its name, a constant by its number.
fn operand(value: Value<'_>) -> String {
    value.as_int().map_or_else(|| label(value), |number| number.to_string())
}

fn describe_end(regions: &Regions<'_>, end: &End) -> String {
    let target = |block: usize| match regions.starting_at(block) {
        Some(region) => format!("region {region}"),
        None => regions.cfg.blocks[block].name(),
    };
    match *end {
        End::Return { .. } => "end".to_owned(),
        End::Edge { to, .. } => target(to),
        End::Branch { block } => {
            let ways: Vec<String> = regions.cfg.successors[block].iter().map(|&to| target(to)).collect();
            format!("group branch: {}", ways.join(" or "))
        }
    }
}
